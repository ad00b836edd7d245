"""The site that is tested: where it is, its manifest, and what puts its data back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from webagent_dev.config.resolve import find_config, resolve_config
from webagent_dev.config.toml_file import ContractSection, LoginSession, read_config
from webagent_dev.contract.sign_in import Login, login_of
from webagent_dev.site.documents import Document, read_document
from webagent_dev.site.source import source_of
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME, is_address, is_local
from webagent_site.errors import ConfigError, UsageError

RESET_S = 120.0
"""How long the command may take that puts the site's data back."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A site to test."""

    target: str
    """The path of a folder, or an address."""
    shown: str
    """Its name in the report."""
    document: Document
    """Its manifest; an empty one where a folder has none."""
    spa: bool | None = None
    """Whether the first page of a folder answers for paths that lead nowhere."""
    reset_command: str | None = None
    """Puts its data back."""
    folder: Path = Path()
    """Where that command runs."""
    login: Login | None = None
    """How visitors are signed in."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """The path of a page, by a pattern of the manifest that it is an example of."""
    allow_writes: bool = False
    """Whether its configuration allows writing tools to be called; never on another machine."""

    def refuse_writes(self) -> None:
        """Refuse to call writing tools where nothing puts back what they write.

        Raises:
            UsageError: The site has a server, and nothing is configured.
        """
        if is_address(self.target) and not self.reset_command:
            host = urlsplit(self.target).hostname or ""
            whose = "your server" if is_local(host) else f"`{host}`"
            raise UsageError(
                f"writing tools would change what {whose} keeps - nothing is configured that puts it back - "
                'write `reset = "…"`, a command, under `[test]` in webagent.toml'
            )

    async def reset(self) -> None:
        """Restore the data of the site; a folder of files has none.

        Raises:
            UsageError: The command failed.
        """
        if self.reset_command is None:
            return
        # A line of the person's own configuration, as in the scripts of a package.json.
        process = await asyncio.create_subprocess_shell(
            self.reset_command,
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(RESET_S):
                output, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise self._failed(f"it did not end within {RESET_S:g} s") from None
        if process.returncode:
            last = output.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise self._failed(f"it ended with {process.returncode}: {last or 'it says nothing'}")

    def _failed(self, why: str) -> UsageError:
        return UsageError(
            f"`{self.reset_command}` did not put the site back - {why} - "
            "run it by hand to see more, or mend `[test] reset` in webagent.toml"
        )


def subject_of(
    target: str | None, notes: Console, *, spa: bool | None, session: str | None = None
) -> Subject:
    """Return the site that was typed, or that the configuration names.

    Args:
        target: An address, the path of a folder, or None.
        notes: Where a failure of the command that makes the manifest is reported.
        spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
            configuration says.
        session: The name of the session that visitors are signed in with, instead of what the
            configuration says.

    Raises:
        UsageError: There is no such site or session, or its manifest cannot be read.
    """
    try:
        if target is not None and is_address(target):
            file = find_config(None)
            section = _section(file, session)
            return _subject(target, target, read_document(target), section, file, spa)
        config = resolve_config(target)
        section = _section(config.file, session)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    source = source_of(config, notes)
    path = source.file() or config.root / MANIFEST_NAME
    name = _shown(path)
    document = Document(name, source.read() or b"", source.file())
    if config.proxy and target is None:
        return _subject(f"{config.proxy}/", config.proxy, document, section, config.file, spa)
    return _subject(str(config.root), _shown(config.root), document, section, config.file, spa)


def _section(file: Path | None, session: str | None) -> ContractSection:
    section = read_config(file).test if file else ContractSection()
    if session is None:
        return section
    return section.model_copy(update={"login": LoginSession(session=session)})


def _subject(
    target: str,
    shown: str,
    document: Document,
    section: ContractSection,
    file: Path | None,
    spa: bool | None,
) -> Subject:
    folder = file.parent if file else Path()
    here = not is_address(target) or is_local(urlsplit(target).hostname or "")
    # The file is for the site on this machine. For a site with visitors the user types the option.
    allowed = here and bool(section.allow_writes)
    login = login_of(section.login, folder, target)
    paths = section.paths
    return Subject(
        target, shown, document, spa, section.reset, folder, login, paths, allow_writes=allowed
    )


def _shown(path: Path) -> str:
    """Return a path as it is typed from here."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()
