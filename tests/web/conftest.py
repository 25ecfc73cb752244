"""What tests of the service and of its pages share."""

from __future__ import annotations

from tests.browser import browser, open_page

__all__ = ["browser", "open_page"]
