"""`PYTHONPATH=tests python -m lab.kits`: writes what is made in the kits of `arena new --language`.

That are the types of the messages in every language, from docs/protocol.schema.json, and the transcripts.
"""

from helpers.paths import KITS
from lab.kits.kit_types import types
from lab.kits.transcripts import transcripts

if __name__ == "__main__":
    for path, text in {**types(), **transcripts()}.items():
        (KITS / path).write_text(text, "utf-8")
