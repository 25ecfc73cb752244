"""What is asked about one step: the paper's question, with our own instructions around it."""

from __future__ import annotations

import json
from dataclasses import dataclass

Messages = list[dict[str, str]]
"""A chat, as the protocol has it: who says what."""

NONE = "None of the above"

INSTRUCTIONS = """\
You know well how practical procedures are carried out. A procedure consists of key steps, and \
some of them depend on others. You are shown one key step and the other key steps of the same \
procedure. Choose those without which the current one could not be done properly, whoever does \
it; a step that only happens to come earlier in most cases is not a pre-condition. Choose from \
the list alone and copy the names exactly.

Reply with one JSON object and no other text. Its only key is the current key step, its value \
is the list of the key steps chosen. If there are none, the list is empty."""


@dataclass(frozen=True)
class Question:
    """The question which of the other steps a step needs.

    Parameters
    ----------
    step
        The step that is asked about.
    options
        The other steps of the procedure. They are put in alphabetical order, as in the paper's
        example: the order of a vocabulary often is that of the recordings, and would give the
        answer away.

    Examples
    --------
    >>> print(Question("mix", ("pour milk", "crack egg")).messages[-1]["content"])
    Which of the following key steps is a pre-condition for the current key step "mix"?
    <BLANKLINE>
    - crack egg
    - pour milk
    - None of the above
    <BLANKLINE>
    Answer in this form: {"mix": [...]}
    """

    step: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.options, key=lambda name: (name.casefold(), name))
        object.__setattr__(self, "options", tuple(ordered))

    @property
    def messages(self) -> Messages:
        """The chat that asks the question."""
        listed = "\n".join(f"- {name}" for name in (*self.options, NONE))
        form = f"{{{json.dumps(self.step, ensure_ascii=False)}: [...]}}"
        asked = (
            "Which of the following key steps is a pre-condition for the current key step "
            f'"{self.step}"?\n\n{listed}\n\nAnswer in this form: {form}'
        )
        return [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": asked},
        ]
