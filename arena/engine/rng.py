"""Named, seeded streams: the only source of randomness.

Two generators, each for its own purpose:

- *Seeds* are derived from a secret key and a path of names (`derive`): HMAC-SHA256, 128 bits.
- *Cards* come from ChaCha8 keyed by the deal's 128-bit seed, one stream per (round, purpose, n-th use). What a bot sees of a
  deal tells it nothing about the rest, and how a round was played never shifts the cards of a later one.
- *Search and fallback* need speed, not secrecy: sfc32 (`seed_fast`, `below`, `shuffle_fast`), four 32-bit words in an int64
  array.

All arithmetic is on int64 below 2**63, so that compiled code and plain Python give the same numbers.
Sources: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008), 8 rounds, 128-bit key; C. Doty-Humphrey, PractRand, sfc32;
D. Lemire, "Fast Random Integer Generation in an Interval" (2019), with rejection: every outcome is equally likely.
"""

import hashlib
import hmac
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import generic
from arena.engine.machine import stack_array

Words: TypeAlias = NDArray[np.int64]
Seed: TypeAlias = NDArray[np.uint32]
Cards: TypeAlias = NDArray[np.int8]

SEED_BITS = 128
_WORD = 0xFFFFFFFF
_BLOCK = 16  # 32-bit words in a ChaCha block
_STREAM = 2 * _BLOCK  # input block, output block


def derive(key: bytes, *path: object) -> int:
    """The 128-bit seed of `path` ("deal", "naga", 2, ...): depends on nothing but `key` and the path."""
    text = "/".join(str(part) for part in path)
    return int.from_bytes(hmac.digest(key, text.encode(), hashlib.sha256)[: SEED_BITS // 8], "big")


def seed_words(seed: int) -> Words:
    """A 128-bit seed as four 32-bit words, highest first: what `deal` and `seed_fast` take."""
    return np.array([(seed >> shift) & _WORD for shift in (96, 64, 32, 0)], dtype=np.int64)


@generic
def _quarter(p: int, q: int, r: int, s: int) -> tuple[int, int, int, int]:
    """The ChaCha quarter round on four words."""
    p = (p + q) & _WORD
    s ^= p
    s = (s << 16 | s >> 16) & _WORD
    r = (r + s) & _WORD
    q ^= r
    q = (q << 12 | q >> 20) & _WORD
    p = (p + q) & _WORD
    s ^= p
    s = (s << 8 | s >> 24) & _WORD
    r = (r + s) & _WORD
    q ^= r
    q = (q << 7 | q >> 25) & _WORD
    return p, q, r, s


@generic
def _next_block(stream: Words) -> None:
    """Write the next output block: 8 rounds, columns and diagonals in turn, over the input; then add the input."""
    a, b, c, d = int(stream[0]), int(stream[1]), int(stream[2]), int(stream[3])  # row by row; locals stay in registers
    e, f, g, h = int(stream[4]), int(stream[5]), int(stream[6]), int(stream[7])
    i, j, k, m = int(stream[8]), int(stream[9]), int(stream[10]), int(stream[11])
    n, o, p, q = int(stream[12]), int(stream[13]), int(stream[14]), int(stream[15])
    for _ in range(4):
        a, e, i, n = _quarter(a, e, i, n)
        b, f, j, o = _quarter(b, f, j, o)
        c, g, k, p = _quarter(c, g, k, p)
        d, h, m, q = _quarter(d, h, m, q)
        a, f, k, q = _quarter(a, f, k, q)
        b, g, m, n = _quarter(b, g, m, n)
        c, h, i, o = _quarter(c, h, i, o)
        d, e, j, p = _quarter(d, e, j, p)
    for place, word in enumerate((a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q)):
        stream[_BLOCK + place] = (word + stream[place]) & _WORD
    stream[12] += 1


@generic
def _draw(stream: Words, read: int, bound: int) -> tuple[int, int]:
    """A number below `bound`, and how many words of the current block are then read."""
    while True:
        if read == _BLOCK:
            _next_block(stream)
            read = 0
        product = int(stream[_BLOCK + read]) * bound
        read += 1
        low = product & _WORD
        if low >= bound or low >= (1 << 32) % bound:
            return product >> 32, read


@generic
def _start(stream: Words, seed: Seed, round_number: int, purpose: int, use: int) -> None:
    """ChaCha input: constants "expand 16-byte k", the key twice, block counter, and the coordinates as the nonce."""
    stream[0] = 0x61707865
    stream[1] = 0x3120646E
    stream[2] = 0x79622D36
    stream[3] = 0x6B206574
    for i in range(4):
        stream[4 + i] = int(seed[i])
        stream[8 + i] = int(seed[i])
    stream[12] = 0
    stream[13] = purpose
    stream[14] = round_number
    stream[15] = use


@generic
def shuffle(cards: Cards, count: int, seed: Seed, round_number: int, purpose: int, use: int) -> None:
    """Put the first `count` cards into a uniformly random order, the same for the same seed and coordinates.

    Arrays inside a state are passed as slices, `s.stock[:]` and `s.seed[:]`: their type is then the same in every game.
    Fisher-Yates from the last card down, four numbers out of each random word (Brackett-Rozinsky and Lemire 2024,
    "Batched ranged random integer generation"): 51 cards need one ChaCha block.
    """
    stream = stack_array(_STREAM, np.int64)
    _start(stream, seed, round_number, purpose, use)
    read = _BLOCK
    size = count
    while size > 1:
        numbers = min(4, size - 1)
        product = 1
        for i in range(numbers):
            product *= size - i
        low = 0
        while low < product:  # once nearly always
            if read == _BLOCK:
                _next_block(stream)
                read = 0
            word = low = int(stream[_BLOCK + read])
            read += 1
            for i in range(numbers):
                low = (low * (size - i)) & _WORD
            if low >= (1 << 32) % product:
                break
        for _ in range(numbers):
            scaled = word * size
            word = scaled & _WORD
            size -= 1
            other = scaled >> 32
            card = cards[size]
            cards[size] = cards[other]
            cards[other] = card


@generic
def draw_below(bound: int, seed: Seed, round_number: int, purpose: int, use: int) -> int:
    """A uniformly random number in 0..bound-1, the same for the same seed and coordinates."""
    stream = stack_array(_STREAM, np.int64)
    _start(stream, seed, round_number, purpose, use)
    return _draw(stream, _BLOCK, bound)[0]


@generic
def next_word(rng: Words) -> int:
    """The next 32 random bits of sfc32."""
    a = int(rng[0])
    b = int(rng[1])
    c = int(rng[2])
    d = int(rng[3])
    word = (a + b + d) & _WORD
    rng[3] = (d + 1) & _WORD
    rng[0] = b ^ (b >> 9)
    rng[1] = (c + (c << 3)) & _WORD
    rng[2] = ((((c << 21) & _WORD) | (c >> 11)) + word) & _WORD
    return word


@generic
def seed_fast(rng: Words, words: Words) -> None:
    """Start the sfc32 generator `rng` (4 words) from 4 seed words."""
    for i in range(4):
        rng[i] = words[i]
    for _ in range(12):
        next_word(rng)


@generic
def below(rng: Words, bound: int) -> int:
    """A uniformly random number in 0..bound-1 from sfc32; bound < 2**31."""
    product = next_word(rng) * bound
    if (product & _WORD) < bound:
        threshold = (1 << 32) % bound
        while (product & _WORD) < threshold:
            product = next_word(rng) * bound
    return product >> 32


@generic
def chance(rng: Words) -> float:
    """A random number of [0, 1), in steps of 2**-32."""
    return next_word(rng) / 4294967296.0


@generic
def shuffle_fast(cards: Any, count: int, rng: Words) -> None:
    """Put the first `count` items of an array of any whole numbers into a uniformly random order, drawn from sfc32.

    Fisher-Yates from the last item down, one number each. For worlds of searches; deals are shuffled by `shuffle`.
    """
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        kept = cards[last]
        cards[last] = cards[other]
        cards[other] = kept
