"""A picture of boxes, arrows and words as SVG that can be read on a light page and on a dark one."""

from __future__ import annotations

from html import escape

# Boxes bring their own ground and white words; what stands on the page itself is of a middle grey.
BLUE, GREEN, PURPLE, RED, GREY = "#2f6fb3", "#2b7d4f", "#7250a8", "#b0433c", "#5b6675"
LINE = "#7d8896"
_FONT = "font-family='ui-sans-serif, system-ui, Segoe UI, Helvetica, Arial, sans-serif'"
_ROW = 19


class Drawing:
    """Collects shapes; places are those of the middle of a shape, in pixels from the upper left corner."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
            f"role='img' {_FONT}>",
            f"<title>{escape(title)}</title>",
            f"<defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7' markerHeight='7' "
            f"orient='auto-start-reverse'><path d='M0 0L10 5L0 10z' fill='{LINE}'/></marker></defs>",
        ]

    def box(self, x: float, y: float, text: str, colour: str, *, width: int = 150, faded: bool = False) -> None:
        """Draw a box as high as its lines of text; a faded one is an outline only."""
        lines = text.split("\n")
        height = 16 + _ROW * len(lines)
        look = f"fill='none' stroke='{colour}' stroke-dasharray='5 4'" if faded else f"fill='{colour}'"
        self._parts.append(
            f"<rect x='{x - width / 2:g}' y='{y - height / 2:g}' width='{width}' height='{height}' rx='8' {look}/>"
        )
        for row, line in enumerate(lines):
            place = y + (row - (len(lines) - 1) / 2) * _ROW + 5
            # The first of several lines is a heading.
            weight = "600" if row == 0 and len(lines) > 1 else "400"
            colour_of_text = LINE if faded else "#ffffff"
            self._word(x, place, line, colour_of_text, 14, weight)

    def word(self, x: float, y: float, text: str, *, size: int = 14, strong: bool = False) -> None:
        """Write on the page itself, centred; lines go below one another."""
        for row, line in enumerate(text.split("\n")):
            self._word(x, y + row * _ROW, line, LINE, size, "600" if strong else "400")

    def arrow(self, *places: tuple[float, float], dashed: bool = False, both: bool = False) -> None:
        """Draw a line through places, with a tip at its end, or at both."""
        path = "M" + " L".join(f"{x:g} {y:g}" for x, y in places)
        dash = " stroke-dasharray='5 4'" if dashed else ""
        tips = " marker-end='url(#tip)'" + (" marker-start='url(#tip)'" if both else "")
        self._parts.append(f"<path d='{path}' fill='none' stroke='{LINE}' stroke-width='1.6'{dash}{tips}/>")

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a thin line without tips."""
        self._parts.append(
            f"<path d='M{start[0]:g} {start[1]:g} L{end[0]:g} {end[1]:g}' stroke='{LINE}' stroke-width='0.8'/>"
        )

    def svg(self) -> str:
        """Return the file."""
        return "\n".join([*self._parts, "</svg>", ""])

    def _word(self, x: float, y: float, text: str, colour: str, size: int, weight: str) -> None:
        self._parts.append(
            f"<text x='{x:g}' y='{y:g}' fill='{colour}' font-size='{size}' font-weight='{weight}' "
            f"text-anchor='middle'>{escape(text)}</text>"
        )
