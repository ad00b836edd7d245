"""The fitted weights; `python -m tests.goals.fit` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    file = files("webagent.agent.deterministic") / "weights.json"
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return data


def weights(name: str) -> Mapping[str, float]:
    """Return the weights of `ranking` or `mood`, by feature."""
    found: Mapping[str, float] = _data()[name]
    return found
