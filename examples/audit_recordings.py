"""Say which recordings are wrong and what to record next, without having been told."""

from __future__ import annotations

import tgml
from tgml.insight import audit

recordings = tgml.load_procedure("pancakes").demonstrations
for verdict in audit(recordings).recordings[:3]:
    print(verdict)
