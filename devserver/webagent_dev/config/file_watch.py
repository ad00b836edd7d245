"""Reports in the terminal when `webagent.toml` was saved, and what is wrong with it then."""

from __future__ import annotations

import asyncio
from pathlib import Path

from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import CONFIG_NAME, find_config
from webagent_dev.terminal import Console
from webagent_site.errors import ConfigError
from webagent_site.text import printable

POLL_S = 1.0
"""How often the file is read. It may be in a folder that is not watched."""

Version = tuple[Path, bytes] | None
"""The path and the content of the file; None when there is no file."""


class ConfigWatch:
    """Follows the file that a restart would read."""

    def __init__(self, config: ServeConfig, console: Console) -> None:
        """Take the present file for the one that the server was started with."""
        self._root = config.root
        self._console = console
        self._started = self._reported = self._seen = self._version()

    async def run(self) -> None:
        """Check the file again and again, until cancelled."""
        while True:
            await asyncio.sleep(POLL_S)
            self.check()

    def check(self) -> None:
        """Report a change that was there at the last check too, so that it is not half of a save."""
        version = self._version()
        settled = version == self._seen
        self._seen = version
        if settled and version != self._reported:
            self._reported = version
            self._report(version)

    def _report(self, version: Version) -> None:
        if version == self._started:
            self._console.labelled("config", f"{CONFIG_NAME} is as it was at the start again")
            return
        if version is None:
            self._ask_for_restart("is gone")
            return
        # It imports pydantic, which a server without the file does not need.
        from webagent_dev.config.toml_file import read_config

        try:
            read_config(version[0])
        except ConfigError as error:
            for line in str(error).split("\n"):
                self._console.labelled("config", printable(line), "red")
            return
        self._ask_for_restart("is new" if self._started is None else "has changed")

    def _ask_for_restart(self, what: str) -> None:
        self._console.labelled(
            "config",
            f"{CONFIG_NAME} {what} - it is read at the start only - "
            "press Ctrl-C and start the server again",
            "yellow",
        )

    def _version(self) -> Version:
        file = find_config(str(self._root))
        try:
            return (file, file.read_bytes()) if file else None
        except OSError:
            return None
