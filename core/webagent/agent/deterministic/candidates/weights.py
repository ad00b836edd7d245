"""The fitted weights; `python -m tests.goals.fit` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from webagent.json_text import packaged_json


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = packaged_json(__file__, "../weights.json")
    return data


def weights(name: str) -> Mapping[str, float]:
    """Return the weights of `ranking` or `decision` by feature, or the `thresholds` by what is called."""
    found: Mapping[str, float] = _data()[name]
    return found
