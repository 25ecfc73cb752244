"""What every detector does: say of each step, as it comes, whether it is a mistake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Detector(Protocol):
    """Flags mistakes online: a flag depends on the steps up to it and on nothing later."""

    def flags(self, steps: Sequence[str]) -> tuple[bool, ...]:
        """Return for each step of a recording whether it is flagged.

        Parameters
        ----------
        steps
            Step names in the order done.
        """
        ...
