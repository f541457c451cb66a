"""A measured number, the target beside it, and whether it is met."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.seconds import Seconds


@dataclass(frozen=True, slots=True)
class Figure:
    """What one benchmark found out.

    ``value`` counts; ``wall`` is the same by elapsed time, for whoever wonders. Without a target the figure is there
    to be read only.
    """

    benchmark: str
    text: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = True
    wall: float | None = None
    ours: str = ""
    peer: str = ""

    @property
    def met(self) -> bool:
        """Whether the target is met; a figure without one always is."""
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def target_text(self) -> str:
        if self.target is None:
            return ""
        return f"{'>=' if self.at_least else '<='} {self.target:g}{_UNITS[self.unit]}"

    @property
    def value_text(self) -> str:
        digits = f"{self.value:,.0f}" if self.unit in ("jobs", "instances", "rows") else _digits(self.value)
        return f"{digits}{_UNITS[self.unit]}"

    @property
    def wall_text(self) -> str:
        return "" if self.wall is None else f"{_digits(self.wall)}{_UNITS[self.unit]}"


_UNITS = {"times": "x", "seconds": " s", "bytes": " bytes", "jobs": " jobs", "instances": " instances", "rows": " rows"}


def faster(benchmark: str, text: str, ours: Seconds, peer: Seconds, target: float | None) -> Figure:
    """Say how many times faster we are than a peer, by processor time.

    Processor time, because it is what both systems need of a machine, whoever else uses it at the moment.
    """
    return Figure(
        benchmark,
        text,
        value=_ratio(peer.cpu, ours.cpu),
        unit="times",
        target=target,
        wall=_ratio(peer.wall, ours.wall),
        ours=seconds_text(ours),
        peer=seconds_text(peer),
    )


def within(
    benchmark: str, text: str, ours: Seconds, baseline: Seconds, target: float | None, *, scale: float = 1
) -> Figure:
    """Say how many times longer something takes than a baseline that did ``1 / scale`` of the work."""
    return Figure(
        benchmark,
        text,
        value=_ratio(ours.cpu, baseline.cpu) / scale,
        unit="times",
        target=target,
        at_least=False,
        wall=_ratio(ours.wall, baseline.wall) / scale,
        ours=seconds_text(ours),
        peer=seconds_text(baseline),
    )


def seconds_text(seconds: Seconds) -> str:
    """Write processor time for people."""
    if seconds.cpu < 0.01:
        return f"{seconds.cpu * 1000:.2f} ms"
    return f"{seconds.cpu:.3f} s" if seconds.cpu < 10 else f"{seconds.cpu:.1f} s"


def _ratio(over: float, under: float) -> float:
    # A clock can stand still over something very short, and a difference of two runs can be below nothing.
    return max(over, 0.0) / max(under, 1e-6)


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
