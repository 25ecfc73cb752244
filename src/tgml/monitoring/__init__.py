"""From a task graph and steps as they happen to verdicts; nothing here needs torch.

`find_violations` replays a recording against a graph and names each step that was done
without what it needs.
"""

from tgml.monitoring.violations import Violation, find_violations

__all__ = ["Violation", "find_violations"]
