"""A server with live tables, and people who come there. A file with another kind of server has its own fixture of that name."""

from collections.abc import Iterator

import pytest

from helpers.live_tables import Sitting, Visitor, sitting
from helpers.members import Members, with_members


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sitting]:
    """A server whose tables play no game."""
    with sitting(tmp_path_factory.mktemp("results")) as found:
        yield found


@pytest.fixture
def aya(server: Sitting) -> Visitor:
    """Somebody who has come in with the token."""
    return server.person()


@pytest.fixture
def ben(server: Sitting) -> Visitor:
    """Somebody who has nothing but a link."""
    return server.person(has_token=False)


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server with accounts, and clients of who was invited: see helpers/members.py."""
    with with_members(tmp_path_factory.mktemp("results")) as found:
        yield found
