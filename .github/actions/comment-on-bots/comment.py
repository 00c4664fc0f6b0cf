"""Writes what check-bots has found into one comment on the pull request: `comment.py`, in a workflow after that of the checks.

It has a token that writes, so it runs no code of the pull request and believes nothing that its run says. Which pull request it
is follows from the event and from the API alone, never from the artifact; that is read with bounds and shown as code. What a
pull request that changes workflows has found of itself is not shown at all: its own workflow may have written it.

Reads the variables TOKEN, GITHUB_REPOSITORY, GITHUB_EVENT_PATH and GITHUB_API_URL. Exit code 0 also if there is nothing to say.
"""

import io
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "check-bots"))
from verdicts import LONGEST_FILE, markdown, read

ARTIFACT, FILE = "arena-bots", "arena-bots.json"
LONGEST_ANSWER = 4 << 20
"""Bytes of an answer of the API."""
SECONDS = 30
PAGE = 100
MOST_PAGES = 30
MARK = "<!-- arena: bots of this pull request -->"
"""The first line of the comment, by which it is found again."""
AUTHOR = "github-actions[bot]"
"""Whose comments are changed: somebody else may have written the same line."""


class LongList(Exception):
    """A list has more items than the API or we look at."""


class Repository:
    """The API of one repository."""

    def __init__(self) -> None:
        self._base = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"

    def json(self, path: str, method: str = "GET", **body: object) -> Any:
        """The answer to a request."""
        return json.loads(self.content(path, method, json.dumps(body).encode() if body else None))

    def pages(self, path: str) -> Iterator[Any]:
        """The items of all pages of a list. Raises LongList after those that are looked at."""
        for page in range(1, MOST_PAGES + 1):
            items = self.json(f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={page}")
            yield from items
            if len(items) < PAGE:
                return
        raise LongList

    def content(self, path: str, method: str = "GET", body: bytes | None = None, most: int = LONGEST_ANSWER) -> bytes:
        """The bytes of an answer. Raises ValueError for more than `most`."""
        request = urllib.request.Request(f"{self._base}{path}", body, method=method)
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_unredirected_header("Authorization", f"Bearer {os.environ['TOKEN']}")  # artifacts lie with somebody else
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            found: bytes = answer.read(most + 1)
        if len(found) > most:
            raise ValueError("the answer is too long")
        return found


def main() -> int:
    """Write the comment."""
    run = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())["workflow_run"]
    if run["event"] != "pull_request":
        return _nothing("the run was not for a pull request")
    repository = Repository()
    pull = pull_of(repository, run)
    if pull is None:
        return _nothing("no open pull request has this commit as its newest")
    known = comment_of(repository, pull)
    body = found_by(repository, run, pull)
    if body is None and known is None:
        return _nothing("no bot was added or changed, or nothing was found")
    head = f"{MARK}\n### Bots of this pull request\n\n{body or markdown([])}\n"
    whole = f"{head}<sub>Commit {run['head_sha'][:12]}, as [its own run]({run['html_url']}) says.</sub>\n"
    if known is not None:
        repository.json(f"/issues/comments/{known['id']}", "PATCH", body=whole)
    else:
        repository.json(f"/issues/{pull}/comments", "POST", body=whole)
    print(f"commented on pull request {pull}")
    return 0


def pull_of(repository: Repository, run: dict[str, Any]) -> int | None:
    """The number of the open pull request whose newest commit the run was for; None: there is none, or none any more."""
    if run["head_repository"] is None:  # the fork is gone
        return None
    head = urllib.parse.quote(f"{run['head_repository']['owner']['login']}:{run['head_branch']}", safe="")
    for pull in repository.pages(f"/pulls?state=open&head={head}"):
        place = pull["head"]
        is_same = place["repo"] is not None and place["repo"]["id"] == run["head_repository"]["id"]
        if is_same and place["sha"] == run["head_sha"] and place["ref"] == run["head_branch"]:
            return int(pull["number"])
    return None


def comment_of(repository: Repository, pull: int) -> Any:
    """Our comment on a pull request; None: there is none among those that are looked at."""
    try:
        return next((one for one in repository.pages(f"/issues/{pull}/comments") if _is_ours(one)), None)
    except LongList:
        return None


def found_by(repository: Repository, run: dict[str, Any], pull: int) -> str | None:
    """What the comment says of the bots, in Markdown; None: of no bot."""
    if _has_workflows(repository, pull):
        return "This pull request changes files in `.github`, or very many files: what its run says of its bots is not shown.\n"
    artifacts = repository.json(f"/actions/runs/{int(run['id'])}/artifacts?name={ARTIFACT}&per_page={PAGE}")["artifacts"]
    if not artifacts:
        return None
    newest = max(artifacts, key=lambda one: int(one["id"]))
    try:
        verdicts = read(_unpacked(repository.content(f"/actions/artifacts/{int(newest['id'])}/zip", most=LONGEST_FILE)))
    except (ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return "What the run says of the bots of this pull request cannot be read.\n"
    return markdown(verdicts) if verdicts else None


def _unpacked(archive: bytes) -> bytes:
    """The one file of an artifact, read no further than it may be long. Nothing is written to the disk."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed, packed.open(FILE) as file:
        return file.read(LONGEST_FILE + 1)


def _has_workflows(repository: Repository, pull: int) -> bool:
    """Return whether a pull request changes workflows, or so many files that nobody can tell."""
    try:
        files = [*repository.pages(f"/pulls/{pull}/files")]
    except LongList:
        return True
    return any(str(file.get(key) or "").startswith(".github/") for file in files for key in ("filename", "previous_filename"))


def _is_ours(comment: dict[str, Any]) -> bool:
    return (comment["user"] or {}).get("login") == AUTHOR and str(comment["body"]).startswith(MARK)


def _nothing(why: str) -> int:
    print(f"no comment: {why}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except urllib.error.HTTPError as error:
        sys.exit(f"the API answered {error.code}: the job needs the permissions actions: read and pull-requests: write")
    except (urllib.error.URLError, TimeoutError) as error:
        sys.exit(f"the API does not answer: {error}")
