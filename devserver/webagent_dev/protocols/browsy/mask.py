"""Hides the credentials of a task in all that is told and kept of it."""

from __future__ import annotations

import re
from typing import Any

from webagent.registry.secrets import MASK
from webagent_dev.agents.goal_api.intents import Credentials

_SURE = 4
"""Characters from which a password is hidden also within a word."""
_FIXED = ("action", "page_type")
"""What stands under these is one of few words of the dialect, whatever somebody is called."""


class Mask:
    """Replaces what somebody logs in with by `•••`."""

    def __init__(self, credentials: Credentials | None) -> None:
        """Know what to hide; without credentials nothing."""
        patterns = []
        if credentials:
            whole = [credentials.username, credentials.password]
            patterns = [rf"(?<!\w){re.escape(word)}(?!\w)" for word in whole if word]
            if len(credentials.password) >= _SURE:
                patterns.insert(0, re.escape(credentials.password))
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None

    def __call__(self, data: Any) -> Any:
        """Return JSON data without them; keys stay as they are."""
        if self._pattern is None:
            return data
        if isinstance(data, str):
            return self._pattern.sub(MASK, data)
        if isinstance(data, list):
            return [self(item) for item in data]
        if isinstance(data, dict):
            return {
                key: value if key in _FIXED and isinstance(value, str) else self(value)
                for key, value in data.items()
            }
        return data
