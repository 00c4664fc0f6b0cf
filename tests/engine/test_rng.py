"""Random streams: ChaCha8 against published numbers, uniform results, golden values that must not move."""

import itertools
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine import rng

WORDS = st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4)
COORDINATE = st.integers(0, 2**15 - 1)

# draft-strombergson-chacha-test-vectors-01, TC1: all-zero key and IV, 128-bit key, 8 rounds, blocks 0 and 1.
PUBLISHED = bytes.fromhex(
    "e28a5fa4a67f8c5defed3e6fb7303486aa8427d31419a729572d777953491120"
    "b64ab8e72b8deb85cd6aea7cb6089a101824beeb08814a428aab1fa2c816081b"
    "8a26af448a1ba906368fd8c83831c18cec8ced811a028e675b8d2be8fce08116"
    "5ceae9f1d1b7a975497749480569ceb83de6a0a587d4984f19925f5d338e430d"
)


def stream_of(words, round_number=0, purpose=0, use=0, blocks=1):
    """The key stream of the arena's generator as bytes."""
    stream = np.zeros(32, np.int64)
    rng._start(stream, np.array(words, np.uint32), round_number, purpose, use)
    output = b""
    for _ in range(blocks):
        rng._next_block(stream)
        output += stream[16:].astype("<u4").tobytes()
    return output


def rotated(word, count):
    return (word << count | word >> 32 - count) & 0xFFFFFFFF


def quarter_round(x, a, b, c, d):
    for p, q, r, count in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[p] = (x[p] + x[q]) & 0xFFFFFFFF
        x[r] = rotated(x[r] ^ x[p], count)


def chacha_block(start, rounds):
    """One block as RFC 8439, section 2.3, writes it down."""
    x = list(start)
    for _ in range(rounds // 2):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            quarter_round(x, a, b, c, d)
        for a, b, c, d in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter_round(x, a, b, c, d)
    return b"".join(((word + first) & 0xFFFFFFFF).to_bytes(4, "little") for word, first in zip(x, start, strict=True))


class TestChaCha:
    def test_published_key_stream(self):
        assert stream_of([0, 0, 0, 0], blocks=2) == PUBLISHED

    def test_reference_reproduces_rfc_8439(self):
        """Section 2.3.2: 20 rounds, 256-bit key 00 01 02 .., counter 1."""
        key = [int.from_bytes(bytes(range(at, at + 4)), "little") for at in range(0, 32, 4)]
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, 1, 0x09000000, 0x4A000000, 0]
        assert chacha_block(start, 20)[:16].hex() == "10f1e7e4d13b5915500fdd1fa32071c4"

    @given(words=WORDS, round_number=COORDINATE, purpose=COORDINATE, use=COORDINATE)
    def test_any_stream_against_the_reference(self, words, round_number, purpose, use):
        constants = [int.from_bytes(b"expand 16-byte k"[at : at + 4], "little") for at in range(0, 16, 4)]
        expected = b"".join(
            chacha_block([*constants, *words, *words, counter, purpose, round_number, use], 8) for counter in range(3)
        )
        assert stream_of(words, round_number, purpose, use, blocks=3) == expected


def shuffled(count, seed, round_number=1, purpose=1, use=0):
    cards = np.arange(count, dtype=np.int8)
    rng.shuffle(cards, count, rng.seed_words(seed).astype(np.uint32), round_number, purpose, use)
    return tuple(cards.tolist())


def reference_shuffle(count, seed, round_number=1, purpose=1, use=0):
    """Fisher-Yates with batches of at most four draws from a word, on whole numbers of any size."""
    words = [int(word) for word in rng.seed_words(seed)]
    stream = np.frombuffer(stream_of(words, round_number, purpose, use, blocks=20), "<u4").tolist()
    cards, size = list(range(count)), count
    while size > 1:
        sizes = range(size, size - min(4, size - 1), -1)
        product = int(np.prod(list(sizes), dtype=object))
        while True:
            drawn, indices = stream.pop(0), []
            for each in sizes:
                index, drawn = divmod(drawn * each, 2**32)
                indices.append(index)
            if drawn >= 2**32 % product:
                break
        for index in indices:
            size -= 1
            cards[size], cards[index] = cards[index], cards[size]
    return tuple(cards)


class TestShuffle:
    @pytest.mark.parametrize("count", [0, 1, *range(2, 10), 51, 52, 54, 63, 108])
    def test_against_the_reference(self, count):
        for seed in range(30):
            assert shuffled(count, seed << 100 | seed) == reference_shuffle(count, seed << 100 | seed)

    @pytest.mark.parametrize(("count", "limit"), [(2, 10.9), (3, 20.6), (4, 49.8), (5, 173)])
    def test_every_order_is_equally_likely(self, count, limit):
        """Chi-square; the limits are the 0.1 % points for n! - 1 degrees of freedom."""
        orders = list(itertools.permutations(range(count)))
        samples = 100 * len(orders)
        counts = Counter(shuffled(count, seed) for seed in range(samples))
        assert sum((counts[order] - 100) ** 2 / 100 for order in orders) < limit

    @pytest.mark.parametrize("count", range(6, 10))
    def test_every_card_comes_to_every_place(self, count):
        samples = 200 * count
        counts = Counter(pair for seed in range(samples) for pair in enumerate(shuffled(count, seed)))
        statistic = sum((counts[place, card] - 200) ** 2 / 200 for place in range(count) for card in range(count))
        assert statistic < (count - 1) ** 2 + 5 * (2 * (count - 1) ** 2) ** 0.5  # 5 standard deviations

    def test_each_coordinate_is_a_stream_of_its_own(self):
        coordinates = [(1, 1, 0), (2, 1, 0), (1, 2, 0), (1, 1, 1)]
        assert len({shuffled(51, 9, *each) for each in coordinates}) == 4

    def test_each_seed_word_counts(self):
        assert len({shuffled(51, 1 << bit) for bit in range(128)}) == 128

    def test_cards_behind_the_count_stay(self):
        cards = np.arange(10, dtype=np.int8)
        rng.shuffle(cards, 4, np.zeros(4, np.uint32), 1, 1, 0)
        assert cards[4:].tolist() == [4, 5, 6, 7, 8, 9]


class TestDrawBelow:
    @pytest.mark.parametrize("bound", [1, 2, 3, 7, 10])
    def test_uniform(self, bound):
        counts = Counter(rng.draw_below(bound, rng.seed_words(seed).astype(np.uint32), 1, 2, 0) for seed in range(500 * bound))
        assert set(counts) == set(range(bound))
        assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 30


class TestFast:
    def test_uniform(self):
        words = rng.seed_words(5)
        counts = Counter(rng.below(words, 6) for _ in range(6000))
        assert set(counts) == set(range(6))
        assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5  # 5 degrees of freedom, 0.1 %

    def test_every_bound_is_kept(self):
        words = rng.seed_words(6)
        for bound in [1, 2, 3, 2**16 + 1, 2**31 - 1]:
            assert all(0 <= rng.below(words, bound) < bound for _ in range(200))

    def test_sfc32_step_by_step(self):
        """The generator of PractRand written down on whole numbers."""
        words = rng.seed_words(0x0123456789ABCDEF_FEDCBA9876543210)
        a, b, c, d = (int(word) for word in words)
        for _ in range(100):
            word = (a + b + d) % 2**32
            a, b, c, d = b ^ b >> 9, (c + (c << 3)) % 2**32, (rotated(c, 21) + word) % 2**32, (d + 1) % 2**32
            assert rng.next_word(words) == word
            assert words.tolist() == [a, b, c, d]

    def test_seeding_skips_twelve_words(self):
        seed, words, expected = rng.seed_words(77), np.zeros(4, np.int64), rng.seed_words(77)
        rng.seed_fast(words, seed)
        for _ in range(12):
            rng.next_word(expected)
        assert words.tolist() == expected.tolist()


class TestDerive:
    def test_depends_on_key_and_path_only(self):
        first = rng.derive(b"key", "deal", "naga", 2, 0)
        rng.derive(b"other", "deal")
        assert rng.derive(b"key", "deal", "naga", 2, 0) == first

    @given(st.lists(st.tuples(st.binary(min_size=1, max_size=8), st.integers()), min_size=2, unique=True))
    def test_other_key_or_path_other_seed(self, cases):
        keys = {(key.rstrip(b"\0"), number) for key, number in cases}  # HMAC pads keys with zeros
        assert len({rng.derive(key, "deal", number) for key, number in keys}) == len(keys)

    def test_words_are_the_seed(self):
        assert rng.seed_words(0x00000001_00000002_00000003_00000004).tolist() == [1, 2, 3, 4]


GOLDEN = {
    "derive": 15971887383622547962302391992853641455,
    "shuffle": [33, 10, 48, 44, 46, 40, 1, 2, 45, 24, 22, 25],
    "draws": [2, 3, 7, 5, 9, 7, 1, 7, 5, 6, 4, 1],
    "fast": [490, 211, 135, 753, 93, 259, 579, 760],
}
"""What the streams gave when they were fixed: a difference changes every stored match."""


def streams():
    cards, words = np.arange(51, dtype=np.int8), np.zeros(4, np.int64)
    rng.shuffle(cards, 51, rng.seed_words(7 << 64).astype(np.uint32), 3, 1, 0)
    rng.seed_fast(words, rng.seed_words(9))
    return {
        "derive": rng.derive(b"key", "deal", "naga", 2),
        "shuffle": cards[:12].tolist(),
        "draws": [rng.draw_below(10, rng.seed_words(seed).astype(np.uint32), 1, 2, 0) for seed in range(12)],
        "fast": [rng.below(words, 1000) for _ in range(8)],
    }


def test_streams_never_move():
    assert streams() == GOLDEN


def test_plain_python_gives_the_same_numbers():
    subprocess.run(
        [sys.executable, "-W", "error", "-c", "from test_rng import GOLDEN, streams; assert streams() == GOLDEN"],
        cwd=Path(__file__).parent,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
