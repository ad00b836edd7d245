"""Workers are seen where their servers name them, and need one secret."""

from __future__ import annotations

import pytest

from webagent_site.config.workers import signing_secret, worker_count
from webagent_site.errors import ConfigError


@pytest.mark.parametrize(
    ("environment", "arguments", "count"),
    [
        ({}, ["uvicorn", "shop:app"], 1),
        ({}, ["uvicorn", "shop:app", "--workers", "3"], 3),
        ({}, ["gunicorn", "-w4", "shop:app"], 4),
        ({}, ["gunicorn", "-w", "4", "shop:app"], 4),
        ({}, ["gunicorn", "--workers=5"], 5),
        ({"WEB_CONCURRENCY": "2"}, [], 2),
        ({"WEB_CONCURRENCY": "many"}, ["-w"], 1),
        ({"GUNICORN_CMD_ARGS": "--bind :80 --workers 6"}, [], 6),
    ],
    ids=str,
)
def test_workers(environment: dict[str, str], arguments: list[str], count: int) -> None:
    """By variables and options of gunicorn and uvicorn."""
    assert worker_count(environment, arguments) == count


def test_several_workers_need_one_secret() -> None:
    """One alone has its own, which nobody else knows."""
    given = {"WEBAGENT_SECRET": "0123456789abcdef"}

    assert signing_secret({}, 1) != signing_secret({}, 1)
    assert signing_secret(given, 3) == signing_secret(given, 1)
    with pytest.raises(ConfigError, match="there are 3 workers and no `WEBAGENT_SECRET`"):
        signing_secret({}, 3)
    with pytest.raises(ConfigError, match="shorter than 16") as short:
        signing_secret({"WEBAGENT_SECRET": "guess"}, 1)
    assert "guess`" not in str(short.value)
