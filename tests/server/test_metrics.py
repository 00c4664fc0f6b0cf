"""The metrics for Prometheus: what they count, that their format is right, and that they name nobody."""

import re
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.cli.main import main
from arena.records import Ending
from arena.results.inbox import Inbox, State
from arena.server.app import application
from arena.server.contest.messages import LadderState
from arena.server.metrics.exposition import COUNTER, HISTOGRAM, Sample, family, single, text_of
from arena.server.metrics.page import MetricsPage
from arena.server.metrics.requests import BUCKETS, Counted, RequestCounts
from arena.server.running_contest.running import RunningContest
from arena.tournament.workers.ray.watchdog import descendants
from helpers.contests import write_contest
from helpers.paths import PACKAGE
from helpers.processes import survivors
from helpers.records import make_record, make_seat, numbered
from helpers.results import HOSTILE, write_results
from helpers.server import HOST, TOKEN, Played
from helpers.tournaments import arena, ended

IDLE = (sys.executable, "-c", "import sys; sys.stdin.read()")
NAME = r"[a-z_:][a-z0-9_:]*"
LABELS = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
LINE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\+Inf|-?[0-9.e+-]+)")
Numbers = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(text: str) -> Numbers:
    """All samples of a text in the format 0.0.4, which is checked strictly: names, types, order, no sample twice."""
    assert text.endswith("\n")
    found: Numbers = {}
    kinds: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            assert name not in kinds and name.startswith("arena_"), "each family once, and all of it together"
            match = re.fullmatch(rf"# TYPE {re.escape(name)} (counter|gauge|histogram)", next(lines))
            assert match is not None
            kinds[name] = match[1]
            assert (match[1] == COUNTER) == name.endswith("_total")
            continue
        sample = LINE.fullmatch(line)
        assert sample is not None, line
        base = re.sub("_(bucket|sum|count)$", "", sample[1]) if kinds[name] == HISTOGRAM else sample[1]
        assert base == name, line
        labels = sample[2] or ""
        pairs = LABELS.findall(labels)
        assert "".join(f'{key}="{value}",' for key, value in pairs).rstrip(",") == labels
        key = sample[1], frozenset(pairs)
        assert key not in found, line
        found[key] = float(sample[3])
    return found


def of(found: Numbers, name: str, **labels: str) -> float:
    return found[f"arena_{name}", frozenset(labels.items())]


class Watched:
    """A server with its metrics; each look at them is a new one."""

    def __init__(self, app: Starlette, counts: RequestCounts, client: TestClient) -> None:
        self.app, self.counts, self.client = app, counts, client

    def metrics(self) -> Numbers:
        page = TestClient(MetricsPage(self.app.state.server, self.counts))
        page.portal = self.client.portal
        answer = page.get("/metrics")
        assert answer.status_code == 200 and answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return parsed(answer.text)


@contextmanager
def watched(results: Path, contest: RunningContest | None = None) -> Iterator[Watched]:
    counts = RequestCounts()
    app = application(results, token=TOKEN, counts=counts, contest=contest)
    headers = {"authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=HOST, headers=headers, raise_server_exceptions=False, follow_redirects=False) as client:
        yield Watched(app, counts, client)


def test_it_counts_tournaments_matches_endings_and_isolations(tmp_path: Path) -> None:
    crash = make_record(seats=(make_seat("alice", 2, ending=Ending.CRASH, fault_decision=3), make_seat("bob", 1)))
    write_results(tmp_path, [make_record()] * 4 + [crash], "alice", "bob")
    played = Played(tmp_path, "running", total=100)
    played.store(*numbered([make_record()] * 7))
    with watched(tmp_path) as found:
        numbers = found.metrics()
        assert of(numbers, "tournaments", state="running") == 1 and of(numbers, "tournaments", state="unreadable") == 0
        assert of(numbers, "matches", state="waiting") == 93 and of(numbers, "matches", state="played") == 7 + 5
        assert of(numbers, "seat_endings", ending="played") == 14  # the results that were written lack this count
        assert sum(value for (name, _), value in numbers.items() if name == "arena_seats") == 10
        played.store(*numbered([crash] * 8)[7:])
        again = found.metrics()
        assert of(again, "faults") == of(numbers, "faults") + 1 == of(again, "seat_endings", ending="crash")
    played.end()


def test_what_cannot_be_read_is_counted_and_the_rest_told(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{")
    with watched(tmp_path) as found:
        numbers = found.metrics()
        assert of(numbers, "tournaments", state="unreadable") == 1 and of(numbers, "processes") >= 1
        assert of(numbers, "process_resident_memory_bytes", process="server") > 1e6


def test_requests_are_counted_by_route_and_never_by_what_was_asked_for(tmp_path: Path) -> None:
    write_results(tmp_path, [make_record()] * 3, "alice", "bob")
    with watched(tmp_path) as found:
        for path in ("/t/cup", "/t/cup", "/t/nowhere", "/api/t/cup", "/bots/alice", "/no/such/page", "/m/%00"):
            found.client.get(path)
        found.client.get("/api", headers={"authorization": "Bearer wrong"})
        found.client.request("BREW", "/")
        numbers = found.metrics()
        total = "http_requests_total"
        assert of(numbers, total, method="GET", route="/t/{name:path}", status="200") == 2
        assert of(numbers, total, method="GET", route="/t/{name:path}", status="404") == 1
        assert of(numbers, total, method="GET", route="/api/t/{name:path}", status="200") == 1
        assert of(numbers, total, method="GET", route="none", status="401") == 1
        assert of(numbers, total, method="GET", route="none", status="404") == 1
        assert of(numbers, total, method="other", route="/", status="405") == 1
        assert of(numbers, "http_request_duration_seconds_count", route="/t/{name:path}") == 3
        texts = [value for _, labels in numbers for key, value in labels if key != "version"]
        assert not [text for text in texts if any(name in text for name in ("alice", "bob", "cup", "nowhere", "\x00"))]


def test_any_number_of_addresses_makes_no_more_numbers(tmp_path: Path) -> None:
    with watched(tmp_path) as found:
        found.client.get("/bots/a")
        before = len(found.metrics())
        for number in range(50):
            found.client.get(f"/bots/{number}")
        assert len(found.metrics()) == before


def test_a_histogram_adds_up() -> None:
    times = iter([0.0, 0.005, 1.0, 1.3, 2.0, 99.0])
    counts = RequestCounts(clock=lambda: next(times))
    app = Starlette()
    client = TestClient(Counted(app, counts))
    for _ in range(3):
        client.get("/")
    found = parsed(text_of(counts.families()))
    buckets = [of(found, "http_request_duration_seconds_bucket", route="none", le=f"{end:g}") for end in BUCKETS]
    assert buckets == [1, 1, 1, 2, 2, 2] == sorted(buckets)  # an end belongs to its bucket
    assert of(found, "http_request_duration_seconds_bucket", route="none", le="+Inf") == 3
    assert of(found, "http_request_duration_seconds_count", route="none") == 3
    assert of(found, "http_request_duration_seconds_sum", route="none") == pytest.approx(0.005 + 0.3 + 97.0)


def test_open_sockets_are_counted_while_they_are_open(tmp_path: Path) -> None:
    with watched(tmp_path) as found:
        with found.client.websocket_connect(HOST.replace("http", "ws") + "/live") as socket:
            socket.send_text('{"watch": "home"}')
            socket.receive_text()
            assert of(found.metrics(), "sockets_open") == 1
        assert of(found.metrics(), "sockets_open") == 0


def test_people_s_tables_and_queues_are_counted(tmp_path: Path) -> None:
    with watched(tmp_path) as found:
        numbers = found.metrics()
        assert of(numbers, "tables", state="lobby") == of(numbers, "people_at_tables") == of(numbers, "remote_programs") == 0
        opened = found.client.post("/api/tables", json={"game": "naga", "seats": ["me", "person"], "name": "Zoe"})
        assert opened.status_code == 201
        numbers = found.metrics()
        assert of(numbers, "tables", state="lobby") == of(numbers, "people_at_tables") == 1
        assert of(numbers, "asked_matches", state="waiting") == of(numbers, "submissions", state="waiting") == 0


def test_submissions_are_counted_by_state(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    with inbox.writing() as db:
        for number, state in enumerate(("waiting", "waiting", "accepted", "refused")):
            db.execute(
                "insert into submissions (id, account, bot, file, bytes, received, state, attempts)"
                " values (?, 'a', 'fox', '', 1, '2026-11-29T00:00:00+00:00', ?, 0)",
                (str(number), state),
            )
    assert inbox.states() == {State.WAITING: 2, State.ACCEPTED: 1, State.REFUSED: 1}


def test_the_ladder_of_a_contest_is_told(tmp_path: Path) -> None:
    contest = RunningContest(write_contest(tmp_path), tmp_path / "out", command=IDLE)
    with watched(tmp_path / "out", contest) as found:
        contest.state = LadderState(doing="playing", text="3 bots", matches=240, rate=12.5)
        numbers = found.metrics()
        assert of(numbers, "contest_ladder", doing="playing") == 1 and of(numbers, "contest_ladder", doing="failed") == 0
        assert of(numbers, "contest_matches") == 240 and of(numbers, "contest_matches_per_second") == 12.5


def test_the_page_for_organisers_names_each_metric(tmp_path: Path) -> None:
    page = (PACKAGE / "docs" / "contest.md").read_text("utf-8")
    table = page.partition("## Monitoring")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\|.*", table, re.MULTILINE))
    named = {name for line in named for name in re.findall(r"`(arena_[a-z_]+)", line.split("|")[1])}
    contest = RunningContest(write_contest(tmp_path), tmp_path / "out", command=IDLE)
    with watched(tmp_path / "out", contest) as found:
        found.client.get("/api")
        told = {re.sub("(?<=seconds)_(bucket|sum|count)$", "", name) for name, _ in found.metrics()}
    assert told - {"arena_http_requests_running"} == named


def test_nothing_breaks_out_of_its_line() -> None:
    text = text_of([family("x", "gauge", "a\nb\\", [Sample(1.0, {"label": 'a"b\\c\nd'})]), single("y", "gauge", HOSTILE, 0.5)])
    assert parsed(text) == {
        ("arena_x", frozenset({("label", r"a\"b\\c\nd")})): 1.0, ("arena_y", frozenset()): 0.5,
    }  # fmt: skip


def test_it_is_one_page_that_is_only_read(tmp_path: Path) -> None:
    with watched(tmp_path) as found:
        page = TestClient(MetricsPage(found.app.state.server, found.counts))
        assert page.get("/").status_code == 404 and page.post("/metrics").status_code == 405
        assert page.head("/metrics").status_code == 200
        assert found.client.get("/metrics").status_code == 404, "not on the port of the pages"


def asked(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def test_the_command_has_a_port_for_them_that_ends_with_it(tmp_path: Path) -> None:
    process = arena("serve", tmp_path, "--port", 0, "--metrics-port", 0, "--no-browser")
    assert process.stdout is not None and process.stderr is not None
    try:
        own = re.findall(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]
        (address,) = re.findall(r"its metrics are at (http://127\.0\.0\.1:\d+/metrics)", process.stderr.readline())
        with pytest.raises(urllib.error.HTTPError, match="401"):
            asked(f"{own}/api")
        numbers = parsed(asked(address))
        assert of(numbers, "http_requests_total", method="GET", route="none", status="401") == 1
        started = {process.pid, *descendants({process.pid})}
        process.send_signal(signal.SIGINT)
        code, _, err = ended(process)
        assert code == 0 and "Traceback" not in err and survivors(started) == set()
        assert list(tmp_path.iterdir()) == []
    finally:
        process.kill()


def test_a_port_that_is_none_is_told_by_its_own_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(tmp_path), "--port", "0", "--metrics-port", "70000", "--no-browser"]) == 2
    assert "--metrics-port 70000: a port is a number from 0 to 65535" in capsys.readouterr().err
