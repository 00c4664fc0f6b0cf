"""The actions for pull requests, and the workflows of docs/pull-requests.md that use them: rights, versions, what is run."""

import re
from typing import Any

import pytest
import yaml

import arena
from helpers.paths import DOCS, ROOT

ACTIONS = {path.parent.name: yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "actions").glob("*/action.yml")}
PAGE = (DOCS / "pull-requests.md").read_text()
WORKFLOWS: dict[str, dict[Any, Any]] = {
    name: yaml.safe_load(text)
    for name, text in re.findall(r"^```yaml\n# \.github/workflows/([\w-]+)\.yml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
}
OURS = "OWNER/REPO/.github/actions/"


def steps() -> list[dict[str, Any]]:
    """All steps of the actions and of the workflows."""
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    return [step for place in (*jobs, *(action["runs"] for action in ACTIONS.values())) for step in place["steps"]]


def test_the_page_uses_the_actions_that_there_are_with_their_inputs() -> None:
    used = {step["uses"]: set(step.get("with", {})) for step in steps() if step.get("uses", "").startswith(OURS)}
    version = f"@v{arena.__version__}"
    assert {name.removeprefix(OURS).removesuffix(version) for name in used} == set(ACTIONS)
    assert used[f"{OURS}check-bots{version}"] == set(ACTIONS["check-bots"]["inputs"])


def test_other_actions_have_the_versions_of_the_house() -> None:
    house = "".join(path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    others = {step["uses"] for step in steps() if "uses" in step and not step["uses"].startswith(OURS)}
    assert others and others <= set(re.findall(r"uses: (\S+)", house))


def test_what_runs_bots_can_write_nothing_and_what_writes_runs_nothing() -> None:
    check, comment = WORKFLOWS["bots"], WORKFLOWS["bots-comment"]
    assert check["permissions"] == {"contents": "read"} and comment["permissions"] == {}
    assert all("permissions" not in job for job in check["jobs"].values())
    (job,) = comment["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert [step["uses"].partition("@")[0] for step in job["steps"]] == [f"{OURS}comment-on-bots"]  # no checkout
    assert comment[True]["workflow_run"]["workflows"] == [check["name"]]  # YAML takes the key `on` for true
    assert set(check[True]) == {"pull_request"} and "secrets" not in PAGE.replace("no secrets", "").replace(
        "without secrets", ""
    )
    (checkout,) = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"] == {"fetch-depth": 2, "persist-credentials": False}


@pytest.mark.parametrize("name", ACTIONS)
def test_no_expression_is_part_of_a_script_and_none_runs_where_a_stranger_has_written(name: str) -> None:
    for step in ACTIONS[name]["runs"]["steps"]:
        if "run" in step:
            assert "${{" not in step["run"] and step["shell"] == "bash" and step["working-directory"] == "${{ runner.temp }}"
            for line in step["run"].splitlines():
                assert " -I " in line or line == "arena-venv/bin/arena doctor || true", line


def test_a_script_has_its_file() -> None:
    for name, action in ACTIONS.items():
        for step in action["runs"]["steps"]:
            for file in re.findall(r'"\$GITHUB_ACTION_PATH/(\w+\.py)"', step.get("run", "")):
                assert (ROOT / ".github" / "actions" / name / file).is_file()
    assert (ROOT / ".github" / "actions" / "check-bots" / "../../.." / "pyproject.toml").is_file()  # what is installed
