"""What step names say: the words in them that name things and actions."""

from __future__ import annotations

import re

FUNCTION_WORDS = frozenset(  # as text, which people can read and mend
    """a about after again all also an and any are as at away back be been before being between
    but by can do down each every few for from further had has have her his how if in into is it
    its just let more most no nor not now of off on once only onto or other our out over own per
    so some such than that the their them then there these they this those through to together
    too under until up use using very was were when where which while with within without you
    your""".split()  # noqa: SIM905
)
"""Words that say how, when and where, but not what."""

MEASURES = frozenset(
    """centimetre centimeter cm cup dash drop few g gram half hour inch kg kilo l litre liter lb
    min minute ml mm ounce oz piece pinch pound quarter sec second tablespoon tbsp teaspoon third
    time tsp""".split()  # noqa: SIM905
)
"""Words that say how much or how long."""


def content_words(name: str) -> frozenset[str]:
    """Return the words of a step name that say what is done to what.

    Function words, measures, numbers and single or double letters do not count; a plural 's' is
    dropped, so that 'eggs' and 'egg' are one word.

    Examples
    --------
    >>> sorted(content_words("Crack 2 eggs into the bowl"))
    ['bowl', 'crack', 'egg']
    """
    words = set()
    for word in re.findall(r"[^\W\d_]+", name.casefold()):
        single = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
        if len(word) > 2 and not {word, single} & (FUNCTION_WORDS | MEASURES):
            words.add(single)
    return frozenset(words)


def may_belong_together(one: str, other: str) -> bool:
    """Return whether two step names share a content word, or one of them has none to share.

    Names such as 'step 1' and 'A7' say nothing, and nothing must not count against a pair.

    Examples
    --------
    >>> may_belong_together("crack the egg", "whisk the egg")
    True
    >>> may_belong_together("crack the egg", "heat the pan")
    False
    >>> may_belong_together("crack the egg", "A7")
    True
    """
    own, theirs = content_words(one), content_words(other)
    return not own or not theirs or bool(own & theirs)
