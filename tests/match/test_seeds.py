"""Seeds of matches: the same for ever, or stored matches could not be played again."""

import hashlib

from arena.match import seeds

KEY = seeds.key_from_seed(1)
OPTIONS = '{"a":1}'


def test_seeds_never_change_silently() -> None:
    assert KEY.hex() == "00a61390eac1832942146fd34c1d3cbb12d6b4f7b1413c601e2ca987fa39874a"
    found = seeds.match_seeds(KEY, "00ff", "naga", 2, OPTIONS, 3)
    assert found.deal == seeds.deal_seed(KEY, "naga", 2, OPTIONS, 3) == 0x37A0D3ACCD3DBD324A09B776E1309A1F
    assert found.bots[1] == 0x6E765E4072EC14AAF24A30702634A0B7
    assert found.fallbacks[0] == 0xB245FDCB050003E9B24B2C99AB9DAEFC
    assert seeds.table_stream(KEY, "naga", 2, OPTIONS, 3) == 0xD00CA50CBA656C48D706DA6DD9C70E91
    assert seeds.seed_of_part(KEY, "tune", 1, 2) == 1751467942163618688


def test_seeds_of_single_matches_never_change_silently() -> None:
    found = seeds.single_match_seeds(b"k", 2, "naga", 4)
    assert found.deal == 0xA4464AF03A7A06A6A1B168E2BD0BF932
    assert found.bots[1] == 0x50EF22421EC6DE1626C8775BB62F4B9D
    assert found.fallbacks[0] == 0x3967D81558865CB7B5BEDDF2B1690548
    assert seeds.single_match_id(b"k", "naga", 4) == "45e7f8e20fac2e2feea5604b"


def test_the_key_of_cards_deals_those_cards_and_no_others() -> None:
    cards = 0x37A0D3ACCD3DBD324A09B776E1309A1F
    assert {seeds.deal_seed(seeds.key_of_cards(cards), "naga", seats, OPTIONS, 3) for seats in (2, 3)} == {cards}
    assert len(seeds.key_of_cards(cards)) != seeds.KEY_BYTES


def test_each_key_of_a_chain_tells_those_before_it() -> None:
    last = seeds.new_key()
    first, second, third = (seeds.newest_key(last, links) for links in (1, 2, 3))
    assert seeds.key_of_link(third, 3, 0) == first and seeds.key_of_link(third, 3, 1) == second
    assert hashlib.sha256(second).digest() == first and hashlib.sha256(third).digest() == second
    assert seeds.newest_key(last, seeds.CHAIN_KEYS) == last
    assert seeds.newest_key(KEY, 998).hex() == "9c85b4c9d3cf84acd55c61decae67c27b8c732746398c94439e17541eeaafc08"
    assert seeds.commitment(last) == hashlib.sha256(last).hexdigest() and len(last) == seeds.KEY_BYTES
