"""`arena train GAME`: let a game's searches learn from self-play."""

import shutil
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.options import FormatOption, GameName, Workers
from arena.cli.shared.printing import Format, error_console, news_on, note, show
from arena.cli.shared.watching import watched
from arena.engine.game import Game
from arena.engine.net import KINDS
from arena.engine.net_files import FILE, NOTE, Note
from arena.engine.readiness import CHANCE, ENCODING
from arena.errors import ConfigError, nearest
from arena.games import LUCK, load
from arena.learning.tables import EPISODES, REWARDS
from arena.learning.training.generations import AMONG, OF_POLICY, SEARCH, SHORT, Plan, Trained, share_text
from arena.learning.training.generations import train as train_game
from arena.learning.training.installing import install as install_nets
from arena.learning.training.policy.acceptance import PLAYED
from arena.learning.training.policy.training import GATE_DEALS, TrainedPolicy, train_policy
from arena.learning.training.policy.training import Plan as PolicyPlan
from arena.learning.training.win_features import ROWS, fit_value, write_value
from arena.reports.table import Column, Table
from arena.reports.terminal import Page
from arena.search import Settings
from arena.tournament.workers.compiling import warm_games
from arena.tournament.workers.processes import available_cpus

TRAINING = Path("training")

OF_GENERATIONS = (
    "generations",
    "hours",
    "positions",
    "rounds",
    "iterations",
    "networks",
    "passes",
    "cut",
    "pace",
    "gate-iterations",
)
OF_POLICIES = ("seats", "reward", "episode", "gae_lambda")
"""Options that go with one method alone."""


class Method(StrEnum):
    """What learns."""

    GENERATIONS = "generations"
    POLICY = "policy"


def train(
    context: typer.Context,
    game: GameName,
    generations: Annotated[
        int, typer.Option("--generations", metavar="N", min=1, help="How many; the first learns from rollout play alone.")
    ] = Plan().generations,
    hours: Annotated[
        float | None, typer.Option("--hours", metavar="H", min=0.0, help="Begin no generation after so many hours.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of all play and of the networks.")] = 1,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Folder of the training. Default: training/GAME.")
    ] = None,
    positions: Annotated[
        int | None,
        typer.Option("--positions", metavar="N", min=1000, help=f"Positions of rollout play. Default: {Plan().positions:,}."),
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=20, help="Rounds between searches, in each later generation.")
    ] = Plan().rounds,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            metavar="N",
            min=1,
            help="Deals, at most, of each test against searches without it. Default: "
            f"{Plan().deals}; {GATE_DEALS['match']} where they are matches.",
        ),
    ] = None,
    iterations: Annotated[
        int, typer.Option("--iterations", metavar="N", min=1, help="Iterations of the searches in those rounds.")
    ] = Plan().iterations,
    strangers: Annotated[
        float | None,
        typer.Option(
            "--strangers",
            metavar="X",
            min=0.0,
            max=1.0,
            help="Share of seats in those rounds that play otherwise: pimc, and weaker searches. With the method policy: share "
            f"of tables with others. Default: {Plan().strangers:g}; {PolicyPlan(seats=()).strangers:g} there.",
        ),
    ] = None,
    networks: Annotated[
        str, typer.Option("--networks", metavar="KINDS", help="Which networks to learn, with commas between them.")
    ] = ",".join(KINDS),
    passes: Annotated[
        int,
        typer.Option(
            "--passes",
            metavar="N",
            min=1,
            help="How often to go through the positions for a belief; a value: a quarter of that.",
        ),
    ] = Plan().passes,
    decisions: Annotated[
        int | None,
        typer.Option(
            "--decisions",
            metavar="N",
            min=0,
            help="Decisions of its own play that a policy learns from; 0: from searches. Default: "
            f"{Plan().decisions}; {PolicyPlan(seats=()).decisions:,} with the method policy.",
        ),
    ] = None,
    cut: Annotated[
        int, typer.Option("--cut", metavar="N", min=1, help="Decisions of a rollout before the value network judges it.")
    ] = Plan().cut,
    pace: Annotated[
        float,
        typer.Option("--pace", metavar="X", min=0.01, max=100.0, help="In tests, iterations with networks for each without."),
    ] = Plan().pace,
    gate_iterations: Annotated[
        int, typer.Option("--gate-iterations", metavar="N", min=1, help="Iterations of the search without networks in tests.")
    ] = Plan().gate_iterations,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="What learns: generations of networks for searches, or a policy alone, by policy gradients from its own play.",
        ),
    ] = Method.GENERATIONS,
    seats: Annotated[
        str | None,
        typer.Option(
            "--seats", metavar="N,N", help="With the method policy: at which numbers of seats. Default: the fewest of the game."
        ),
    ] = None,
    reward: Annotated[
        str | None,
        typer.Option(
            "--reward",
            metavar="KIND",
            help=f"With the method policy: what it strives for, score or places. Default: {PolicyPlan(seats=()).reward}.",
        ),
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(
            "--episode",
            metavar="KIND",
            help=f"With the method policy: what it plays, round, match, each_round. Default: {PolicyPlan(seats=()).episode}.",
        ),
    ] = None,
    gae_lambda: Annotated[
        float | None,
        typer.Option(
            "--gae-lambda",
            metavar="X",
            min=0.0,
            max=1.0,
            help="With the method policy: the lambda of generalized advantage estimation, the share of what later decisions "
            f"brought that counts for a decision. Default: {PolicyPlan(seats=()).gae_lambda:g}.",
        ),
    ] = None,
    luck: Annotated[
        bool, typer.Option("--luck", help="Fit the network by which the luck of matches is worked out instead.")
    ] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Put the networks into the game's folder, so that its searches find them.")
    ] = False,
    format: FormatOption = Format.TABLE,
) -> int:
    """Let a game's searches learn from self-play.

    The same seed gives the same networks, and the same command resumes. A generation counts only if searches with it are surely
    better than without it, on new deals. A policy counts unless it is surely worse than a short search.
    """
    loaded = load(game)
    if luck:
        return _train_luck(loaded, positions or ROWS, seed, out or TRAINING / f"{game}-luck", install, format)
    folder = out or TRAINING / (game if method is Method.GENERATIONS else f"{game}-{method}")
    if method is Method.POLICY:
        _refuse(context, OF_GENERATIONS, "goes with the method generations, not with policy")
        if decisions == 0:
            raise ConfigError("--decisions: with the method policy at least 1: it learns from nothing else")
        usual = PolicyPlan(seats=(), episode=_one_of("--episode", episode or PolicyPlan(seats=()).episode, EPISODES))
        policy_plan = PolicyPlan(
            seats=_seats(seats, loaded), deals=deals or GATE_DEALS[usual.tested], episode=usual.episode,
            reward=_one_of("--reward", reward or usual.reward, REWARDS), decisions=decisions or usual.decisions,
            strangers=usual.strangers if strangers is None else strangers,
            gae_lambda=usual.gae_lambda if gae_lambda is None else gae_lambda,
        )  # fmt: skip
        return _train_policy(game, policy_plan, seed, workers or available_cpus(), folder, install, format)
    _refuse(context, OF_POLICIES, "goes with --method policy")
    console = error_console()
    warm_games({game: (ENCODING, Settings(iterations=1).method)}, news_on(console))
    plan = Plan(
        generations=generations, positions=positions or Plan().positions, rounds=rounds, iterations=iterations,
        deals=deals or Plan().deals, cut=cut, pace=pace, gate_iterations=gate_iterations,
        networks=_kinds(networks), passes=passes, decisions=Plan().decisions if decisions is None else decisions,
        strangers=Plan().strangers if strangers is None else strangers,
    )  # fmt: skip
    command = f"arena train {game} {_sizes(plan)} --seed {seed}"
    try:
        with watched(console) as watcher:
            trained = train_game(
                game, folder, plan, seed=seed, workers=workers or available_cpus(), hours=hours, command=command,
                watcher=watcher,
            )  # fmt: skip
    except KeyboardInterrupt:
        note(f"stopped; whole generations are kept in {folder}. The same command goes on after the last one.")
        return INTERRUPTED
    is_installed = install and bool(trained.nets.nets)
    if is_installed:
        install_nets(loaded.folder, trained.nets, trained.note)
    show(
        format, lambda page: _write(page, trained, is_installed), trained.note, [_row(one) for one in trained.note.generations]
    )
    return DONE


def _kinds(text: str) -> tuple[str, ...]:
    """The kinds of networks that are named. Raises ConfigError for others."""
    asked = [word.strip() for word in text.split(",")]
    for word in asked:
        if word not in KINDS:
            raise ConfigError(f"--networks: no {word!r}; {nearest(word, KINDS)}")
    return tuple(kind for kind in KINDS if kind in asked)


def _sizes(plan: Plan) -> str:
    """The options that give this plan; the first four always, the others where they are not the usual ones."""
    usual = msgspec.to_builtins(Plan())
    found = []
    for name, value in msgspec.to_builtins(plan).items():
        if name in ("generations", "positions", "rounds", "deals") or value != usual[name]:
            text = ",".join(value) if isinstance(value, (list, tuple)) else f"{value:g}" if isinstance(value, float) else value
            found.append(f"--{name.replace('_', '-')} {text}")
    return " ".join(found)


def _refuse(context: typer.Context, names: tuple[str, ...], why: str) -> None:
    """Raise ConfigError if one of these options was given."""
    for name in names:
        source = context.get_parameter_source(name.replace("-", "_"))
        if source is not None and source.name != "DEFAULT":
            raise ConfigError(f"--{name} {why}")


def _seats(text: str | None, game: Game) -> tuple[int, ...]:
    """The numbers of seats that are named. Raises ConfigError for what is none of the game's."""
    if text is None:
        return (game.seats[0],)
    found = set()
    for word in text.split(","):
        if not word.strip().isascii() or not word.strip().isdigit():
            raise ConfigError(f"--seats: {word!r} is no number of seats; give one, or some with commas, such as 2,3")
        game.check_seats(int(word))
        found.add(int(word))
    return tuple(sorted(found))


def _one_of(option: str, word: str, known: Iterable[str]) -> str:
    if word not in known:
        raise ConfigError(f"{option}: no {word!r}; {nearest(word, known)}")
    return word


def _train_policy(game: str, plan: PolicyPlan, seed: int, threads: int, folder: Path, install: bool, format: Format) -> int:
    """Train a policy by policy gradients, and put it into a folder."""
    command = f"arena train {game} --method policy {_policy_sizes(plan)} --seed {seed}"
    console = error_console()
    warm_games({game: (ENCODING, Settings(iterations=1).method)}, news_on(console))
    try:
        with watched(console) as watcher:
            trained = train_policy(game, folder, plan, seed=seed, threads=threads, command=command, watcher=watcher)
    except KeyboardInterrupt:
        note(f"stopped; the last checkpoint is kept in {folder}. The same command goes on from there.")
        return INTERRUPTED
    if install and trained.nets.nets:
        install_nets(load(game).folder, trained.nets, trained.note)
    found = trained.note.generations[0]
    show(format, lambda page: _write_policy(page, trained, install), trained.note, found["gates"])
    return DONE


def _policy_sizes(plan: PolicyPlan) -> str:
    """The options that give this plan; the first two always, the others where they are not the usual ones."""
    usual = PolicyPlan(seats=(), deals=GATE_DEALS[plan.tested])
    found = [f"--seats {','.join(map(str, plan.seats))}", f"--decisions {plan.decisions}"]
    for name in ("strangers", "episode", "reward", "gae_lambda", "deals"):
        if (value := getattr(plan, name)) != getattr(usual, name):
            found.append(f"--{name.replace('_', '-')} {value:g}" if isinstance(value, float) else f"--{name} {value}")
    return " ".join(found)


def _write_policy(page: Page, trained: TrainedPolicy, is_installed: bool) -> None:
    found = trained.note.generations[0]
    played = PLAYED[found["gates"][0]["episode"]]
    columns = [Column("seats", "d"), Column(f"over {SHORT} iterations {played}"), Column("among strangers"), Column("kept")]
    told = {(gate["seats"], gate["of"]): f"{share_text(gate)}, {gate['deals']:,} deals" for gate in found["gates"]}
    rows = [
        [seats, told[seats, OF_POLICY], told[seats, AMONG], "yes" if seats in trained.nets.seats else "no"]
        for seats in sorted({seats for seats, _ in told})
    ]
    page.table(Table(columns, rows))
    page.say("")
    page.line(f"written to {trained.folder}; sha256 {trained.note.sha256[:16]}")
    if not trained.nets.nets:
        page.say("The policy was kept at no number of seats.")
    elif is_installed:
        seats = ", ".join(map(str, sorted(trained.nets.seats)))
        page.say(f"Installed: with {seats} seats, what asks for a policy of {trained.note.game} is told this one.")


def _train_luck(game: Game, rows: int, seed: int, out: Path, install: bool, format: Format) -> int:
    """Fit the network for luck of a game, and put it into a folder."""
    say = news_on(error_console())
    warm_games({game.name: (CHANCE,)}, say)
    command = f"arena train {game.name} --luck --positions {rows} --seed {seed}"
    note = write_value(game, out, fit_value(game, rows, seed, say), command=command, seed=seed)
    if install:
        for name in (FILE, NOTE):
            (game.folder / LUCK).mkdir(exist_ok=True)
            shutil.copyfile(out / name, game.folder / LUCK / name)
    show(format, lambda page: _write_luck(page, note, out), note, [{"game": game.name, **note.generations[0]["losses"]}])
    return DONE


def _write_luck(page: Page, note: Note, folder: Path) -> None:
    found = note.generations[0]
    losses = found["losses"]
    page.say(
        f"{found['rows']:,} rows; on matches that it has not seen: log loss {losses['value']:.3f}, calibration "
        f"{losses['calibration']:.3f}; of what rounds bring it explains {1.0 - losses['round'] / losses['spread']:.0%}."
    )
    page.line(f"written to {folder}; sha256 {note.sha256[:16]}")


def _row(found: dict[str, Any]) -> dict[str, Any]:
    """A generation as one flat row."""
    losses = {f"loss_{name}": value for name, value in found["losses"].items()}
    told = [(_gate(found, of), name) for of, name in ((SEARCH, "gate"), (AMONG, "strangers"), (OF_POLICY, "policy"))]
    gates = {f"{name}_{key}": value for gate, name in told if gate for key, value in gate.items() if key != "of"}
    return {
        "generation": found["generation"],
        "positions": found["positions"],
        **losses,
        **gates,
        "accepted": found["accepted"],
    }


def _write(page: Page, trained: Trained, is_installed: bool) -> None:
    found = trained.note.generations
    losses = ("value", "rule", "belief")
    columns = [
        Column("generation", "d"), Column("positions", ","), *(Column(name, ".3f", empty="") for name in losses),
        Column("over the search without"), Column("among strangers"), Column(f"policy over {SHORT} iterations"),
        Column("accepted"),
    ]  # fmt: skip
    rows = [
        [
            one["generation"], one["positions"], *(one["losses"].get(name) for name in losses),
            *(_told(one, of) for of in (SEARCH, AMONG, OF_POLICY)), "yes" if one["accepted"] else "no",
        ]
        for one in found
    ]  # fmt: skip
    page.table(Table(columns, rows))
    page.say("")
    page.line(f"written to {trained.folder}; sha256 {trained.note.sha256[:16]}")
    if not trained.is_better:
        page.say("No generation was accepted.")
    if is_installed:
        page.say(f"Installed: searches of {trained.note.game} that ask for networks use these.")


def _gate(found: dict[str, Any], of: str) -> dict[str, Any] | None:
    """The first gate of searches or of a policy; older notes have those of searches alone."""
    return next((gate for gate in found["gates"] if gate.get("of", SEARCH) == of), None)


def _told(found: dict[str, Any], of: str) -> str:
    gate = _gate(found, of)
    return f"{share_text(gate)}, {gate['deals']:,} deals" if gate else ""
