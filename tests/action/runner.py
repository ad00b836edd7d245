"""Runs the steps of the action as GitHub does: the environment, the log, the files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote

from tests.chromium import find_chromium

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "action" / "run.sh"
RULES_URL = "https://code.example/webagent/blob/v0/docs/reference/rules"
_COMMAND = re.compile(r"::([\w-]+)(?: (.*?))?::(.*)")


@dataclass(frozen=True)
class Annotation:
    """An annotation, as a pull request shows it."""

    level: str
    file: str
    line: int
    title: str
    text: str


@dataclass(frozen=True)
class Run:
    """The results of a run of the script."""

    code: int
    log: str
    summary: str
    outputs: dict[str, str]
    reports: Path

    @property
    def commands(self) -> list[tuple[str, str, str]]:
        """The commands in the log that GitHub follows: name, properties, text."""
        found = []
        resumes = ""
        for line in map(str.strip, self.log.splitlines()):
            if resumes:
                resumes = "" if line == f"::{resumes}::" else resumes
            elif match := _COMMAND.fullmatch(line):
                if match[1] == "stop-commands":
                    resumes = match[3]
                else:
                    found.append((match[1], match[2] or "", match[3]))
        assert not resumes
        return found

    @property
    def annotations(self) -> list[Annotation]:
        """All annotations, in order."""
        found = []
        for level, written, text in self.commands:
            pairs = (pair.split("=", 1) for pair in written.split(","))
            given = {name: unquote(value) for name, value in pairs}
            place = given.get("file", ""), int(given.get("line", 0))
            found.append(Annotation(level, *place, given["title"], unquote(text)))
        return found


def run(
    folder: Path,
    *,
    on_github: bool = True,
    environment: Mapping[str, str] = MappingProxyType({}),
    **variables: str,
) -> Run:
    """Run the script.

    Args:
        folder: Where it runs: the workspace.
        on_github: Whether the variables of GitHub's runner are set.
        environment: Variables of the machine beside those of this process.
        variables: Those of the script; `site` is `$WEBAGENT_SITE`.
    """
    chromium = find_chromium()
    assert chromium
    out = folder.parent / f"{folder.name}.out"
    out.mkdir(exist_ok=True)
    files = {name: out / name for name in ("summary", "output")}
    for file in files.values():
        file.write_text("")
    github = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(files["summary"]),
        "GITHUB_OUTPUT": str(files["output"]),
    }
    machine = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    machine |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "CHROMIUM": chromium,
        "WEBAGENT_REPORTS": str(out / "reports"),
        **(github if on_github else {}),
        **environment,
        **{f"WEBAGENT_{name.upper()}": value for name, value in variables.items()},
    }
    done = subprocess.run(
        ["sh", SCRIPT],
        cwd=folder,
        env=machine,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    summary, output = (file.read_text("utf-8") for file in files.values())
    outputs = dict(line.split("=", 1) for line in output.splitlines())
    return Run(done.returncode, done.stdout, summary, outputs, out / "reports")
