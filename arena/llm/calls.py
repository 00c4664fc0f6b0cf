"""What goes to the process that asks a language model, and what comes back from it (asking.py)."""

import os

import msgspec

TRANSPORT, RATE_LIMIT, KEY, SERVER, REFUSED = "transport", "rate limit", "key", "server", "refused"
"""The kinds of trouble of the host: no connection or a broken one; too many calls; a missing or wrong key; an error of the
server; a request that it does not take."""
LASTING = (KEY, REFUSED)
"""The kinds of trouble that do not pass by themselves."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked."""

    base_url: str
    model: str
    key_env: str
    messages: list[dict[str, str]]
    temperature: float | None
    max_tokens: int
    effort: str | None
    seconds: float
    """Wall seconds that are left for it."""


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag="reply"):
    """What a model answered."""

    text: str
    finish_reason: str
    """Why the answer ended, as the server says it: `stop`, `length`, ..."""
    model: str
    """The model as it named itself."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """How many of the prompt's tokens the server had kept from before."""
    completion_tokens: int = 0
    """How many tokens the answer has, those of thoughts included."""
    reasoning_tokens: int = 0
    first_token_s: float = 0.0
    """Wall seconds until the answer began."""
    total_s: float = 0.0
    """Wall seconds until it was whole."""


class HostFailure(msgspec.Struct, frozen=True, kw_only=True, tag="failure"):
    """Why there is no answer: a trouble of the host, never of the model."""

    kind: str
    """One of TRANSPORT, RATE_LIMIT, KEY, SERVER, REFUSED."""
    reason: str


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """Whether the answer has begun: what comes late then is the model's, not the network's."""

    is_so: bool = True
    """False: it had begun and broke off, and the model is asked again."""


Said = Reply | HostFailure | Begun


def key_problem(variable: str) -> str:
    """What is wrong with the key in an environment variable, in words that do not have it; empty: nothing."""
    key = os.environ.get(variable)
    if not key:
        return f"the environment variable {variable} is not set"
    if key.isascii() and key.isprintable():
        return ""
    return f"the environment variable {variable} has a line break or a letter that is not ASCII: no key has any"
