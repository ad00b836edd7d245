"""Projects of frameworks: where `init` puts the manifest, so that their servers publish it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from webagent_dev.cli.main import main
from webagent_dev.site.project import Project, project_of

VITE = '{"devDependencies": {"vite": "^8.0.0"}}'


def project(root: Path, files: dict[str, str]) -> Project | None:
    """Return the project of a folder with these files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return project_of(root.resolve())


DJANGO = {"manage.py": "", "mysite/settings.py": 'STATIC_URL = "static/"\n'}
FLASK = "from flask import Flask\n\napp = Flask(__name__)\n"


@pytest.mark.parametrize(
    ("files", "framework", "manifest", "url_path"),
    [
        ({"package.json": VITE}, "Vite", "public/webagents.md", "/webagents.md"),
        (
            {"package.json": VITE, "vite.config.ts": "defineConfig({ publicDir: 'static/own' })"},
            "Vite",
            "static/own/webagents.md",
            "/webagents.md",
        ),
        (
            {"package.json": VITE, "vite.config.js": 'export default { publicDir: "../.." }'},
            "Vite",
            "public/webagents.md",
            "/webagents.md",
        ),
        (
            {"package.json": '{"devDependencies": {"@sveltejs/kit": "2", "vite": "8"}}'},
            "SvelteKit",
            "static/webagents.md",
            "/webagents.md",
        ),
        (
            {"package.json": '{"dependencies": {"@11ty/eleventy": "3"}}'},
            "Eleventy",
            "webagents.md",
            "/webagents.md",
        ),
        (
            DJANGO | {"shop/apps.py": ""},
            "Django",
            "shop/static/webagents.md",
            "/static/webagents.md",
        ),
        (
            DJANGO | {"accounts/apps.py": "", "src/shop/apps.py": "", "src/shop/static/a.css": ""},
            "Django",
            "src/shop/static/webagents.md",
            "/static/webagents.md",
        ),
        (
            {
                "manage.py": "",
                "site/settings/base.py": "STATIC_URL = '/assets/'\nSTATICFILES_DIRS = [BASE]",
                "static/a.css": "",
                "shop/apps.py": "",
            },
            "Django",
            "static/webagents.md",
            "/assets/webagents.md",
        ),
        ({"app.py": FLASK}, "Flask", "static/webagents.md", "/static/webagents.md"),
        (
            {"src/shop/__init__.py": "import flask\napp = flask.Flask(__name__)\n"},
            "Flask",
            "src/shop/static/webagents.md",
            "/static/webagents.md",
        ),
        (
            {"app.py": 'app = Flask("shop", static_folder="web", static_url_path="")'},
            "Flask",
            "web/webagents.md",
            "/webagents.md",
        ),
    ],
)
def test_the_manifest_is_where_the_framework_looks_for_it(
    tmp_path: Path, files: dict[str, str], framework: str, manifest: str, url_path: str
) -> None:
    """Settings count, as far as they are text and inside of the project."""
    found = project(tmp_path, files)

    assert found is not None
    assert (found.framework, found.manifest, found.url_path) == (framework, manifest, url_path)
    assert not found.missing


@pytest.mark.parametrize("command", ["check", "fmt --check", "schema", "types"])
@pytest.mark.parametrize(
    ("files", "manifest"),
    [
        ({"package.json": VITE}, "public/webagents.md"),
        (DJANGO | {"shop/apps.py": ""}, "shop/static/webagents.md"),
    ],
)
def test_commands_read_the_manifest_where_the_framework_has_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    manifest: str,
    command: str,
) -> None:
    """From the folder of the project; one that lies elsewhere is named."""
    monkeypatch.chdir(tmp_path)
    project(tmp_path, files | {"templates/webagents.md": "# Shop"})
    lacking = CliRunner().invoke(main, [*command.split(), "."])
    assert lacking.exit_code == 2
    assert (
        "templates/webagents.md is there, and is not published - move it to "
        f"{manifest}\n" in lacking.stderr
    )

    project(tmp_path, {manifest: "# Shop\n## pay\nPay.\n### Params\n"})
    found = CliRunner().invoke(main, [*command.split(), "."])
    assert "pay" in found.stdout or manifest in found.stdout, found.output


def test_a_django_project_without_an_app_needs_a_setting(tmp_path: Path) -> None:
    """Its server finds no static folder of the project by itself."""
    found = project(tmp_path, DJANGO)

    assert found is not None
    assert found.manifest == "static/webagents.md"
    assert 'STATICFILES_DIRS = [BASE_DIR / "static"]' in found.missing


@pytest.mark.parametrize(
    "files",
    [
        {"index.html": "<!doctype html>"},
        {"package.json": "[1]"},
        {"package.json": "[" * 100_000},
        {"package.json": '{"dependencies": ["vite"], "devDependencies": null}'},
        {"app.py": "Flask(" * 3_000},
        {"app.py": "def app():\n Flask(static_folder='../../etc')\n"},
        {"myenv/pyvenv.cfg": "", "myenv/lib/flask/app.py": FLASK},
    ],
    ids=",".join,
)
def test_plain_files_are_not_a_project(tmp_path: Path, files: dict[str, str]) -> None:
    """Nor are files that nobody can read, folders outside, and packages that are installed."""
    assert project(tmp_path, files) is None
