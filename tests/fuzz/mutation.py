"""Changes that keep the structure of an input mostly intact, so that it gets past the parser.

JSON values are exchanged inside their tree, XML inside its tags, tables and lists line by line;
the header of a safetensors file is JSON with its length in front. Texts that are JSON themselves
are changed in the same way. All randomness comes from the generator that is passed in.
"""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Sequence
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 1e308, -0.0, 5e-324, 2**31, 2**63, 10**400, "", " ", "0", "1",
    "START", "END", "\ud800", "\x00", "a\nb", "\u2028", "é", "İ", "1e400", "nan", "NaN", "-inf", [],
    {}, [[]], [None], {"": 0}, 0.5, "12:30", "2024-01-01T10:00:00Z", "9999-12-31T23:59:59+14:00",
    "9" * 5000, "²", "true",
)  # fmt: skip
ODD_TEXTS = (
    "", " ", "0", "-1", "1e999", "nan", "inf", "9" * 5000, "\x00", "\t", "\r", '"', "'", ",", ";",
    "<", ">", "&amp;", "&#0;", "]]>", "<!--", "<![CDATA[", "<?xml version='1.0' encoding='cp037'?>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>", "é", "\u2028", "\x85", "\x1c", "\ufeff", "{}", "[]", "#",
    "START", "END", "xmlns='a'", "²", "٣",
)  # fmt: skip
LONGEST = 1 << 16


def mutate(data: bytes, rng: random.Random, words: Sequence[str] = ()) -> bytes:
    """Return a changed input.

    Parameters
    ----------
    data
        The input to change.
    rng
        Where randomness comes from.
    words
        Texts to put in, besides the odd ones that are known here.
    """
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = _once(data, rng, words)
    return data[:LONGEST]


def _once(data: bytes, rng: random.Random, words: Sequence[str]) -> bytes:
    if not data or rng.random() < 0.1:
        return _bytes(data, rng)
    framed = _safetensors(data, rng, words)
    if framed is not None:
        return framed
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _bytes(data, rng)
    tree = _json(text, rng, words)
    if tree is not None:
        return tree
    if text.lstrip("\ufeff \n").startswith("<"):
        return _encoded(_pieces(re.findall(r"<[^>]*>|[^<]+", text), rng, words, ""))
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    line = _json(lines[place], rng, words)
    if line is not None and rng.random() < 0.7:
        lines[place] = line.decode("utf-8", "surrogatepass")
        return _encoded("\n".join(lines))
    return _encoded(_pieces(lines, rng, words, "\n"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _bytes(data: bytes, rng: random.Random) -> bytes:
    content = bytearray(data)
    place = rng.randint(0, len(content))
    kind = rng.randrange(5)
    if kind == 0 and content:
        content[place % len(content)] = rng.randrange(256)
    elif kind == 1:
        content[place:place] = rng.randbytes(rng.choice((1, 2, 4, 16)))
    elif kind == 2:
        del content[place : place + rng.choice((1, 2, 8, 64))]
    elif kind == 3:
        end = place + rng.choice((1, 8, 64))
        content[place:place] = content[place:end] * rng.choice((1, 2, 50))
    else:
        del content[place:]
    return bytes(content)


def _pieces(pieces: Sequence[str], rng: random.Random, words: Sequence[str], between: str) -> str:
    """Drop, double, swap or change one piece."""
    parts = list(pieces) or [""]
    place, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.randrange(6)
    if kind == 0:
        del parts[place]
    elif kind == 1:
        parts.insert(other, parts[place])
    elif kind == 2:
        parts[place], parts[other] = parts[other], parts[place]
    elif kind == 3:
        parts[place:place] = parts[place : place + rng.choice((1, 4))] * rng.choice((1, 3, 30))
    else:
        parts[place] = _field(parts[place], rng, words)
    return between.join(parts)


def _field(piece: str, rng: random.Random, words: Sequence[str]) -> str:
    """Exchange one word of a piece, such as a cell or an attribute's value."""
    spots = [match.span() for match in re.finditer(r"""[^\s,;\t"'<>=/]+|[,;\t]""", piece)]
    new = rng.choice((*words, *ODD_TEXTS))
    if not spots:
        return piece + new
    begin, end = rng.choice(spots)
    if rng.random() < 0.2:
        end = begin
    return piece[:begin] + new + piece[end:]


def _json(text: str, rng: random.Random, words: Sequence[str]) -> bytes | None:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        content = json.loads(text)
        changed = json.dumps(_changed(content, rng, words), ensure_ascii=rng.random() < 0.5)
    except (ArithmeticError, RecursionError, ValueError):  # too large or too deep to be changed
        return None
    return _encoded(changed)


def _changed(content: Any, rng: random.Random, words: Sequence[str]) -> Any:
    """Change one value somewhere in a tree."""
    if isinstance(content, dict | list) and content and rng.random() < 0.85:
        places = list(content) if isinstance(content, dict) else list(range(len(content)))
        place = rng.choice(places)
        kind = rng.random()
        copy: Any = content.copy()
        if kind < 0.75:
            copy[place] = _changed(content[place], rng, words)
        elif kind < 0.85:
            del copy[place]
        elif isinstance(copy, dict):
            copy[rng.choice((*words, *ODD_TEXTS))] = copy[place]
        else:
            copy.insert(rng.randint(0, len(copy)), copy[place])
        return copy
    if isinstance(content, str) and content.startswith(("{", "[")):
        inner = _json(content, rng, words)
        if inner is not None:
            return inner.decode("utf-8", "surrogatepass")
    if isinstance(content, int | float) and rng.random() < 0.5:
        return rng.choice((content + 1, content - 1, -content, float(content), content * 0.5))
    if rng.random() < 0.05:
        deep: Any = 0
        for _ in range(rng.choice((20, 2000))):
            deep = [deep]
        return deep
    return rng.choice((*words, *ODD_VALUES))


def _safetensors(data: bytes, rng: random.Random, words: Sequence[str]) -> bytes | None:
    if len(data) < 10 or data[8:9] != b"{":
        return None
    (size,) = struct.unpack("<Q", data[:8])
    if size > len(data) - 8:
        return None
    header = _json(data[8 : 8 + size].decode("utf-8", "replace"), rng, words)
    if header is None:
        return None
    return struct.pack("<Q", len(header)) + header + data[8 + size :]
