"""The worker processes of a site: how many there are, as far as can be seen, and what they share."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Mapping, Sequence

from webagent_site.errors import ConfigError

SECRET_VARIABLE = "WEBAGENT_SECRET"  # noqa: S105 - the name of a variable
"""The variable with the secret that signs the tokens of pages."""

_SHORTEST = 16

_WORKERS = re.compile(r"(?:-w|--workers)(?:=|(?<=-w))?(\d+)?")


def worker_count(environment: Mapping[str, str], arguments: Sequence[str]) -> int:
    """Return the number of workers that gunicorn or uvicorn start; 1 if that cannot be seen.

    Args:
        environment: The variables of this process.
        arguments: Its command line.
    """
    words = [*shlex.split(environment.get("GUNICORN_CMD_ARGS", "")), *arguments]
    found = [environment.get("WEB_CONCURRENCY", "")]
    for word, after in zip(words, [*words[1:], ""], strict=False):
        match = _WORKERS.fullmatch(word)
        if match:
            found.append(match[1] or after)
    return max((int(each) for each in found if each.isdecimal() and len(each) < 5), default=1)


def signing_secret(
    environment: Mapping[str, str], workers: int, *, has_broker: bool = False
) -> bytes:
    """Return the secret that signs tokens: that of the variable, or one of this process.

    Args:
        environment: The variables of this process.
        workers: The workers that can be seen.
        has_broker: Whether processes share state, so that there are several anyhow.

    Raises:
        ConfigError: It is too short, or several workers have none in common.
    """
    given = environment.get(SECRET_VARIABLE, "").strip()
    if given and len(given) < _SHORTEST:
        raise ConfigError(
            f"`{SECRET_VARIABLE}` is shorter than {_SHORTEST} characters - it could be guessed - "
            f"write `export {SECRET_VARIABLE}=$(openssl rand -hex 32)`"
        )
    if given:
        return given.encode()
    if workers > 1 or has_broker:
        several = f"{workers} workers" if workers > 1 else "several processes, by the `broker`,"
        raise ConfigError(
            f"there are {several} and no `{SECRET_VARIABLE}` - each would refuse the tokens "
            f"of the others - write `export {SECRET_VARIABLE}=$(openssl rand -hex 32)` before the "
            "command"
        )
    return secrets.token_bytes(32)
