"""Nobody pays for cards who asks for none: what runs code on them is imported with the first tables on one, if it is there."""

import subprocess
import sys

import pytest

OF_A_CARD = ("cuda", "numba.cuda", "numba_cuda", "arena.engine.cuda.card", "arena.engine.cuda.kernels")
PLAYED = """
import numpy as np
from arena.learning.gymnasium import ManyMatches
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables
for made in (Tables("naga", 2, device="cpu"), SelfPlay("naga", 2).tables):
    made.reset()
    made.step(np.zeros(2, np.int64))
ManyMatches("naga", 2).reset(seed=1)
"""
REFUSED = """
from arena.errors import ConfigError
from arena.learning.tables import Tables
for device in ("gpu", "cuda:first", ""):
    try:
        Tables("naga", 2, device=device)
    except ConfigError as error:
        assert str(error).startswith("device: no ")
    else:
        raise AssertionError(device)
"""


@pytest.mark.parametrize(
    "code",
    [
        "import arena",
        "from arena.cli.main import main; main(['--help'])",
        "from arena import games; games.load('naga')",
        PLAYED,
        REFUSED,
    ],
    ids=["arena", "help", "rules", "tables", "wrong device"],
)
def test_nothing_of_a_card_is_imported_unless_one_is_asked_for(code: str) -> None:
    before = "import sys; before = set(sys.modules)"  # cuda-bindings has Python import a module at each start
    told = f"print([name for name in sys.modules if name not in before and name.startswith({OF_A_CARD})])"
    done = subprocess.run([sys.executable, "-c", f"{before}\n{code}\n{told}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("missing", ["numba.cuda", "cuda", "cuda.core"])
def test_who_lacks_the_libraries_is_told_the_extra_in_a_line(missing: str) -> None:
    words = ["bench", "env", "--game", "naga", "--device", "cuda"]
    code = f"import sys; sys.modules[{missing!r}] = None; from arena.cli.main import main; sys.exit(main({words}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith("device: tables on a graphics card need numba-cuda: pip install 'arena-hall[cuda]'")
