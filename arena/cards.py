"""The cards of a game as numbers and as texts: every card has one id and one text."""

from collections.abc import Iterable

from arena.errors import PositionError, nearest


class Deck:
    """The different cards of one game in ascending id; a set of cards is a bit mask over the ids."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._ids = {text: card for card, text in enumerate(self.texts)}
        self._bits = {text: 1 << card for text, card in self._ids.items()}

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, card: int) -> str:
        """The text of a card id."""
        return self.texts[card]

    def parse(self, text: object, key: str) -> int:
        """The id of a card text; raises PositionError that names `key`."""
        if not isinstance(text, str):
            raise PositionError(f"{key}: a card is a text such as {self.texts[0]!r}, not {text!r}")
        card = self._ids.get(text)
        if card is None:
            raise PositionError(f"{key}: no card {text!r}; {nearest(text, self.texts)}")
        return card

    def mask(self, texts: Iterable[str]) -> int:
        """The cards with these texts as a bit mask. Raises PositionError for a text that is no card."""
        mask, bits = 0, self._bits
        try:
            for text in texts:
                mask |= bits[text]
            return mask
        except KeyError as error:
            raise PositionError(f"cards: no card {error}; {nearest(str(error), self.texts)}") from None

    def listing(self, mask: int) -> list[str]:
        """The texts of the cards in a bit mask, in ascending order of id."""
        texts = []
        while mask:
            lowest = mask & -mask
            texts.append(self.texts[lowest.bit_length() - 1])
            mask ^= lowest
        return texts


SUITS = "SHDC"
RANKS = "A23456789TJQK"
JOKER = "*"

STANDARD = Deck([*(suit + rank for suit in SUITS for rank in RANKS), JOKER])
"""52 cards in the order S H D C, A to K, then the joker (Yaniv, Nertz): `SA` is 0, `CK` 51, `*` 52."""
