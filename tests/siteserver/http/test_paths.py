"""From a URL path to a file, as an attacker would try it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from webagent_site.http.paths import Kind, is_denied, locate, shown, url_path

PRIVATE = (
    *(
        ".env",
        "prod.env",
        "a.env.local",
        ".envrc",
        ".env.local",
        ".netrc",
        ".git-credentials",
        ".gitignore",
        ".git",
        ".aws",
    ),
    *(".docker", ".pypirc", ".npmrc", ".ssh", ".bash_history", ".dev.vars", ".htpasswd", ".idea"),
    *("id_rsa", "id_ed25519", "id_rsa.pub", "a.pem", "a.key", "a.p12", "a.pfx", "a.kdbx", "a.ppk"),
    *("terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "db.sqlite3", "a.sqlite"),
    *("a.sqlite3-wal", "a.db", "a.db-journal", "a.mdb", "dump.sql", "dump.sql.gz", "a.dump"),
    *("a.hprof", "a.bak", "index.html.bak", "a.swp", "a.html~", "evals.json", "shop.evals.json"),
    *("conftest.py", "test_shop.py", "shop_test.py", "webagent.toml", "credentials.json"),
    *("id_xmss", "a.agekey", "secret.yaml", "service-account.json", "x-adminsdk-1.json", "_netrc"),
    *("storage_state.json", "cookies.txt", "env.local", "kubeconfig", "wallet.dat", "a.duckdb"),
    *("a.db.gz", "a.dump.gz", "a.pgdump", "a.har", "a.backup", "a.html.orig", "#a.html#"),
    *("serviceAccountKey.json", "rootkey.csv", "bot_accessKeys.csv", "new_user_credentials.csv"),
    *("application_default_credentials.json", "gha-creds-1.json", "token.json", "token.pickle"),
    *("htpasswd", "site.htpasswd", "passwords.csv", "password.txt", "wp-config.php", "known_hosts"),
    *(
        "appsettings.Development.json",
        "local_settings.py",
        "authorized_keys",
        "a.keytab",
        "a.tfplan",
    ),
    *("a.kubeconfig", "a.pkcs12", "a.jceks", "a.mdf", "users.bson", "a.html.old", "a.pcapng"),
    *("run_agent.py", "AGENTS.md", "CLAUDE.md", "__pycache__", "a.pyc"),
    *("secrets.txt", "private_key.txt", "api-key.txt", "tokens.json", "auth.json", "wallet.json"),
    *("github-recovery-codes.txt", "backup_codes.txt", "lastpass_export.csv", "a.1pux"),
    *("credentials.yml.enc", "credentials.xml", "rclone.conf", "my.cnf", "netrc", "web.config"),
    *("acme.json", "logins.json", "config.php", "database.yml", "docker-compose.yml"),
    *("kubeconfig.yaml", "env.production", "a.tfvars.json", "a.heapsnapshot", "npm-debug.log"),
    *("aws_credentials", "UTC--2020-01-01--a1"),
)
WIDE = {ord("."): "\uff0e", ord("e"): "\uff45"}
"""Characters that some programs take for the plain ones."""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/index.html", Kind.FILE),
        ("/", Kind.DIRECTORY),
        ("/nothing.html", Kind.MISSING),
        ("/index.html/", Kind.MISSING),
        ("/../outside.txt", Kind.MISSING),
        ("/./index.html", Kind.MISSING),
        ("//index.html", Kind.MISSING),
        ("/..\\outside.txt", Kind.MISSING),
        ("/index.html\0.css", Kind.MISSING),
        ("/" + "a" * 5_000, Kind.MISSING),
        ("/\ud800", Kind.MISSING),
        ("/.env", Kind.DENIED),
        ("/.ENV.local", Kind.DENIED),
        ("/.git/config", Kind.DENIED),
        ("/.git/../index.html", Kind.DENIED),
        ("/keys/server.PEM", Kind.DENIED),
        ("/tests/test_shop.py", Kind.DENIED),
    ],
)
def test_a_url_path_leads_to_one_kind_of_place(root: Path, path: str, kind: Kind) -> None:
    """Only plain names inside the root lead anywhere."""
    (root.parent / "outside.txt").write_text("secret", encoding="utf-8")

    assert locate(root, path).kind is kind


def test_links_count_as_their_targets(root: Path) -> None:
    """A link inside the root is followed; one that leaves it or leads to a kept name is not."""
    outside = root.parent / "outside.txt"
    outside.write_text("secret", encoding="utf-8")
    (root / ".env").write_text("KEY=1", encoding="utf-8")
    (root / "out.txt").symlink_to(outside)
    (root / "up").symlink_to(root.parent)
    (root / "env.txt").symlink_to(root / ".env")
    (root / "in.html").symlink_to("index.html")
    (root / "loop").symlink_to("loop")

    assert locate(root, "/out.txt").kind is Kind.DENIED
    assert locate(root, "/up/outside.txt").kind is Kind.DENIED
    assert locate(root, "/env.txt").kind is Kind.DENIED
    assert locate(root, "/loop").kind is Kind.MISSING
    assert locate(root, "/in.html").path == root / "index.html"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_special_file_counts_as_missing(root: Path) -> None:
    """A pipe would be waited for without end."""
    os.mkfifo(root / "pipe")

    assert locate(root, "/pipe").kind is Kind.MISSING


@pytest.mark.parametrize(
    "name",
    [
        ".well-known",
        "environment",
        "key.html",
        "test_shop.js",
        "agent.py",
        "core.js",
        "database.html",
        "id_card.html",
        "sql.html",
        "keys",
        "testimonials",
        "evals.html",
    ],
)
def test_names_that_only_look_like_secrets_are_served(name: str) -> None:
    """The list is about whole names."""
    assert not is_denied(name)


@pytest.mark.parametrize("name", PRIVATE)
def test_names_that_often_hold_secrets_are_not_served(root: Path, name: str) -> None:
    """In any case, with what file systems ignore, anywhere; whether or not there is such a file."""
    forms = (name, name.upper(), name.title(), f"{name}.", f"{name} ", f"{name}::$DATA")
    hidden = tuple(f"{name[:1]}{sign}{name[1:]}" for sign in "\u200c\u200d\ufeff\u00ad")
    for form in (*forms, *hidden, name.translate(WIDE)):
        assert is_denied(form), form
        for path in (f"/{form}", f"/a/{form}", f"/{form}/index.html", f"/{form}/"):
            assert locate(root, path).kind is Kind.DENIED, path


def test_a_dump_is_a_file(root: Path) -> None:
    """A folder may have the name."""
    (root / "core").mkdir()
    (root / "core" / "app.js").write_text("1")
    (root / "js").mkdir()
    (root / "js" / "CORE").write_text("dump")
    (root / "js" / "core.123").write_text("dump")
    (root / "js" / "shadow").write_text("root:x")

    assert locate(root, "/core/app.js").kind is Kind.FILE
    assert locate(root, "/js/CORE").kind is Kind.DENIED
    assert locate(root, "/js/core.123").kind is Kind.DENIED
    assert locate(root, "/js/shadow").kind is Kind.DENIED
    assert locate(root, "/js/core.123", ["js/core.123"]).kind is Kind.FILE


def test_python_files_of_tests_are_not_served(root: Path) -> None:
    """Under any name; a page of the folder and Python elsewhere are part of the site."""
    (root / "Tests" / "kit").mkdir(parents=True)
    (root / "Tests" / "index.html").write_text("")
    (root / "Tests" / "kit" / "shop.PY").write_text("")
    (root / "shop.py").write_text("")
    (root / "kit").symlink_to(root / "Tests" / "kit")

    assert locate(root, "/Tests/kit/shop.PY").kind is Kind.DENIED
    assert locate(root, "/kit/shop.PY").kind is Kind.DENIED
    assert locate(root, "/tests./any.py").kind is Kind.DENIED
    assert locate(root, "/Tests/index.html").kind is Kind.FILE
    assert locate(root, "/shop.py").kind is Kind.FILE
    assert locate(root, "/Tests/kit/shop.PY", ["Tests/kit/*"]).kind is Kind.FILE


@pytest.mark.parametrize(
    ("allowed", "path", "kind"),
    [
        ("data/app.sqlite3", "/data/app.sqlite3", Kind.FILE),
        ("data/*.sqlite3", "/data/app.sqlite3", Kind.FILE),
        ("*/app.sqlite3", "/data/app.sqlite3", Kind.FILE),
        ("app.sqlite3", "/data/app.sqlite3", Kind.DENIED),
        ("data", "/data/app.sqlite3", Kind.DENIED),
        ("DATA/app.sqlite3", "/data/app.sqlite3", Kind.DENIED),
        ("a*", "/data/app.sqlite3", Kind.DENIED),
        (".vscode", "/.vscode/mcp.json", Kind.FILE),
        (".vscode", "/.vscode/.env", Kind.DENIED),
        (".vscode", "/.vscode/server.pem", Kind.DENIED),
        (".vscode/server.pem", "/.vscode/server.pem", Kind.FILE),
        (".vscode/server.pem", "/.vscode/mcp.json", Kind.DENIED),
        ("webagent.toml", "/webagent.toml", Kind.DENIED),
        ("link", "/link", Kind.DENIED),
        (".vscode/.env", "/link", Kind.FILE),
    ],
)
def test_one_file_is_allowed_by_its_path(root: Path, allowed: str, path: str, kind: Kind) -> None:
    """A folder allows its own name and no secret in it; a link counts as its target."""
    for name in ("data/app.sqlite3", ".vscode/mcp.json", ".vscode/.env", ".vscode/server.pem"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    (root / "webagent.toml").write_text("")
    (root / "link").symlink_to(root / ".vscode" / ".env")

    assert locate(root, path, [allowed]).kind is kind


def test_the_file_to_allow_is_named_as_it_has_to_be_written(root: Path) -> None:
    """With what is special in a pattern escaped; nothing outside of the root is named."""
    (root / "a[1].pem").write_text("x")
    (root / "env.txt").symlink_to(root / "a[1].pem")
    (root / "out.txt").symlink_to(root.parent)
    for path in ("/a[1].pem", "/env.txt"):
        denied = locate(root, path).denied
        assert locate(root, path, [denied]).kind is Kind.FILE

    assert locate(root, "/out.txt").denied == ""


def test_urls_are_written_as_browsers_write_them(root: Path) -> None:
    """So a page can compare them with the address of its stylesheet."""
    assert url_path(root, root / "css" / "a b(1)%ü.css") == "/css/a%20b(1)%25%C3%BC.css"
    assert shown(root, root / "css" / os.fsdecode(b"\xff.css")) == "css/\ufffd.css"
