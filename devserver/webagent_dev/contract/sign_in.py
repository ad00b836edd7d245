"""The login of a contract test: how a visitor is signed in, by a tool or with a saved state."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from webagent_dev.config.saved_sessions import SavedSession, session_for
from webagent_dev.config.toml_file import LoginSession, LoginTool
from webagent_site.config.urls import is_address, is_local
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import StorageState

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
"""An argument that is the value of a variable of the environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How visitors are signed in."""

    tool: str = ""
    """The name of the tool that signs in; empty with a saved state."""
    arguments: Mapping[str, Any] | None = None
    """The arguments of that tool, by name. They are in no report."""
    storage_state: StorageState | None = field(default=None, repr=False)
    """Cookies and storage, as Playwright has them."""
    session: SavedSession | None = None
    """The session that they are of, if they are of one."""


def login_of(
    section: str | LoginTool | LoginSession | None, folder: Path, target: str
) -> Login | None:
    """Return how visitors are signed in, None if nothing is configured for this target.

    A tool is passed credentials, so it is used on this machine only. The cookies of a saved state go
    to no other site than they came from.

    Args:
        section: `[test] login`.
        folder: The folder of the configuration.
        target: The path of a folder, or an address.

    Raises:
        UsageError: A variable is not set, the file has no saved state, or the session is not for
            this target.
    """
    if isinstance(section, LoginSession):
        session = session_for(section.session, target)
        assert session is not None
        return Login(storage_state=session.storage_state, session=session)
    if isinstance(section, str):
        return Login(storage_state=_saved_state(folder / section))
    if section is None or (is_address(target) and not is_local(urlsplit(target).hostname or "")):
        return None
    arguments = {name: _value(name, value) for name, value in section.arguments.items()}
    return Login(tool=section.tool, arguments=arguments)


def _value(name: str, value: Any) -> Any:
    written = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        return value
    variable = written[1] or written[2]
    if variable not in os.environ:
        raise UsageError(
            f"the variable `{variable}` is not set - `[test] login` in webagent.toml takes `{name}` "
            f"from it - set it, such as with `export {variable}=…`"
        )
    return os.environ[variable]


def _saved_state(path: Path) -> StorageState:
    try:
        state = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be read - {error.strerror or error} - save a storage state there, such "
            "as with `playwright codegen --save-storage`, or correct `[test] login`"
        ) from None
    except ValueError:
        state = None
    if not isinstance(state, dict) or not {"cookies", "origins"} & state.keys():
        raise UsageError(
            f"`{path}` is not a storage state - `[test] login` names the file that Playwright writes "
            "for `context.storage_state(path=…)` - save one there"
        )
    return cast("StorageState", state)
