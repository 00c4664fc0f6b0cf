"""Prometheus' text exposition format 0.0.4: families of samples as lines.

The format is a page of text, and all that is told here is read at the moment of asking, so that the package
`prometheus_client`, with its registries and its threads, would add nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "arena_"
"""How every name begins."""
COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
Labels = Mapping[str, str]


@dataclass(frozen=True)
class Sample:
    """A number, and what it is of."""

    value: float
    labels: Labels = field(default_factory=dict)
    suffix: str = ""
    """The end of the name, by which a histogram tells its samples apart: `_bucket`, `_sum`, `_count`."""


@dataclass(frozen=True)
class Family:
    """All samples of one name."""

    name: str
    """The name without the prefix."""
    kind: str
    about: str
    """One line for people."""
    samples: tuple[Sample, ...]


def family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Family:
    """All samples of one name, whatever they come in."""
    return Family(name, kind, about, tuple(samples))


def by_label(name: str, kind: str, about: str, label: str, values: Mapping[str, float]) -> Family:
    """A family with a sample for each value of one label."""
    return family(name, kind, about, (Sample(value, {label: key}) for key, value in values.items()))


def single(name: str, kind: str, about: str, value: float) -> Family:
    """A family of one number."""
    return Family(name, kind, about, (Sample(value),))


def text_of(families: Iterable[Family]) -> str:
    """The families as Prometheus reads them."""
    return "".join(line for one in families for line in _lines(one))


def _lines(one: Family) -> Iterable[str]:
    name = f"{PREFIX}{one.name}"
    about = one.about.replace("\\", r"\\").replace("\n", r"\n")
    yield f"# HELP {name} {about}\n# TYPE {name} {one.kind}\n"
    for sample in one.samples:
        labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in sample.labels.items())
        yield f"{name}{sample.suffix}{'{' + labels + '}' if labels else ''} {_number(sample.value)}\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    """A number as Go reads it.

    >>> _number(3.0), _number(0.25), _number(float("inf"))
    ('3', '0.25', '+Inf')
    """
    if value == float("inf"):
        return "+Inf"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
