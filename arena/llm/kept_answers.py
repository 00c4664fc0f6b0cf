"""Answers of language models that are kept: a run that was stopped asks nothing twice, and a stored run is played again without
asking. One file for each question, called by its hash: JSON, compressed by zlib.
"""

import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.agent.model_bot import ModelSettings
from arena.disk import write_whole
from arena.errors import StoreError
from arena.llm.calls import Reply
from arena.names import in_words
from arena.records import canonical_json
from arena.userfiles import content

FOLDER = "llm_answers"
"""The folder of a tournament with its kept answers."""
MOST_BYTES = 32 << 20  # of a file, and of what is in it

Message = dict[str, str]


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A kept answer."""

    reply: Reply
    messages: list[Message] = []
    """What was asked, where transcripts are kept; else empty."""


class AnswerFolder(msgspec.Struct, frozen=True, kw_only=True):
    """The folder in which answers are kept, and how. It travels to the workers with the job."""

    folder: str
    is_offline: bool = False
    """Whether nothing is asked: all answers must be there."""
    keeps_prompts: bool = False
    """Whether what was asked is kept, too."""

    def find(self, key: str) -> Kept | None:
        """The kept answer to a question; None: there is none. Raises StoreError for a damaged file."""
        path = self._path(key)
        try:
            data = content(path, MOST_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        try:
            return msgspec.json.decode(zlib.decompressobj().decompress(data, MOST_BYTES), type=Kept)
        except (msgspec.DecodeError, UnicodeError, RecursionError, zlib.error) as error:
            raise StoreError(f"{path}: damaged: {in_words(error)}; remove it, and the model is asked again") from None

    def keep(self, key: str, reply: Reply, messages: Sequence[Message]) -> None:
        """Keep an answer. Raises StoreError."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path.parent}: cannot be written: {error.strerror}") from None
        kept = Kept(reply=reply, messages=list(messages) if self.keeps_prompts else [])
        write_whole(path, zlib.compress(msgspec.json.encode(kept)))

    def _path(self, key: str) -> Path:
        return Path(self.folder) / key[:2] / f"{key}.json.z"


def prompt_hash(messages: Sequence[Message]) -> str:
    """The SHA-256 of what a model is asked, as hex digits."""
    return hashlib.sha256(canonical_json(messages).encode()).hexdigest()


def question_key(prompt: str, settings: ModelSettings, *, seed: int, decision: int, attempt: int) -> str:
    """What a kept answer is called: a hash of all that it depends on.

    `prompt`: the hash of the prompt; `seed`: the bot's own of the match, so that another match asks anew.
    """
    asked = [prompt, settings.base_url, settings.model, settings.temperature, settings.max_tokens, settings.effort]
    return hashlib.sha256(canonical_json([*asked, f"{seed:x}", decision, attempt]).encode()).hexdigest()
