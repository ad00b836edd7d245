"""Puts files of the repository into the packages, which a source package has already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FilesBeside(BuildHookInterface[Any]):
    """Includes files and folders that are beside this project, by `beside` of `pyproject.toml`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include them, unless this is a source package, or nothing is packed."""
        if version == "editable" or (Path(self.root) / "PKG-INFO").is_file():
            return
        for path, place in self.config["beside"].items():
            build_data["force_include"][str(Path(self.root) / path)] = place
