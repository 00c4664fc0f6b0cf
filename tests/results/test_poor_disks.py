"""Where the file system refuses modes, links or locks, everything is stored all the same, and what is weaker is said once."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena import disk
from arena.errors import StoreError
from arena.results.lock import FolderLock
from helpers import poor_disk
from helpers.poor_disk import LINKS, LOCKS, MODES

pytestmark = pytest.mark.skipif(not poor_disk.IS_POSSIBLE, reason="refuses calls of Linux on x86-64 by their numbers")

STORE = """
import sys
from pathlib import Path
from arena.agent import BotFiles, unpack
from arena.agent.submissions import Submissions
from arena.disk import link
from arena.engine import jit
from arena.results.journal import Journal
from arena.results.lock import FolderLock
from arena.results.site_file import SiteFile, StoredPerson

out = Path(sys.argv[1])
folder = out / "small"
for _ in range(2):
    with FolderLock(folder), Journal(folder) as journal:
        journal.set_meta({"plan": b"{}"})
        with Journal(folder, is_read_only=True) as other:
            assert other.meta("plan") == b"{}" and other.count() == 0
site = SiteFile(out)
site.add(StoredPerson(id="1", name="Bob", folded="bob", secret="s", since="now"))
site.close()
site = SiteFile(out)
assert site.is_taken("bob")
site.close()
bot = BotFiles("bob.py", {"bob.py": b"class Bot: pass"})
Submissions(out).submit("bob", bot, ("naga",))
assert (unpack(bot) / "bob.py").read_bytes() == bot.files["bob.py"]
(out / "second").unlink(missing_ok=True)
(out / "file").write_text("content")
link(out / "file", out / "second")
assert (out / "second").read_text() == "content"
with jit.compiling("engine"):
    pass
print("stored")
"""
LACKS = """
import sys
from pathlib import Path
from arena.disk import lacks
print(*lacks(Path(sys.argv[1])), sep="\\n")
"""


def run(code: str, folder: Path, *refused: str) -> subprocess.CompletedProcess[str]:
    words = [*poor_disk.command(*refused), sys.executable, "-c", code, str(folder)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, umask=0o022)


def run_here(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in this process, where nothing is refused."""
    monkeypatch.setattr(sys, "argv", ["-c", str(folder)])
    exec(code, {})


@pytest.mark.parametrize("refused", [(MODES,), (LINKS,), (LOCKS,), (MODES, LINKS, LOCKS)], ids=lambda kinds: "+".join(kinds))
def test_everything_is_stored(
    refused: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run(STORE, tmp_path, *refused)
    assert done.returncode == 0 and done.stdout == "stored\n", done.stderr
    warnings = [line for line in done.stderr.splitlines() if line.startswith(f"arena: warning: {tmp_path}")]
    assert len(warnings) == len(set(warnings)) and bool(warnings) == bool({MODES, LOCKS} & set(refused))
    assert not any(word in done.stderr for word in ("damaged", "full", "anew", "Traceback"))
    run_here(STORE.replace('"bob"', '"eve"').replace('id="1"', 'id="2"').replace('"s"', '"t"'), tmp_path, monkeypatch)
    said = capsys.readouterr()
    assert said.out == "stored\n" and not said.err


@pytest.mark.parametrize(("refused", "told"), [(MODES, "no modes"), (LINKS, "no hard links"), (LOCKS, "no locks")])
def test_the_doctor_finds_what_is_refused(refused: str, told: str, tmp_path: Path) -> None:
    assert list(disk.lacks(tmp_path)) == []
    assert run(LACKS, tmp_path, refused).stdout.startswith(told)
    assert list(tmp_path.iterdir()) == []


def test_without_locks_the_second_run_finds_the_first_by_its_process(tmp_path: Path) -> None:
    with FolderLock(tmp_path):
        enter = (
            "import sys; from pathlib import Path; from arena.results.lock import FolderLock\n"
            "FolderLock(Path(sys.argv[1])).__enter__()"
        )
        done = run(enter, tmp_path, LOCKS)
        assert done.returncode == 1 and "is writing there" in done.stderr


def test_a_folder_that_cannot_be_synced_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr("os.fsync", refuse)
    disk.sync(tmp_path)
    monkeypatch.setattr("os.fsync", lambda _descriptor: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    with pytest.raises(OSError, match="Input/output"):
        disk.sync(tmp_path)
    with pytest.raises(StoreError, match="Input/output"):
        disk.write_whole(tmp_path / "file", b"")


def test_modes_that_are_set_without_effect_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """exFAT and others take any mode, and keep theirs."""
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o644)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", lambda *_: None)
        disk.set_mode(file, 0o600)
    assert capsys.readouterr().err.startswith(
        f"arena: warning: {tmp_path}: modes of files cannot be set here (they stay as they are)"
    )
    disk.set_mode(file, 0o600)
    assert capsys.readouterr().err == "" and file.stat().st_mode & 0o777 == 0o600
