"""Files with slow tests are found by their text (conftest.py): nobody else may mark tests as slow."""

from helpers.paths import TESTS


def test_of_the_helpers_two_mark_tests_as_slow() -> None:
    """A test that gets its mark from another one would never run."""
    marking = {path.name for path in (TESTS / "helpers").rglob("*.py") if "mark.slow" in path.read_text("utf-8")}
    assert marking == {"browser.py", "learning.py"}
    assert r"helpers\.learning import" in (TESTS / "conftest.py").read_text("utf-8")
    assert "in_browser = [pytest.mark.slow" in (TESTS / "helpers" / "browser.py").read_text("utf-8")
