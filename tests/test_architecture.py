"""The architecture as a test: layers import one way, each heavy library has one door, games are a pure island."""

import ast
import graphlib
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from helpers.paths import PACKAGE, ROOT, TESTS

SOURCES = sorted(PACKAGE.rglob("*.py"))

# Lowest first; a module may import its own layer and those before it.
LAYERS = (
    "errors", "stopping", "hints", "notebooks", "names", "records", "disk", "cards", "cache", "userfiles", "shipped",
    "results_folder", "engine", "search", "agent", "games", "llm", "match", "results", "ratings", "tournament", "audit",
    "reports", "server", "learning", "mcp", "cli",
)  # fmt: skip
LOWEST_INSIDE = {
    "tournament": ("formats", "workers", "deciding", "archive", "prices", "models", "config"),
    "server": ("people", "contest", "table_process"),
    "reports": ("table", "manual", "pages"),
    "learning": (
        "compiled",
        "rendering",
        "arrays",
        "parts",
        "threads",
        "rivals",
        "device",
        "playing",
        "processor",
        "on_device",
        "tables",
        "training",
    ),
}
"""What lies lowest inside a package, in this order; all else of the package is above, and imports among itself as it likes."""
ONE_DOOR = {
    "ray": "tournament/workers/ray/backend.py",
    "pyarrow": "results/table_file.py",
    "sqlite3": "results/sqlite.py",
    "numba": "engine/jit.py",
    "llvmlite": "engine/jit.py",
    "yaml": "userfiles.py",
    "tomllib": "userfiles.py",
    "trueskill": "audit/package_ratings.py",
    "openskill": "ratings/openskill.py",
    "jinja2": "reports/document.py",
    "markdown_it": "reports/manual.py",
    "mcp": "mcp/server.py",
    "mcp_types": "mcp/server.py",
}
CARDS = {f"engine/cuda/{name}.py" for name in ("machine", "lowering", "kernels", "arrays", "card", "present")}
"""The second target of the door to numba."""
BESIDE_A_DOOR = {"engine/machine.py", *CARDS}  # what compiled code calls by name needs the library to say what that is
BEHIND_A_DOOR = {
    "engine/linking.py": ("engine/jit.py", "engine/cuda/lowering.py"),
    "engine/stored_code.py": ("engine/jit.py", "engine/cuda/kernels.py"),
}
NOT_IN_GAMES = {"time", "datetime", "os", "io", "logging", "random", "pathlib", "subprocess", "socket", "threading"}


def nodes(path: Path) -> tuple[ast.AST, ...]:
    """The syntax tree of a file, each node before those inside it."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def naming(words: Iterable[str]) -> Iterator[Path]:
    """The modules that have one of the words in their text: the others need not be parsed, which takes a second for all."""
    found = re.compile("|".join(words))
    return (path for path in SOURCES if found.search(path.read_text()))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """All modules that a file imports, wherever in it."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "arena")


def floor(parts: Sequence[str]) -> tuple[int, int]:
    """Where a module lies: the place of its package, and its place inside it. `parts`: its name below arena."""
    inside = LOWEST_INSIDE.get(parts[0], ())
    return LAYERS.index(parts[0]), inside.index(parts[1]) if len(parts) > 1 and parts[1] in inside else len(inside)


def test_imports_flow_one_way() -> None:
    upwards = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in SOURCES
        if (here := path.relative_to(PACKAGE).with_suffix("").parts)[0] not in ("__init__", "__main__")
        for name in imports(path)
        if name.startswith("arena.") and floor(name.split(".")[1:]) > floor(here)
    ]
    assert upwards == []


MADE_OF_EACH_OTHER = {
    ("tournament/formats/format.py", "tournament/formats/schedule.py"),
    ("tournament/formats/format.py", "tournament/formats/plan.py"),
}
"""A plan is made of a format, and the methods of a format are given one: for the types alone."""


@pytest.mark.parametrize(
    "package", sorted({path.parent for path in SOURCES}), ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_modules_of_a_package_import_each_other_one_way(package: Path) -> None:
    """Also where an import stands in a function, or is for types."""
    places = {
        f"arena.{path.relative_to(PACKAGE).with_suffix('').as_posix().replace('/', '.')}": path for path in package.glob("*.py")
    }
    graph: dict[Path, set[Path]] = {}
    for path in places.values():
        found = {places[name] for name in imports(path) if name in places} - {path}
        pairs = {(one, *(place.relative_to(PACKAGE).as_posix() for place in (path, one))) for one in found}
        graph[path] = {one for one, *names in pairs if tuple(names) not in MADE_OF_EACH_OTHER}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("library", ONE_DOOR)
def test_a_library_has_one_door(library: str) -> None:
    users = [path for path in SOURCES if any(name.split(".")[0] == library for name in imports(path))]
    assert {str(path.relative_to(PACKAGE)) for path in users} - set(BEHIND_A_DOOR) - BESIDE_A_DOOR == {ONE_DOOR[library]}


def test_a_card_is_known_in_its_folder_alone() -> None:
    """What opens it (arena/learning/device.py) imports it where a card is asked for."""
    users = {str(path.relative_to(PACKAGE)) for path in SOURCES if any(name.split(".")[0] == "cuda" for name in imports(path))}
    assert users <= CARDS
    openers = [path for path in SOURCES if "arena.engine.cuda.card" in imports(path)]
    assert [str(path.relative_to(PACKAGE)) for path in openers] == ["learning/device.py"]


@pytest.mark.parametrize("file", BEHIND_A_DOOR)
def test_what_is_behind_a_door_is_reached_through_it_alone(file: str) -> None:
    module = f"arena.{file.removesuffix('.py').replace('/', '.')}"
    users = [str(path.relative_to(PACKAGE)) for path in SOURCES if any(name.startswith(module) for name in imports(path))]
    assert sorted(users) == sorted(BEHIND_A_DOOR[file])


TABLES = ("table", "columns", "board", "tables", "model_use", "insights", "evidence")
ON_PAGES, IN_TERMINALS = (
    ("document", "plots", "sections", "matches", "report"),
    ("terminal", "printed", "closer_looks", "checks"),
)


@pytest.mark.parametrize(
    ("modules", "others"), [(TABLES, ON_PAGES + IN_TERMINALS), (ON_PAGES, IN_TERMINALS), (IN_TERMINALS, ON_PAGES)]
)
def test_tables_know_no_writer_and_writers_not_each_other(modules: tuple[str, ...], others: tuple[str, ...]) -> None:
    """A table of results is defined once; pages and the terminal share it and nothing else."""
    for module in modules:
        found = {name.removeprefix("arena.reports.") for name in imports(PACKAGE / "reports" / f"{module}.py")}
        assert not found & set(others), f"{module} imports {found & set(others)}"


@pytest.mark.parametrize(
    ("library", "folder"),
    [
        ("pyspiel", "openspiel"),
        ("open_spiel", "openspiel"),
        ("pettingzoo", "pettingzoo"),
        ("openenv", "openenv"),
        ("verifiers", "verifiers"),
    ],
)
def test_a_learning_library_is_known_in_its_folder_alone(library: str, folder: str) -> None:
    """The benchmarks import them, too: they measure them."""
    benchmarks = {("cli", "bench"), ("cli", "measuring")}
    users = [path.relative_to(PACKAGE) for path in SOURCES if any(name.split(".")[0] == library for name in imports(path))]
    assert {user.parts[:2] for user in users if user.parts[:2] not in benchmarks} <= {("learning", folder)}


SANDBOX = "arena.match.sandbox"


def test_the_sandbox_has_one_door() -> None:
    inside = PACKAGE / "match" / "sandbox"
    for path in SOURCES:
        if inside not in path.parents:
            deeper = [name for name in imports(path) if name.startswith(f"{SANDBOX}.")]
            assert not deeper, f"{path.name} goes round the door of the sandbox: {deeper}"


def test_only_the_sandbox_speaks_to_the_kernel_by_number() -> None:
    users = {str(path.relative_to(PACKAGE)) for path in SOURCES if "ctypes" in set(imports(path))}
    attacks = {
        f"cli/measuring/channel_bots/{name}.py" for name in ("pages", "futex", "lines", "processor")
    }  # bots, which run locked in
    sandbox = {f"match/sandbox/{name}.py" for name in ("kernel", "namespaces", "own_memory")}
    assert users == {"tournament/workers/processes.py", *sandbox, *attacks}


def test_only_one_module_sets_modes_links_and_locks() -> None:
    """It knows what to do where a file system refuses them."""
    asked = {"chmod", "fchmod", "link", "hardlink_to", "flock", "lockf"}
    for path in naming(asked):
        found = {node.func.attr for node in nodes(path) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
        assert path == PACKAGE / "disk.py" or not found & asked, f"{path.name} goes round disk.py: {found & asked}"


def test_only_the_site_knows_how_pages_are_served() -> None:
    """Who lacks the extra `web` has every other command."""
    served = {"starlette", "uvicorn", "websockets", "h11"}
    others = {
        PACKAGE / "server" / "joining" / "client.py": {"websockets"},  # the other end of a socket: no part of the server
        PACKAGE / "learning" / "openenv" / "__main__.py": {"uvicorn"},  # OpenEnv's own server
    }
    for path in SOURCES:
        if PACKAGE / "server" not in path.parents or path in others:
            used = served & {name.split(".")[0] for name in imports(path)}
            assert used == others.get(path, set()), path.name


WITHOUT_EXTRAS = """
import importlib, pkgutil, sys
import arena.cli.bench, arena.cli.verbs
sys.modules.update(dict.fromkeys(sys.argv[1:]))  # whoever imports one of them is told that it is not there
for package in (arena.cli.bench, arena.cli.verbs):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
"""
EXTRAS = ("starlette", "uvicorn", "websockets", "gymnasium", "pettingzoo", "PIL", "playwright", "pyspiel", "mcp", "cuda")


def test_every_verb_is_loaded_without_an_extra() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS, *EXTRAS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_modules_of_the_sandbox_are_short() -> None:
    assert all(len(path.read_text().splitlines()) < 400 for path in (PACKAGE / "match" / "sandbox").glob("*.py"))


@pytest.mark.parametrize("rules", sorted((PACKAGE / "games").glob("*/rules.py")), ids=lambda rules: rules.parent.name)
def test_games_are_a_pure_island(rules: Path) -> None:
    game = rules.parent
    for path in game.rglob("*.py"):
        for name in imports(path):
            assert name.split(".")[0] not in NOT_IN_GAMES, f"{path.name} imports {name}"
            if name.startswith("arena.games."):
                assert name.split(".")[2] == game.name, f"{path.name} imports another game: {name}"


def test_every_room_has_the_same_files() -> None:
    modules = {f"{name}.py" for name in ("knowledge", "reading", "rollout", "rules", "state", "text", "view")}
    for game in sorted((PACKAGE / "games").iterdir()):
        if game.is_dir() and game.name != "__pycache__":
            missing = {"RULES.md", "vectors.jsonl", "playthrough.txt"} | modules
            missing -= {path.name for path in game.iterdir()}
            assert not missing, f"{game.name} lacks {missing}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "games").glob("*/state.py")), ids=lambda path: path.parent.name)
def test_options_and_sizes_of_a_room_stand_in_its_state(path: Path) -> None:
    assigned = {
        name.id
        for node in ast.parse(path.read_text()).body
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    assert {"MAX_ACTIONS", "OPTIONS", "SEATS", "STATE"} <= assigned


def test_only_what_is_listed_by_name_is_imported_by_name() -> None:
    allowed = {
        "engine/jit.py",
        "games/__init__.py",
        "tournament/formats/format.py",
        "ratings/beliefs.py",
        "search/methods/__init__.py",
        "__init__.py",
        "notebooks.py",
        "cli/main.py",
    }
    for path in SOURCES:
        if "import_module" in path.read_text():
            assert str(path.relative_to(PACKAGE)) in allowed


def test_only_one_module_says_how_a_match_is_seeded() -> None:
    names = {"deal", "bot", "fallback", "table"}
    for path in naming({"derive"}):
        for node in nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("derive"):
                found = {part.value for part in node.args if isinstance(part, ast.Constant)} & names
                assert not found or path == PACKAGE / "match" / "seeds.py", f"{path.name} derives {found}"


def test_test_files_have_names_of_their_own() -> None:
    """The folders of tests are no packages, so pytest knows a file by its name alone."""
    names = [path.name for path in TESTS.rglob("test_*.py")]
    assert {name for name in names if names.count(name) > 1} == set()


def test_tests_share_helpers_and_nothing_else() -> None:
    for path in TESTS.rglob("test_*.py"):
        others = re.findall(r"^\s*(?:from|import) ((?:test_|conftest)\w*)", path.read_text(), re.MULTILINE)
        assert not others, f"{path.name} imports another test: {others}; what is shared lies in tests/helpers"


def test_what_one_command_of_the_tests_leaves_out_the_other_runs() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    options = shlex.split(settings["addopts"])
    assert options[options.index("-m") + 1] == "not slow"
    for path in (ROOT / "CONTRIBUTING.md", ROOT / ".ci" / "run"):
        assert ".venv/bin/pytest -m slow" in path.read_text(), path.name


def test_tests_mirror_the_package() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    folders = {path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}
    assert folders - {"lab"} <= packages, f"no package of that name: {sorted(folders - packages)}"


def test_one_module_chooses_the_seat_of_a_bot() -> None:
    """Beside it only what measures or questions one kind of seat makes one."""
    kinds = {f"{SANDBOX}.{name}" for name in ("LockedSeat", "CommandSeat", "OpenCommandSeat")}
    allowed = {"match/choose.py", "match/probe.py", "cli/bench/seats.py", "cli/measuring/commands.py"}
    for path in naming(kind.rpartition(".")[2] for kind in kinds):
        if PACKAGE / "match" / "sandbox" not in path.parents:
            named = {
                f"{node.module}.{alias.name}"
                for node in nodes(path)
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            assert not named & kinds or str(path.relative_to(PACKAGE)) in allowed, path.name


GAMES = sorted(path.parent.name for path in (PACKAGE / "games").glob("*/rules.py"))
NAMES_A_ROOM = {
    "agent/loading.py": "an example in a message",
    "agent/starter.py": "examples in the files that it writes",
    "cli/measuring/backends.py": "a game to measure backends with",
    "cli/measuring/channel_bots/rival.py": "a game with a table to look cards up in",
    "cli/measuring/channel_bots/watcher.py": "the same game",
    "cli/bench/channels.py": "the same game",
    "cli/bench/match.py": "the options that make matches of each game short or long",
    "cli/measuring/scale.py": "a game to measure tournaments with",
    "cli/verbs/tournament.py": "examples of what to try after the demo",
    "shipped.py": "examples in the README that it writes",
}
"""Modules outside the games that may name one, and why."""


def names_in_code(path: Path) -> Iterator[str]:
    """Identifiers, imported modules and strings of a file; not its docstrings and comments."""
    found = nodes(path)
    documentation = {node.value for node in found if isinstance(node, ast.Expr)}
    for node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
    yield from imports(path)


def test_a_game_is_one_folder() -> None:
    """No module names a game but the game's own."""
    named = re.compile(rf"(?<![a-z])({'|'.join(GAMES)})(?![a-z])", re.IGNORECASE)
    own = [PACKAGE / "games" / game for game in GAMES]
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in naming({f"(?i:{game})" for game in GAMES})
        if not any(path.is_relative_to(place) for place in own) and any(map(named.search, names_in_code(path)))
    }
    assert found == set(NAMES_A_ROOM)


def test_a_search_method_is_a_file_and_a_line() -> None:
    """Only the table of methods names one; the default of the settings apart."""
    methods = {"ismcts", "pimc", "flat"}
    for path in sorted((PACKAGE / "search").rglob("*.py")):
        texts = {node.value for node in nodes(path) if isinstance(node, ast.Constant)}
        allowed = {"methods/__init__.py": methods, "settings.py": {"ismcts"}}
        named = allowed.get(str(path.relative_to(PACKAGE / "search")), set())
        assert texts & methods == named, f"{path.name} names a method"


def test_nobody_outside_asks_which_format_a_tournament_has() -> None:
    """A format says itself what others need to know; then a new one is one file."""
    from arena.tournament.formats.format import formats

    kinds = {kind.__name__ for kind in formats().values()}
    for path in naming(kinds):
        if PACKAGE / "tournament" / "formats" not in path.parents:
            for node in nodes(path):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
                    asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
                    assert not asked & kinds, f"{path.name} asks for {asked & kinds}"


def test_configs_name_no_format() -> None:
    from arena.tournament.formats.format import formats

    source = ast.parse((PACKAGE / "tournament" / "config.py").read_text())
    texts = {node.value for node in ast.walk(source) if isinstance(node, ast.Constant)}
    assert not (texts - {"compare"}) & formats().keys()  # "compare" is also the verb that plays a chain
