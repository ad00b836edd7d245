"""Saved sessions: what a person's login has left in a browser, kept by a name for the commands.

Each is `$XDG_STATE_HOME/webagent/sessions/NAME.json`, readable by its owner alone. Its keys are
those of `SavedSession`, without the name. It has what belongs to one origin, and is sent to no other.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from webagent.json_text import read_json
from webagent.urls import origin_of
from webagent_dev.config.private_file import make_private, read_private, write_private
from webagent_site.config.folders import state_folder
from webagent_site.config.urls import is_address
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from playwright.async_api import StorageState

    from webagent.registry.secrets import Secrets

NAME = re.compile(r"[a-z0-9-]{1,64}")
MOST_BYTES = 1_000_000
"""The size of the largest session."""
_COOKIE_TYPES = {
    "name": str,
    "value": str,
    "path": str,
    "expires": int | float,
    "httpOnly": bool,
    "secure": bool,
    "sameSite": str,
}
"""The parts of a cookie that are kept. The origin says where it is sent to, so no file can say otherwise."""
_LAST_S = 253_370_000_000
"""A time in the year 9998."""
_SHORTEST_SECRET = 16
"""Characters of a value that may be a token; shorter ones are settings, such as `dark`."""


@dataclass(frozen=True)
class SavedSession:
    """A visitor of one origin who has logged in."""

    name: str
    origin: str
    made_s: int
    """When the login was kept, in seconds since the epoch."""
    cookies: Sequence[Mapping[str, Any]] = field(repr=False)
    """As Playwright has them."""
    local_storage: Sequence[Mapping[str, str]] = field(repr=False)
    """The items, each with its `name` and `value`."""

    @classmethod
    def of(cls, name: str, origin: str, state: StorageState) -> SavedSession:
        """Return what a browser has kept for an origin, as a session; the rest is dropped."""
        host = _host(origin)
        found: Sequence[Mapping[str, Any]] = state.get("cookies", ())
        cookies = [
            {key: cookie[key] for key in _COOKIE_TYPES}
            for cookie in found
            if _is_for(host, cookie["domain"])
            # Others belong to frames of the site in pages of another one.
            and _is_for(host, f".{_host(cookie.get('partitionKey') or origin)}")
        ]
        items = [
            {"name": item["name"], "value": item["value"]}
            for one in state.get("origins", ())
            if one["origin"] == origin
            for item in one["localStorage"]
        ]
        return cls(name, origin, int(time.time()), cookies, items)

    @property
    def path(self) -> Path:
        """The file that it is kept in."""
        return path_of(self.name)

    @property
    def is_empty(self) -> bool:
        """Whether the site has kept nothing in the browser."""
        return not (self.cookies or self.local_storage)

    @property
    def expires_s(self) -> float | None:
        """When its last cookie ends, in seconds since the epoch; None where something has no end.

        A login is mostly in a cookie that no script can read, so only those count if there are any.
        """
        hidden = [cookie for cookie in self.cookies if cookie["httpOnly"]]
        ends = [cookie["expires"] for cookie in hidden or self.cookies]
        return None if self.local_storage or -1 in ends else max(ends, default=None)

    @property
    def has_expired(self) -> bool:
        """Whether nothing of it is valid any more."""
        return self.expires_s is not None and self.expires_s <= time.time()

    @property
    def summary(self) -> str:
        """Where it is from and how long it is valid, without a value."""
        parts = [self.origin, f"made {day_of(self.made_s)}"]
        parts += _counted(len(self.cookies), "cookie")
        parts += _counted(len(self.local_storage), "item")
        if self.has_expired:
            parts.append("expired")
        elif self.expires_s:
            parts.append(f"until {day_of(self.expires_s)}")
        return ", ".join(parts)

    @property
    def remedy(self) -> str:
        """What to type for another login."""
        return f"log in again with `webagent-dev login {self.origin}/ --session {self.name}`"

    @property
    def storage_state(self) -> StorageState:
        """The cookies and items for a fresh browser."""
        # Without a dot before it, the domain is this host alone, and no other below it.
        host, is_secure = _host(self.origin), self.origin.startswith("https:")
        state = {
            "cookies": [
                {**cookie, "domain": host, "secure": cookie["secure"] or is_secure}
                for cookie in self.cookies
            ],
            "origins": [{"origin": self.origin, "localStorage": [*self.local_storage]}],
        }
        return cast("StorageState", state)

    def cookie_header(self, url: str) -> str:
        """Return the cookies of a request, empty for one to another origin."""
        if origin_of(url) != self.origin:
            return ""
        path = urlsplit(url).path or "/"
        return "; ".join(
            f"{cookie['name']}={cookie['value']}"
            for cookie in self.cookies
            if f"{path}/".startswith(f"{cookie['path'].rstrip('/')}/")
            and (cookie["expires"] == -1 or cookie["expires"] > time.time())
        )

    def hide(self, text: str) -> str:
        """Return a text, which may be JSON, without the values that may be tokens."""
        try:
            data = json.loads(text)
        except ValueError:
            return self._secrets.mask_text(text)
        return json.dumps(_each_text(data, self._secrets.mask_text), ensure_ascii=False)

    @cached_property
    def _secrets(self) -> Secrets:
        from webagent.registry.secrets import Secrets

        secrets = Secrets()
        for one in (*self.cookies, *self.local_storage):
            for text in _texts(one["value"]):
                if len(text) >= _SHORTEST_SECRET:
                    secrets.learn(text)
        return secrets

    def write(self) -> None:
        """Keep it, in place of the one that had its name.

        Raises:
            UsageError: It is too large, or cannot be written.
        """
        data = asdict(self)
        del data["name"]
        text = json.dumps(data)
        if len(text.encode()) > MOST_BYTES:
            raise UsageError(
                f"`{self.origin}` has more than {MOST_BYTES:,} bytes in the browser - a session is "
                "smaller - log in with an account that has fewer things"
            )
        try:
            make_private(self.path.parent)
            write_private(self.path, text)
        except OSError as error:
            raise UsageError(
                f"`{self.path}` cannot be written - {error.strerror or error} - correct that, and log in "
                "again"
            ) from None


def path_of(name: str) -> Path:
    """Return the file of a session.

    Raises:
        UsageError: It cannot be a name.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"`{printable(name, 100)}` is not the name of a session - a name has small letters, digits and `-`, "
            "at most 64 - write one such as `shop`"
        )
    return _folder() / f"{name}.json"


def session_names() -> list[str]:
    """Return the names of the sessions that are kept."""
    return sorted(path.stem for path in _folder().glob("*.json") if NAME.fullmatch(path.stem))


def read_session(name: str) -> SavedSession:
    """Return a session.

    Raises:
        UsageError: It does not exist, or its file cannot be trusted.
    """
    path = path_of(name)
    try:
        session = _parsed(name, read_json(read_private(path, MOST_BYTES)))
    except FileNotFoundError:
        raise UsageError(
            f"no session `{name}` is kept - `webagent-dev sessions` lists those that are - "
            f"log in with `webagent-dev login URL --session {name}`"
        ) from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        # The error of a parser may quote the file.
        why = (error.strerror or str(error)) if isinstance(error, OSError) else "it is damaged"
        raise UsageError(
            f"the session `{name}` cannot be read - {why} - delete it with "
            f"`webagent-dev sessions {name} --delete`, and log in again"
        ) from None
    return session


def session_for(name: str | None, target: str) -> SavedSession | None:
    """Return the session for a command at a site; None where none was named.

    Args:
        name: The name.
        target: An address, or the path of a folder.

    Raises:
        UsageError: There is no such session, it is of another origin, or it has expired.
    """
    if name is None:
        return None
    session = read_session(name)
    if not is_address(target):
        raise UsageError(
            f"the session `{name}` is of `{session.origin}`, and `{target}` is a folder - a folder has no "
            f"login - write the address of its server, such as `{session.origin}/`"
        )
    if origin_of(target) != session.origin:
        raise UsageError(
            f"the session `{name}` is of `{session.origin}` - it is sent to no other site, and this is "
            f"`{origin_of(target)}` - write `webagent-dev login {target} --session OTHER` for that one"
        )
    if session.has_expired:
        raise UsageError(
            f"the session `{name}` has expired - its cookies ended on {day_of(session.expires_s or 0)} - "
            f"{session.remedy}"
        )
    return session


def delete_session(name: str) -> None:
    """Delete a session.

    Raises:
        UsageError: There is none, or it cannot be deleted.
    """
    path = path_of(name)
    try:
        path.unlink()
    except OSError as error:
        raise UsageError(
            f"the session `{name}` cannot be deleted - {error.strerror or error} - "
            "`webagent-dev sessions` lists those that are kept"
        ) from None


def day_of(at_s: float) -> str:
    """Return the day of a time, as ISO 8601 has it."""
    # A server may name a year that calendars do not have.
    return datetime.fromtimestamp(min(at_s, _LAST_S)).date().isoformat()


def _counted(count: int, noun: str) -> list[str]:
    return [f"{count} {noun}{'' if count == 1 else 's'}"] if count else []


def _folder() -> Path:
    return state_folder() / "sessions"


def _host(origin: str) -> str:
    """Return the host of an origin, as cookies have it."""
    host = urlsplit(origin).hostname or ""
    return f"[{host}]" if ":" in host else host


def _is_for(host: str, domain: str) -> bool:
    """Whether a cookie of a domain is sent to a host."""
    return host == domain.removeprefix(".") or (
        domain.startswith(".") and f".{host}".endswith(domain)
    )


def _texts(value: str) -> Iterator[str]:
    """Yield the texts in a value that is JSON, or else the value."""
    try:
        waiting = [read_json(value)]
    except ValueError:
        waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case list(inner):
                waiting += inner
            case dict(inner):
                waiting += inner.values()
            case int(number):
                yield str(number)


def _each_text(data: Any, change: Callable[[str], str]) -> Any:
    """Return JSON data with each text in it changed."""
    match data:
        case str(text):
            return change(text)
        case list(items):
            return [_each_text(item, change) for item in items]
        case dict(entries):
            return {change(key): _each_text(value, change) for key, value in entries.items()}
    return data


def _parsed(name: str, data: Any) -> SavedSession:
    session = SavedSession(name, **data)
    texts = [session.origin]
    for cookie in session.cookies:
        if cookie.keys() != _COOKIE_TYPES.keys():
            raise TypeError("not a cookie")
        if not all(isinstance(cookie[key], kind) for key, kind in _COOKIE_TYPES.items()):
            raise TypeError("not a cookie")
    for item in session.local_storage:
        texts += [item["name"], item["value"]]
    if type(session.made_s) is not int or not all(isinstance(text, str) for text in texts):
        raise TypeError("not a session")
    if origin_of(session.origin) != session.origin:
        raise ValueError("not an origin")
    return session
