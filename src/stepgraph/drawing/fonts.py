"""The font of drawings, DejaVu Sans, which ships with stepgraph.

So every machine draws the same picture, whatever its fonts. This module reads from the file only
the glyph and the width of each character, to measure lines.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stepgraph.layout.text import columns

FONT_FILE = Path(__file__).parent / "font" / "DejaVuSans.ttf"
FONT_NAME = "DejaVu Sans"
# Verdana has the same proportions; browsers without either take their own.
FONT_FAMILY = f"'{FONT_NAME}', Verdana, sans-serif"

# In ems: the approximate width, for each terminal column, of a character that the font lacks.
_OTHER_COLUMN = 0.62


@dataclass(frozen=True)
class Font:
    """The widths of the characters of a TrueType font.

    Parameters
    ----------
    advances
        The width of each character that the font has, in ems.
    """

    advances: dict[int, float]

    def covers(self, character: str) -> bool:
        """Return whether the font has a glyph for a character."""
        return ord(character) in self.advances or columns(character) == 0

    def width(self, text: str, size: float) -> float:
        """Return the width of a line at a font size."""
        return size * sum(map(self._advance, text))

    def _advance(self, character: str) -> float:
        known = self.advances.get(ord(character))
        return _OTHER_COLUMN * columns(character) if known is None else known


@cache
def carried_font() -> Font:
    """Return the font that ships with stepgraph."""
    return parse_font(FONT_FILE.read_bytes())


def parse_font(content: bytes) -> Font:
    """Read the widths from a TrueType file.

    Parameters
    ----------
    content
        The file; it must have a character map of format 4 or 12, as all current fonts do.
    """
    tables = {}
    for place in range(struct.unpack_from(">H", content, 4)[0]):
        tag, _, offset, _ = struct.unpack_from(">4sIII", content, 12 + 16 * place)
        tables[tag] = offset
    units = struct.unpack_from(">H", content, tables[b"head"] + 18)[0]
    count = struct.unpack_from(">H", content, tables[b"hhea"] + 34)[0]
    # Pairs of advance and bearing; glyphs beyond the last pair have its width.
    metrics = struct.unpack_from(f">{2 * count}H", content, tables[b"hmtx"])[::2]
    glyphs = _character_map(content, tables[b"cmap"])
    return Font({code: metrics[min(glyph, count - 1)] / units for code, glyph in glyphs.items()})


def _character_map(content: bytes, table: int) -> dict[int, int]:
    glyphs: dict[int, int] = {}
    for place in range(struct.unpack_from(">H", content, table + 2)[0]):
        offset = table + struct.unpack_from(">I", content, table + 8 + 8 * place)[0]
        match struct.unpack_from(">H", content, offset)[0]:
            case 4:
                glyphs |= _segments(content, offset)
            case 12:
                glyphs |= _groups(content, offset)
    return glyphs


def _segments(content: bytes, offset: int) -> dict[int, int]:
    """Read format 4: segments of characters, whose glyphs are shifted or listed."""
    count = struct.unpack_from(">H", content, offset + 6)[0] // 2
    shape = f">{count}H"
    ends = struct.unpack_from(shape, content, offset + 14)
    starts = struct.unpack_from(shape, content, offset + 16 + 2 * count)
    deltas = struct.unpack_from(shape, content, offset + 16 + 4 * count)
    ranges_at = offset + 16 + 6 * count
    ranges = struct.unpack_from(shape, content, ranges_at)
    glyphs = {}
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            glyph = code
            if ranges[place]:
                # The offset counts from where it stands itself.
                at = ranges_at + 2 * place + ranges[place] + 2 * (code - start)
                glyph = struct.unpack_from(">H", content, at)[0]
                if not glyph:
                    continue
            glyph = (glyph + deltas[place]) & 0xFFFF
            if glyph:
                glyphs[code] = glyph
    return glyphs


def _groups(content: bytes, offset: int) -> dict[int, int]:
    """Read format 12: runs of characters with consecutive glyphs."""
    glyphs = {}
    for place in range(struct.unpack_from(">I", content, offset + 12)[0]):
        start, end, first = struct.unpack_from(">III", content, offset + 16 + 12 * place)
        glyphs.update({code: first + code - start for code in range(start, end + 1)})
    return glyphs
