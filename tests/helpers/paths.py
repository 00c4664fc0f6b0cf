"""Where the tests find things: the repository, its bots and configs, and the bots that only tests play."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
PACKAGE = ROOT / "arena"
DOCS = PACKAGE / "docs"
CONFIGS = ROOT / "configs"
HOUSE_BOTS = ROOT / "bots"
EXAMPLES = HOUSE_BOTS / "examples"
"""A bot that learns, and a language model."""
KITS = HOUSE_BOTS / "kits"
"""Command bots in several languages, which `arena new --language` copies."""
TEST_BOTS = TESTS / "bots"
"""Well-behaved bots that only tests play."""
BAD_BOTS = TESTS / "bad_bots"
"""A bot for each fault."""
