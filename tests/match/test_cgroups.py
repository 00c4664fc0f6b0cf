"""Memory cgroups of command bots: found, filled, removed; on a folder that stands for the kernel's, and on the real one."""

import os
import signal
from pathlib import Path

import pytest

from arena.match.sandbox import cgroups
from arena.server import limits

MEMORY = 64 << 20


def machine(folder: Path, own: str, offering: str) -> Path:
    """What a kernel says to a process in the cgroup `own`; `offering`: the cgroup that can have memory cgroups below it."""
    root, process = folder / "root", folder / "process"
    process.mkdir()
    (process / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup {root} cgroup2 rw 0 0\n")
    (process / "cgroup").write_text(f"4:memory:/x\n0::{own}\n")
    here = Path(f"{root}{own}")
    here.mkdir(parents=True)
    for path in (here, *here.relative_to(folder).parents):
        place = folder / path
        if place != folder:
            (place / "cgroup.subtree_control").write_text("memory pids" if place == Path(f"{root}{offering}") else "pids")
            (place / "cgroup.procs").write_text("")
    return process


@pytest.mark.parametrize(
    ("own", "offering", "found"),
    [("/", "/", "/"), ("/a/b", "/a", "/a"), ("/a/b", "/a/b", "/a/b"), ("/a/b", "/", None), ("/a", "/none", None)],
)
def test_the_home_of_cgroups_is_the_own_one_or_the_one_above(
    own: str, offering: str, found: str | None, tmp_path: Path
) -> None:
    home = cgroups.home(machine(tmp_path, own, offering))
    assert home == (None if found is None else Path(f"{tmp_path / 'root'}{found}"))


def test_where_nothing_is_mounted_there_is_none(tmp_path: Path) -> None:
    assert cgroups.home(tmp_path) is None
    (tmp_path / "mounts").write_text("proc /proc proc rw 0 0\n")
    (tmp_path / "cgroup").write_text("1:memory:/\n")
    assert cgroups.home(tmp_path) is None


@pytest.mark.parametrize(
    ("mount", "own"),
    [
        ("cgroup2 rw", "0::/docker/a/b"), ("cgroup rw,cpu,cpuacct", "3:cpu,cpuacct:/docker/a/b"), ("cgroup2 rw", "0::/"),
        ("cgroup rw,cpu", "1:memory:/other\n2:cpu:/elsewhere/c"),
    ],
)  # fmt: skip
def test_how_long_a_container_was_held_back_is_known(mount: str, own: str, tmp_path: Path) -> None:
    """Also inside of it, where its own folder is the uppermost, whatever it is called outside."""
    root = tmp_path / "root"
    (root / "docker" / "a").mkdir(parents=True)
    (tmp_path / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup {root} {mount} 0 0\n")
    (tmp_path / "cgroup").write_text(own + "\n")
    assert cgroups.held_back(tmp_path) == 0.0
    (root / "cpu.stat").write_text("nr_periods 9\nthrottled_usec 1500000\n")
    (root / "docker" / "cpu.stat").write_text("nr_periods 9\nnr_throttled 8\nthrottled_time 2500000000\n")
    assert cgroups.held_back(tmp_path) == (2.5 if "/docker" in own else 1.5)


@pytest.mark.parametrize(
    ("mount", "own", "file"),
    [("cgroup2 rw", "0::/docker/a/b", "memory.max"), ("cgroup rw,memory", "3:memory:/docker/a/b", "memory.limit_in_bytes")],
)
def test_how_much_memory_a_container_has_is_known(
    mount: str, own: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    (root / "docker" / "a").mkdir(parents=True)
    (tmp_path / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup {root} {mount} 0 0\n")
    (tmp_path / "cgroup").write_text(own + "\n")
    (root / file).write_text("max\n")
    assert cgroups.memory_limit(tmp_path) is None
    (root / "docker" / file).write_text(f"{3 * MEMORY}\n")
    (root / "docker" / "a" / file).write_text(f"{2 * MEMORY}\n")
    assert cgroups.memory_limit(tmp_path) == 2 * MEMORY
    current = root / "docker" / "a" / ("memory.current" if file == "memory.max" else "memory.usage_in_bytes")
    current.write_text(f"{2 * MEMORY - 1000}\n")
    assert not cgroups.has_memory(tmp_path)
    current.with_name("memory.stat").write_text(f"anon 7\ninactive_file {MEMORY}\n")
    assert cgroups.has_memory(tmp_path), "pages of files are given back"
    monkeypatch.setattr(cgroups, "memory_limit", lambda: 2 * limits.LEAST)
    assert cgroups.memory_here() <= 2 * limits.LEAST
    assert limits.memory_of_process() == limits.LEAST


def test_a_program_is_limited_and_what_is_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.rmdir

    def remove(folder: Path) -> None:
        for file in folder.iterdir():
            file.unlink()
        really(folder)

    monkeypatch.setattr(os, "rmdir", remove)  # the kernel's files go with their folder
    group = cgroups.enclose(4242, MEMORY, tmp_path, 7)
    assert group is not None and (group.folder / "cgroup.procs").read_text() == "4242"
    assert int((group.folder / "memory.max").read_text()) >= MEMORY
    assert not group.ran_out
    (group.folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert group.ran_out
    dead = tmp_path / "arena-seat-999999999-1"
    dead.mkdir()
    cgroups.sweep(tmp_path)
    assert group.folder.exists() and not dead.exists()
    assert group.remove() and not group.folder.exists() and group.remove()


def test_where_a_process_cannot_be_moved_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert cgroups.enclose(4242, MEMORY, tmp_path / "file", 1) is None


def test_the_kernels_own_cgroups_take_a_process_and_can_be_removed() -> None:
    folder = cgroups.home()
    if folder is None:
        pytest.skip("no memory cgroup that we may make")
    pid = os.fork()
    if pid == 0:
        signal.pause()
    group = cgroups.enclose(pid, MEMORY, folder, 0)
    try:
        assert group is not None and Path(f"/proc/{pid}/cgroup").read_text().strip().endswith(group.folder.name)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert group.remove()


def test_what_the_host_starts_is_enclosed_and_what_has_ended_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "home", lambda: None)
    assert cgroups.enclosed(4242, MEMORY) is None
    monkeypatch.setattr(cgroups, "home", lambda: tmp_path)
    first = cgroups.enclosed(4242, MEMORY)
    assert first is not None and (first.folder / "cgroup.procs").read_text() == "4242"
    for file in first.folder.iterdir():  # as the kernel's go when all have ended
        file.unlink()
    second = cgroups.enclosed(4343, MEMORY)
    assert second is not None and list(tmp_path.iterdir()) == [second.folder] != [first.folder]
