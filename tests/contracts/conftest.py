from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def _language_model(language_model: None) -> None:
    """Let the learner that asks a language model have one."""
