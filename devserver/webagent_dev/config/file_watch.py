"""Says in the terminal when `webagent.toml` is saved, and what is wrong with it now."""

from __future__ import annotations

from pathlib import Path

import anyio

from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import CONFIG_NAME, find_config
from webagent_dev.errors import ConfigError
from webagent_dev.terminal import Console, printable

POLL_S = 1.0
"""How often the file is read: it may lie where nothing else is watched."""

Version = tuple[Path, bytes] | None
"""Where the file lies and what is in it; None when there is none."""


class ConfigWatch:
    """Follows the file that a restart would read."""

    def __init__(self, config: ServeConfig, console: Console) -> None:
        """Take the file as it is now for the one that the server was started with."""
        self._root = config.root
        self._console = console
        self._started = self._told = self._seen = self._version()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await anyio.sleep(POLL_S)
            self.look()

    def look(self) -> None:
        """Tell of a change that has stayed the same since the last look: it is no half of a save."""
        version = self._version()
        settled = version == self._seen
        self._seen = version
        if settled and version != self._told:
            self._told = version
            self._tell(version)

    def _tell(self, version: Version) -> None:
        if version == self._started:
            self._console.labelled("config", f"{CONFIG_NAME} is as it was at the start again")
            return
        if version is None:
            self._say("is gone")
            return
        # Brings pydantic, which a server without the file does not need.
        from webagent_dev.config.toml_file import read_config

        try:
            read_config(version[0])
        except ConfigError as error:
            for line in str(error).split("\n"):
                self._console.labelled("config", printable(line), "red")
            return
        self._say("is new" if self._started is None else "has changed")

    def _say(self, what: str) -> None:
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
