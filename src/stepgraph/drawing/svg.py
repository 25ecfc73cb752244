"""SVG elements as text, and the figures and words in them, for drawings and charts."""

from __future__ import annotations

from html import escape

from stepgraph.layout.text import columns, printable

FONT_SIZE = 13


def number(value: float) -> str:
    """Return a coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def label(value: float) -> str:
    """Return a figure as short text, with at most four significant digits."""
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def element(name: str, *children: str, **attributes: str | float) -> str:
    """Return an SVG element; underscores in names of attributes stand for hyphens.

    Examples
    --------
    >>> element("line", x1=0, x2=2.5, stroke_width=1)
    '<line x1="0" x2="2.5" stroke-width="1"/>'
    """
    shown = "".join(
        f" {key.rstrip('_').replace('_', '-')}="
        f'"{_attribute(value if isinstance(value, str) else number(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{shown}>{''.join(children)}</{name}>" if children else f"<{name}{shown}/>"


def _attribute(value: str) -> str:
    return escape(value, quote=False).replace('"', "&quot;")


def plain(text: str) -> str:
    """Return a text for the inside of an element: control characters visible, the rest escaped."""
    return escape(printable(text), quote=False)


def write(text: str, x: float, y: float, **attributes: str | float) -> str:
    """Return a text element."""
    return element("text", plain(text), x=x, y=y, **attributes)


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return the approximate width of a text, rounded up because fonts differ."""
    return 0.6 * size * columns(printable(text))
