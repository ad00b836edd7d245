"""`webagent-dev build`: a site as static files."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
from click.testing import CliRunner, Result

from tests.devserver.conftest import MANIFEST
from webagent_dev.cli import build as build_command
from webagent_dev.cli.build import build_site
from webagent_dev.cli.main import main
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError
from webagent_site.http.bundle_files import integrity

SANDBOX = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'


@pytest.fixture(name="bundle")
def _bundle(bundle: Path) -> Path:
    """The bundle of the other tests, with what a site needs besides."""
    (bundle / "modelcontext.js").write_text("/* modelContext */", encoding="utf-8")
    for name in ("dev.js", "logs.js"):
        (bundle / name).write_text("", encoding="utf-8")
    (bundle / "sandbox.html").write_text(SANDBOX, encoding="utf-8")
    sizes = {"assets/0123/a.wasm": 4}
    listed = {"build": "b1", "sizes": sizes, "snapshot": {"sizes": sizes}}
    (bundle / "bundle.json").write_text(json.dumps(listed))
    return bundle


@pytest.fixture(name="out")
def _out(tmp_path: Path) -> Path:
    return tmp_path / "out"


class Build:
    """Builds a site, and holds what was printed."""

    def __init__(self, root: Path, bundle: Path, out: Path, terminal: object) -> None:
        self.root, self.bundle, self.out, self.terminal = root, bundle, out, terminal

    def __call__(self, **options: object) -> bool:
        given = {"out": self.out, "bundle": self.bundle, **options}
        return build_site(self.root, Console(self.terminal), **given)  # type: ignore[arg-type]

    @property
    def printed(self) -> str:
        return self.terminal.getvalue()  # type: ignore[attr-defined, no-any-return]

    def page(self, name: str = "index.html") -> str:
        return (self.out / name).read_text("utf-8")


@pytest.fixture(name="build")
def _build(root: Path, bundle: Path, out: Path, terminal: object) -> Build:
    return Build(root, bundle, out, terminal)


def test_a_long_build_shows_its_progress(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short one does not."""
    assert build()
    assert "compressed copies are written" not in build.printed

    monkeypatch.setattr(build_command, "_QUIET_S", 0.0)
    assert build()
    assert len(re.findall(r"^1 of \d+ compressed copies are written$", build.printed, re.M)) == 1


def test_a_site_is_copied_with_the_agent_in_its_pages(build: Build) -> None:
    """The scripts are named by what is in the bundle, with the hashes of the files."""
    assert build()
    tags = re.findall(r'<script[^>]* src="/([^"]+)" integrity="([^"]+)"', build.page())

    assert [path.rsplit("/", 1)[1] for path, _ in tags] == ["global.js", "webagent.js"]
    for path, hashed in tags:
        assert integrity((build.out / path).read_bytes()) == hashed
    assert 'content="/webagents.md"' in build.page()
    assert 'data-manifest="/webagents.md"' in build.page()
    assert (build.out / "style.css").read_bytes() == (build.root / "style.css").read_bytes()
    assert (build.out / "webagents.md").read_text("utf-8") == MANIFEST


def test_a_page_may_announce_a_manifest_of_its_own(build: Build) -> None:
    """Its agent has the tools of that manifest, and not those of the site."""
    (build.root / "shop").mkdir()
    (build.root / "shop" / "webagents.md").write_text(MANIFEST, "utf-8")
    (build.root / "shop" / "index.html").write_text(
        '<!doctype html><meta name="webagents-md" content="webagents.md"><title>Shop</title>'
    )
    assert build(base="/app/")

    assert 'data-manifest="webagents.md"' in build.page("shop/index.html")
    assert 'data-manifest="/app/webagents.md"' in build.page()


def test_tests_of_the_site_are_not_published(build: Build) -> None:
    """Neither they nor what pytest leaves behind are for visitors; other Python is."""
    kept = ("tests/test_shop.py", "conftest.py", "shop_test.py", ".pytest_cache/README.md")
    for name in (*kept, "tests/index.html", "lib/shop.py"):
        (build.root / name).parent.mkdir(exist_ok=True)
        (build.root / name).write_text("", encoding="utf-8")

    assert build()
    assert not any((build.out / name).exists() for name in kept)
    assert (build.out / "tests/index.html").is_file()
    assert (build.out / "lib/shop.py").is_file()


def test_files_that_often_hold_secrets_are_not_published(build: Build) -> None:
    """Those that somebody may miss are named, and an allowed one is published."""
    names = (".envrc", ".aws/credentials", "id_rsa", "data/app.sqlite3", "dump.sql", "evals.json")
    for name in names:
        (build.root / name).parent.mkdir(exist_ok=True)
        (build.root / name).write_text("secret", encoding="utf-8")

    assert build(allow_files=["data/app.sqlite3"])
    published = [path.name for path in build.out.rglob("*")]
    assert (build.out / "data/app.sqlite3").read_text() == "secret"
    assert not {"credentials", ".envrc", "id_rsa", "dump.sql", "evals.json"} & {*published}
    for name in ("id_rsa", "dump.sql", "evals.json"):
        assert f"{name}: left out, since files with such names often hold secrets" in build.printed
    assert "app.sqlite3: left out" not in build.printed
    assert ".envrc" not in build.printed


def test_the_name_of_the_bundle_changes_with_it(build: Build) -> None:
    """The same bundle has the same name, and another has another."""
    build()
    first = build.page()
    build()
    assert build.page() == first
    (build.bundle / "webagent.js").write_text("export const a = 1;")
    build()

    assert build.page() != first
    assert len([path for path in (build.out / "webagent").iterdir() if path.is_dir()]) == 1


def test_copies_that_the_bundle_has_are_published(build: Build) -> None:
    """Those of its files as they are; what is missing or wrong is made."""
    script = b"export const a = 1;\n" * 200
    (build.bundle / "webagent.js").write_bytes(script)
    digests = {"identity": hashlib.sha256(script).hexdigest()}
    for coding, suffix, copy in (("zstd", ".zst", b"as it is"), ("br", ".br", b"broken")):
        (build.bundle / f"webagent.js{suffix}").write_bytes(copy)
        digests[coding] = hashlib.sha256(b"as it is").hexdigest()
    index = json.loads((build.bundle / "bundle.json").read_text("utf-8"))
    index["variants"] = {"webagent.js": digests}
    (build.bundle / "bundle.json").write_text(json.dumps(index))
    build()
    (published,) = build.out.glob("webagent/*/webagent.js")
    folder = published.parent

    assert (folder / "webagent.js.zst").read_bytes() == b"as it is"
    assert brotli.decompress((folder / "webagent.js.br").read_bytes()) == script
    assert gzip.decompress((folder / "webagent.js.gz").read_bytes()) == script
    assert not list(folder.rglob("*.zst.*"))


def test_under_a_base_all_our_files_are_found(build: Build) -> None:
    """The tag that announces the manifest is changed; links that begin at the root are reported."""
    (build.root / "index.html").write_text(
        '<!doctype html><head><meta name="webagents-md" content="/webagents.md">'
        '<link rel="stylesheet" href="/style.css"><a href="//other/">x</a><img src="/app/a.png">'
    )
    build(base="app")
    page = build.page()

    assert 'content="/app/webagents.md"' in page
    assert page.count("webagents-md") == 1
    assert 'src="/app/webagent/' in page
    assert "index.html: `/style.css` begins at the root" in build.printed
    assert "`//other/`" not in build.printed


@pytest.mark.parametrize(
    "tag",
    [
        '<meta name="webagents-md" content="ADDRESS">',
        "<meta content='ADDRESS' name=webagents-md>",
        '<link type="text/de/webagents.md" rel="webagents-md" href= "ADDRESS" />',
        "<link rel=webagents-md href=ADDRESS>",
    ],
)
def test_under_a_base_a_manifest_of_a_page_is_found(build: Build, tag: str) -> None:
    """Its address changes, and the tag of the agent names it too."""
    (build.root / "de").mkdir()
    (build.root / "de/webagents.md").write_text("# Laden")
    page = f"<!doctype html><head>{tag.replace('ADDRESS', '/de/webagents.md')}"
    (build.root / "index.html").write_text(page)
    build(base="/app/")

    assert tag.replace("ADDRESS", "/app/de/webagents.md") in build.page()
    assert 'data-manifest="/app/de/webagents.md"' in build.page()


def test_under_a_base_tools_are_on_the_pages_that_they_name(build: Build) -> None:
    """Every other byte of the manifest stays."""
    text = "# Shop\r\n\r\n## payOrder\nPay at /pay.\n\n### Params\n\n### Behavior\n- paths: /pay, /p/*\n"
    (build.root / "webagents.md").write_bytes(text.encode())
    assert build(base="/app/")
    there = (build.out / "webagents.md").read_bytes().decode()
    assert there == text.replace("/pay, /p/*", "/app/pay, /app/p/*")


def test_the_manifest_is_written_as_json_too(build: Build) -> None:
    """With the schemas of what each tool takes and gives."""
    build()
    data = json.loads((build.out / "webagents.json").read_text("utf-8"))

    assert (data["name"], data["description"]) == ("Shop", "Sells books.")
    assert data["tools"][0]["inputSchema"]["required"] == ["query"]


def test_every_file_is_listed_with_its_hash(build: Build) -> None:
    """So that a host can be checked."""
    build()
    listed = json.loads((build.out / "webagent/files.json").read_text("utf-8"))
    there = {
        path.relative_to(build.out).as_posix() for path in build.out.rglob("*") if path.is_file()
    }

    assert set(listed) == there - {"webagent/files.json"}
    assert all(integrity((build.out / name).read_bytes()) == listed[name] for name in listed)


def test_model_context_comes_where_scripts_use_it(build: Build) -> None:
    """A site whose scripts offer tools has it before them."""
    (build.root / "a.js").write_text("document.modelContext.registerTool({});")
    build()

    assert re.search(r"global\.js.*modelcontext\.js.*webagent\.js", build.page(), re.DOTALL)


@pytest.mark.parametrize("name", ["components.js", "dom.js", "screenshot.js"])
def test_scripts_that_import_ours_find_them(build: Build, name: str) -> None:
    """The address of the development server becomes that of the published file."""
    (build.root / "parts.js").write_text(f'import("/__webagent__/{name}"); "/__webagent__/x.js"')
    build(base="/app/")
    script = build.page("parts.js")
    found = re.search(rf'import\("(/app/webagent/[0-9a-f]{{16}}/){re.escape(name)}"\)', script)

    assert found
    assert found[1] in build.page()
    assert '"/__webagent__/x.js"' in script


def test_options_and_the_model_are_in_the_tag(build: Build) -> None:
    """Their values are escaped."""
    build(options={"start": "idle"}, llm='/llm/v1#"é"')

    assert ' data-start="idle"' in build.page()
    assert ' data-llm="/llm/v1#&quot;&#233;&quot;"' in build.page()


def test_a_fallback_is_in_the_tag_and_in_the_policy(build: Build) -> None:
    """A page may send requests to both models."""
    build(llm="/llm/v1#a", llm_fallback="anthropic+https://m.example/v1#b")

    assert ' data-llm="/llm/v1#a" data-llm-fallback="anthropic+https://m.example' in build.page()
    assert "connect-src 'self' https://m.example;" in build.printed


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ({"llm_fallback": "/llm/v1#b"}, "`--llm-fallback` is given without a model"),
        ({"llm": "/llm/v1#a", "llm_fallback": "ftp://x"}, "write `--llm-fallback /llm/v1#NAME`"),
    ],
)
def test_a_fallback_needs_a_model_and_an_address(
    build: Build, models: dict[str, str], words: str
) -> None:
    """Nothing is written before."""
    with pytest.raises(UsageError, match=re.escape(words)):
        build(**models)


def test_headers_for_the_server_are_printed(build: Build) -> None:
    """Both policies, the tags, and how long the bundle may be kept."""
    build()

    assert "script-src 'self' 'wasm-unsafe-eval'" in build.printed
    assert "default-src 'none'" in build.printed
    assert '<script type="module"' in build.printed
    assert "immutable" in build.printed


@pytest.mark.parametrize(
    ("script", "needed"),
    [
        ('box.innerHTML = `<p style="color:${colour}">`;', True),
        ("box.innerHTML = '<p style=\\'color:red\\'>';", True),
        ("const sheet = `<style>p {}</style>`;", True),
        ("box.style = 'color: red'; box.style.color = 'red';", False),
    ],
)
def test_styles_in_markup_that_scripts_make_are_allowed(
    build: Build, script: str, needed: bool
) -> None:
    """Else the site would look otherwise than it did; what needs no leave gets none."""
    (build.root / "a.js").write_text(script)
    build()

    assert ("'unsafe-inline'" in build.printed) is needed


def test_a_manifest_with_errors_is_not_published(build: Build) -> None:
    """Nothing is written."""
    (build.root / "webagents.md").write_text("# Shop\n\n## a\n\n### Params\n- `b` (Array<): c\n")

    assert not build()
    assert not build.out.exists()
    assert "webagent-dev check" in build.printed


def test_a_site_without_manifest_is_built(build: Build) -> None:
    """Its forms and scripts may offer tools; nothing is announced."""
    (build.root / "webagents.md").unlink()
    build()

    assert "webagents-md" not in build.page()
    assert not (build.out / "webagents.json").exists()


def test_a_manifest_that_is_announced_and_missing_stops_the_build(build: Build) -> None:
    """Visitors would get an agent without tools; nothing is written."""
    (build.root / "webagents.md").unlink()
    page = '<!doctype html><head><meta name="webagents-md" content="/static/webagents.md"></head>'
    (build.root / "index.html").write_text(page)

    assert not build()
    assert not build.out.exists()
    assert "index.html: it announces `/static/webagents.md`, which is not in" in build.printed


@pytest.mark.parametrize(
    ("place", "remedy"),
    [("webagents.md", "move it there"), ("public/webagents.md", "run Vite's build again")],
)
def test_the_manifest_of_a_project_is_in_its_output(
    build: Build, tmp_path: Path, place: str, remedy: str
) -> None:
    """Where pages do not announce it either, nothing else would show that it is missing."""
    project = tmp_path / "project"
    (project / "public").mkdir(parents=True)
    (project / "package.json").write_text('{"devDependencies": {"vite": "8"}}')
    (project / place).write_text(MANIFEST)
    build.root = build.root.rename(project / "dist")
    (build.root / "webagents.md").unlink()

    assert not build()
    assert f"{project / place}: it is not in `dist`" in build.printed
    assert f"Vite copies public/webagents.md - {remedy}" in build.printed
    (build.root / "webagents.md").write_text(MANIFEST)
    assert build()


@pytest.mark.parametrize("spa", [True, False])
def test_deep_links_of_an_application_need_a_fallback(build: Build, spa: bool) -> None:
    """It is said to be one, or its tools are on pages that no file is."""
    paths = "" if spa else "\n### Behavior\n- paths: /repairs/*\n"
    (build.root / "webagents.md").write_text(MANIFEST + paths)
    (build.root / "index.html").write_text(
        '<!doctype html><head></head><script type="module" src="app.js"></script>'
    )
    build(spa=spa)
    link = "/any/page" if spa else "/repairs/*"

    assert f"`{link}`: no file answers such a deep link" in build.printed
    assert "index.html: `app.js` is relative to the page" in build.printed


@pytest.mark.parametrize("fallback", ["404.html", "_redirects", None])
def test_an_application_with_a_fallback_is_built_without_a_word(
    build: Build, fallback: str | None
) -> None:
    """So is a site whose pages are files."""
    page = '<!doctype html><head></head><script type="module" src="/app.js"></script>'
    (build.root / "index.html").write_text(page)
    if fallback:
        text = page if fallback == "404.html" else "/* /index.html 200\n"
        (build.root / fallback).write_text(text)
    build(spa=fallback is not None)

    assert "deep link" not in build.printed


def test_parts_of_pages_are_copied_as_they_are(build: Build) -> None:
    """Tags go into whole pages only."""
    (build.root / "part.html").write_text("<p>part</p>")
    build()

    assert build.page("part.html") == "<p>part</p>"


def test_only_built_files_are_replaced(build: Build) -> None:
    """A file of somebody else stops the build; the output may be inside of the site."""
    build.out = build.root / "dist"
    build()
    (build.root / "old.txt").write_text("x")
    build()
    (build.root / "old.txt").unlink()
    build()
    assert not (build.out / "old.txt").exists()
    assert not (build.out / "dist").exists()
    (build.out / "mine.txt").write_text("x")

    with pytest.raises(UsageError, match=r"mine\.txt` is in the way"):
        build()
    assert (build.out / "mine.txt").exists()


@pytest.mark.parametrize("writes", [1, 3, 5, 7, 9, 11, 13, 15])
def test_a_build_that_was_killed_is_replaced(
    build: Build, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it was; a file that somebody else has put there since stops the next one."""
    (build.root / "long.txt").write_text("long " * 1000)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", killed_after(writes))
        with pytest.raises(KeyboardInterrupt):
            build()
    assert build.out.is_dir()
    (build.out / "mine.txt").write_text("x")
    with pytest.raises(UsageError, match=r"mine\.txt` is in the way"):
        build()

    (build.out / "mine.txt").unlink()
    assert build()


def killed_after(writes: int) -> Callable[[Path, bytes], int]:
    """A `Path.write_bytes` that leaves half of its last file."""
    done = 0
    write = Path.write_bytes

    def write_bytes(path: Path, content: bytes) -> int:
        nonlocal done
        done += 1
        if done >= writes:
            write(path, content[: len(content) // 2])
            raise KeyboardInterrupt
        return write(path, content)

    return write_bytes


def test_a_list_of_files_cannot_name_others(build: Build) -> None:
    """A file outside of the folder is not removed, even if the list names it."""
    build()
    other = build.out.parent / "other.txt"
    other.write_text("x")
    listed = build.out / "webagent/files.json"
    listed.write_text(json.dumps({**json.loads(listed.read_text()), "../other.txt": ""}))
    build()

    assert other.exists()


@pytest.mark.parametrize("base", ["/a?b/", "//x", "/../", "https://a/?b", "/100%/"])
def test_a_base_is_a_path(build: Build, base: str) -> None:
    """Nothing else is taken for one."""
    if base == "//x":
        base = "/x//y/"
    with pytest.raises(UsageError, match="is not the path of a URL"):
        build(base=base)


def test_a_base_is_written_as_browsers_write_it(build: Build) -> None:
    """Spaces and letters beyond ASCII are encoded in the tags."""
    assert build(base="mein café")
    assert 'src="/mein%20caf%C3%A9/webagent/' in build.page()


def test_a_page_with_its_own_policy_is_reported(build: Build) -> None:
    """With what it forbids to the agent, and the remedy, unless it forbids nothing."""
    meta = '<!doctype html><meta http-equiv="Content-Security-Policy" content="{}">'
    (build.root / "strict.html").write_text(meta.format("default-src 'self'"))
    (build.root / "easy.html").write_text(meta.format("img-src 'self'"))
    assert build()
    assert (
        "strict.html: the policy in its own `<meta>` forbids WebAssembly, which the agent needs - "
        "add `script-src 'self' 'wasm-unsafe-eval'` to it" in build.printed
    )
    assert "easy.html" not in build.printed


def test_the_site_is_not_built_into_itself(build: Build) -> None:
    """Nor into a folder around it, which would be cleared."""
    for out in (build.root, build.root.parent):
        with pytest.raises(UsageError, match="holds the site itself"):
            build(out=out)


def test_a_folder_in_the_place_of_the_bundle_is_reported(build: Build) -> None:
    """The bundle is not mixed with files of the site."""
    (build.root / "webagent").mkdir()
    (build.root / "webagent/a.js").write_text("")

    with pytest.raises(UsageError, match="rename the folder"):
        build()


def built(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["build", *arguments])


@pytest.mark.conformance
@pytest.mark.process
def test_the_manifest_may_come_from_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `webagent.toml` says: what a command prints; the file in the folder does not count then."""
    made = MANIFEST.replace("# Shop", "# Made by a command")
    (tmp_path / "made.md").write_text(made)
    command = f"{sys.executable} -c \"print(open('made.md').read(), end='')\""
    (tmp_path / "webagent.toml").write_text(
        f"[site]\nroot = {json.dumps(str(root))}\nmanifest_command = {json.dumps(command)}\n"
    )
    monkeypatch.chdir(tmp_path)
    result = built("--out", "out")

    assert result.exit_code == 0, result.output
    assert (tmp_path / "out/webagents.md").read_text() == made
    assert "webagents.md" not in {path.name for path in (tmp_path / "out/webagent").iterdir()}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('manifest = "missing.md"', "there is none"),
        ('proxy = "http://localhost:5173"', "only files can be built"),
    ],
)
def test_a_site_that_cannot_be_published_is_reported(
    said: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written."""
    (tmp_path / "webagent.toml").write_text(f"[site]\n{said}\n")
    monkeypatch.chdir(tmp_path)
    result = built("--out", "out")

    assert result.exit_code == 2
    assert words in result.output
    assert not (tmp_path / "out").exists()


def test_an_incomplete_bundle_is_not_published(build: Build) -> None:
    """Visitors would get an agent that does not start."""
    (build.bundle / "assets/0123/a.wasm").write_bytes(b"")

    with pytest.raises(UsageError, match=r"`assets/0123/a\.wasm` is not complete"):
        build()


@pytest.mark.parametrize(
    ("options", "head", "told"),
    [({}, "", True), ({"panel": "off"}, "", True), ({"panel": "on"}, "", False),
     ({}, '<script type="module" src="/x/webagent.js" data-panel="on"></script>', False)],
)  # fmt: skip
def test_it_says_that_visitors_see_no_panel(
    build: Build, options: dict[str, str], head: str, told: bool
) -> None:
    """With the line that turns it on, unless it is on, or a page decides by itself."""
    (build.root / "index.html").write_text(f"<!doctype html><head>{head}</head><p>Shop", "utf-8")
    assert build(options=options)
    assert ('panel = "on"' in build.printed) is told


def test_a_built_site_is_announced(build: Build) -> None:
    """With whole addresses, a copy of each page as Markdown, and a tag that names the catalogue."""
    assert build(base="https://shop.example/app/")

    files = {path.relative_to(build.out).as_posix() for path in build.out.rglob("*")}
    assert {"llms.txt", "index.html.md", ".well-known/agent-skills/shop/SKILL.md"} <= files
    assert (build.out / "index.html.md").read_text("utf-8") == "# Shop\n\nhello\n"
    text = (build.out / "llms.txt").read_text("utf-8")
    assert "- [Shop](https://shop.example/app/index.html.md)\n" in text
    catalog = json.loads((build.out / ".well-known/ai-catalog.json").read_text("utf-8"))
    assert catalog["entries"][0]["url"].startswith("https://shop.example/app/.well-known/")
    assert '<link rel="ai-catalog" href="/app/.well-known/ai-catalog.json">' in build.page()
    assert "Content-Type: application/ai-catalog+json" in build.printed


def test_a_site_announces_what_it_wants(build: Build) -> None:
    """Its own files stay; what is left out is not written, and a path alone gives no catalogue."""
    (build.root / "llms.txt").write_text("Own\n", encoding="utf-8")
    assert build(announce=["llms.txt", "ai-catalog"])

    files = {path.relative_to(build.out).as_posix() for path in build.out.rglob("*")}
    assert not {"index.html.md", ".well-known", ".well-known/ai-catalog.json"} & files
    assert (build.out / "llms.txt").read_text("utf-8") == "Own\n"
    assert "llms.txt: it does not begin with the name of the site" in build.printed
    assert "ai-catalog" not in build.page()
