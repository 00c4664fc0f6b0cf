"""Times and rates for people."""


def rate_text(rate: float) -> str:
    """Matches per second.

    >>> rate_text(1234.5), rate_text(2.34)
    ('1,234 a second', '2.3 a second')
    """
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"


def duration_text(seconds: float) -> str:
    """A time for people.

    >>> duration_text(0.4), duration_text(75), duration_text(7300)
    ('1 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(1, round(seconds))
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
