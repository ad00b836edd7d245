"""Build the site of the documentation into `dist/docs`: `python scripts/docs.py`.

The pages are those of `docs`, with the READMEs of the packages and CONTRIBUTING. The navigation is
what `docs/README.md` and `docs/design/README.md` list. Each version has a folder, and those of
other versions stay. `make docs` installs what this needs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from links import check
from pages import DOCS, counts, table

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "dist" / "docs"
WORK = ROOT / ".cache" / "docs"
SITE = ROOT / "docs_site"
ELSEWHERE = {
    PurePosixPath("CONTRIBUTING.md"): "design/contributing.md",
    PurePosixPath("core/README.md"): "reference/core.md",
    PurePosixPath("devserver/README.md"): "how-to/development-server.md",
    PurePosixPath("siteserver/README.md"): "how-to/site-server.md",
}
"""Pages that are not in `docs`, each with its place in the site."""

LINK = re.compile(
    r"^(?P<mark>`{3,}).*?^(?P=mark)$"
    r"|(?P<picture>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]"
    r"\((?!\w+:|#)(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]+)?\)"
    r"|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)
"""A link, or code, in which links are examples."""
ENTRY = re.compile(r"(?:\| |- )\[(?P<title>.+?)\]\((?P<target>[^)#]+)\)")

Places = dict[PurePosixPath, str]
"""The place in the site of each file, by its path in the repository."""


def places() -> Places:
    """Return what the site has: the documentation with its pictures and examples, and what else."""
    found = {
        PurePosixPath(path.relative_to(ROOT)): path.relative_to(DOCS).as_posix()
        for path in sorted(DOCS.rglob("*"))
        # The site has no use for the sources of the examples, and their manifests are not pages.
        if path.parent.name in ("images", "deploy")
        or (path.suffix == ".md" and path.name != "webagents.md")
    }
    return found | ELSEWHERE


def moved(text: str, path: PurePosixPath, site: Places, repository: str) -> str:
    """Return the text of a page with the links that are right in the site.

    Args:
        text: Of the page.
        path: Of the page in the repository.
        site: The places of all files.
        repository: Its address; without one, links to files that the site lacks become text.
    """

    def link(match: re.Match[str]) -> str:
        if not match["target"]:
            # Words after the language of an example are for the tests.
            return re.sub(r"\A(`{3,}\S*)[^\n]*", r"\1", match[0])
        aim = PurePosixPath(os.path.normpath(path.parent / match["target"]))
        if aim in site:
            way = PurePosixPath(os.path.relpath(site[aim], PurePosixPath(site[path]).parent))
            return f"{match['picture']}[{match['words']}]({way}{match['anchor'] or ''})"
        return f"[{match['words']}]({repository}/blob/main/{aim})" if repository else match["words"]

    return LINK.sub(link, text)


def entries(path: PurePosixPath, lines: list[str], site: Places) -> list[Any]:
    """Return the pages that the lines of a page list, as the navigation names them."""
    found: list[Any] = []
    for entry in filter(None, map(ENTRY.match, lines)):
        place = site[PurePosixPath(os.path.normpath(path.parent / entry["target"]))]
        folder = PurePosixPath(place).parent
        index = PurePosixPath(place).name == "README.md"
        below = [other for other in site.values() if PurePosixPath(other).parent == folder]
        title = entry["title"].replace("`", "")
        found.append({title: [place, *sorted({*below} - {place})] if index else place})
    return found


def navigation(site: Places) -> list[Any]:
    """Return the sections with their groups of pages."""
    path, design = PurePosixPath("docs/README.md"), PurePosixPath("docs/design/README.md")
    found: list[Any] = [{"Overview": "README.md"}]
    for section in re.split(r"^## ", (ROOT / path).read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, *groups = re.split(r"^(\w.*):$", section, flags=re.MULTILINE)
        name, *lines = title.splitlines()
        pages = entries(path, lines, site)
        for group, rows in zip(groups[0::2], groups[1::2], strict=True):
            pages.append({group: entries(path, rows.splitlines(), site)})
        found.append({name: pages})
    decisions = entries(design, (ROOT / design).read_text("utf-8").splitlines(), site)
    contributing = {"Contributing": ELSEWHERE[PurePosixPath("CONTRIBUTING.md")]}
    return [*found, {"Design": ["design/README.md", contributing, *decisions]}]


def toml(value: Any) -> str:
    """Return a text, a list or a dictionary as TOML has it on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def render(settings: str, repository: str) -> Path:
    """Write the pages as HTML, and return their folder."""
    shutil.rmtree(WORK, ignore_errors=True)
    source, built = WORK / "source", WORK / "site"
    site = places()
    for path, place in site.items():
        (source / place).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = moved((ROOT / path).read_text("utf-8"), path, site, repository)
            (source / place).write_text(text, "utf-8")
        else:
            shutil.copy(ROOT / path, source / place)
    for name in ("style.css", "tools.js", "shop.js"):
        shutil.copy(SITE / name, source / name)
    (WORK / "theme").symlink_to(SITE / "theme")
    added = {"docs_dir": source.name, "site_dir": built.name, "nav": navigation(site)}
    lines = "".join(f"{key} = {toml(value)}\n" for key, value in added.items())
    (WORK / "zensical.toml").write_text(settings.replace("[project]\n", f"[project]\n{lines}", 1))
    run("zensical", "build", "--clean", "--config-file", str(WORK / "zensical.toml"))
    # Hosts show one for all versions.
    (built / "404.html").unlink()
    for name in ("webagents.md", "webagent.toml"):
        shutil.copy(SITE / name, built / name)
    copy_shop(built / "shop")
    return built


def copy_shop(target: Path) -> None:
    """Copy the demo shop, whose pages then announce a manifest of their own."""
    left_out = shutil.ignore_patterns(
        ".*", "404.html", "AGENTS.md", "README.md", "evals.json", "run_agent.py", "tests"
    )
    shutil.copytree(ROOT / "site_template", target, ignore=left_out)
    for page in target.glob("*.html"):
        text = page.read_text("utf-8")
        page.write_text(text.replace('content="/webagents.md"', 'content="webagents.md"'))


def run(command: str, *arguments: str) -> None:
    """Run a command of the environment; show what it says if it fails."""
    done = subprocess.run(
        [Path(sys.executable).with_name(command), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout)
        raise SystemExit(f"docs: `{command} {arguments[0]}` failed")


def announce() -> None:
    """Write the list of versions, the newest first, and the page that leads to that one."""
    built = [path.name for path in OUT.iterdir() if re.fullmatch(r"\d+\.\d+", path.name)]
    built.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    listed = [
        {"version": name, "title": name, "aliases": ["latest"] if name == built[0] else []}
        for name in built
    ]
    (OUT / "versions.json").write_text(json.dumps(listed, indent=2) + "\n")
    (OUT / "index.html").write_text(
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>webagent</title>\n'
        '<link rel="icon" href="data:,">\n'
        f'<meta http-equiv="refresh" content="0; url={built[0]}/">\n'
        f'<a href="{built[0]}/">The documentation of webagent {built[0]}</a>\n</html>\n'
    )


def main() -> int:
    """Build the site and check it; return the exit code."""
    settings = (SITE / "zensical.toml").read_text("utf-8")
    project = tomllib.loads(settings)["project"]
    core = tomllib.loads((ROOT / "core/pyproject.toml").read_text("utf-8"))["project"]
    version = ".".join(core["version"].split(".")[:2])
    base = f"{urlsplit(project.get('site_url', '/')).path}{version}/"
    rendered = render(settings, project.get("repo_url", ""))
    shutil.rmtree(OUT / version, ignore_errors=True)
    run("webagent-dev", "build", str(rendered), "--out", str(OUT / version), "--base", base)
    run("webagent-dev", "playground", "--build", str(OUT / version / "playground"))
    announce()
    print(table(counts(DOCS)))
    return check(OUT / version, base)


if __name__ == "__main__":
    raise SystemExit(main())
