"""What is released says the same of itself everywhere: version, day, licence, and the workflows that build it."""

import re
import tomllib
from typing import Any

import pytest
import yaml

import arena
from helpers.paths import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_version_stands_in_one_place_and_all_others_follow() -> None:
    changes = re.findall(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert changes[0] == (PROJECT["version"], str(cited["date-released"]))
    assert cited["version"] == PROJECT["version"] == arena.__version__
    assert changes == sorted(changes, key=lambda change: [int(part) for part in change[0].split(".")], reverse=True)


def test_the_pages_say_that_there_is_no_licence_as_long_as_there_is_none() -> None:
    is_licensed = "license" in PROJECT
    assert (ROOT / "LICENSE").exists() == is_licensed
    for name in ("README.md", "CONTRIBUTING.md"):
        assert ("No licence was chosen yet" in (ROOT / name).read_text()) != is_licensed


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_is_there_with_the_rights_that_it_needs(path: Any) -> None:
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    programs = {word for step in steps for word in step.get("run", "").split() if word.startswith(".ci/")}
    assert programs and all((ROOT / program).stat().st_mode & 0o100 for program in programs)
    for name, job in workflow["jobs"].items():
        assert ("id-token" in job.get("permissions", {})) == (name == "publish")


def test_the_image_is_built_from_all_that_the_wheel_is_built_from() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", "README.md", *wheel["packages"], *wheel["force-include"]}
    lines = (ROOT / "Containerfile").read_text().splitlines()
    copied = {word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]}
    kept = {line[1:] for line in (ROOT / ".containerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == kept == needed


def test_a_container_runs_verbs_that_there_are_without_the_rights_of_root() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert set(services) == {"hall", "ray-head", "ray-worker"}
    assert all(service["cap_drop"] == ["ALL"] for service in services.values())
    lines = (ROOT / "Containerfile").read_text().splitlines()
    assert lines.index("USER arena") < lines.index("RUN arena warmup")
