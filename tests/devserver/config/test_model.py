from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from webagent.llm.known_models import Price
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import resolve_config
from webagent_site.errors import ConfigError


def test_the_root_is_a_real_path(root: Path) -> None:
    """So that files inside can be compared with it."""
    link = root.parent / "link"
    link.symlink_to(root)

    assert resolve_config(str(link)).root == root


def test_a_root_that_cannot_be_served_is_named_with_the_reason(root: Path) -> None:
    """One sentence each."""
    with pytest.raises(ConfigError, match=r"nothing` does not exist - .* - write"):
        resolve_config(str(root / "nothing"))
    with pytest.raises(
        ConfigError, match=r"is a file - .* - write `webagent-dev serve " + re.escape(str(root))
    ):
        resolve_config(str(root / "index.html"))
    with pytest.raises(ConfigError, match="`--host` is empty"):
        resolve_config(str(root), host=" ")


def test_an_unknown_option_is_an_error(root: Path) -> None:
    """Also where no type checker looks."""
    with pytest.raises(TypeError, match="'prot'"):
        resolve_config(str(root), prot=8000)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("host", "url", "loopback"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/", True),
        ("localhost", "http://localhost:8000/", True),
        ("[::1]", "http://[::1]:8000/", True),
        ("0.0.0.0", "http://127.0.0.1:8000/", False),
        ("::", "http://[::1]:8000/", False),
        ("192.0.2.7", "http://192.0.2.7:8000/", False),
        ("Shop.Example", "http://shop.example:8000/", False),
    ],
)
def test_the_url_is_one_that_can_be_opened_here(
    root: Path, host: str, url: str, loopback: bool
) -> None:
    """Also for addresses that mean every address."""
    config = resolve_config(str(root), host=host)

    assert config.url == url
    assert config.is_loopback is loopback


def test_every_process_has_its_own_token(root: Path) -> None:
    """It has 256 random bits and is not printed by accident."""
    first, second = ServeConfig(root), ServeConfig(root)

    assert first.page_token != second.page_token
    assert len(first.page_token) >= 43
    assert first.page_token not in repr(first)


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("http://localhost:5173", "http://localhost:5173"),
        ("HTTPS://Shop.Example:443/", "https://shop.example"),
        ("http://[::1]:80", "http://[::1]"),
    ],
)
def test_origins_are_written_as_browsers_write_them(root: Path, typed: str, origin: str) -> None:
    """Lower case, no usual port, nothing behind it."""
    config = resolve_config(str(root), component_origins=[typed])
    assert config.component_origins == (origin,)


@pytest.mark.parametrize(
    "typed",
    [
        "localhost:5173",
        "http://",
        "http://a/b",
        "http://a?b",
        "ftp://a",
        "http://a:x",
        "http://ä",
        "*",
    ],
)
def test_an_invalid_origin_is_refused(root: Path, typed: str) -> None:
    """The message shows one."""
    with pytest.raises(ConfigError, match=r"is not an origin - .* - write `--comp"):
        resolve_config(str(root), component_origins=[typed])


def test_options_override_the_file_and_the_file_overrides_defaults(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder in the file is meant from where the file is."""
    monkeypatch.chdir(root.parent)
    (root.parent / "webagent.toml").write_text(
        '[site]\nroot = "shop"\n[server]\nport = 5000\nhost = "localhost"\n'
        '[page]\nstart = "use"\n[components]\norigins = ["HTTP://A.example:80/"]\n'
        '[llm]\nbase_url = "http://localhost:1/v1"\nmodel = "file"\n'
    )

    said = resolve_config()
    typed = resolve_config(
        host="127.0.0.2", port=0, component_origins=["http://b.example"], llm_model="typed"
    )

    assert (said.root, said.host, said.port) == (root, "localhost", 5000)
    assert said.script_options == {"start": "use", "llm": "/__webagent__/llm/v1#file"}
    assert said.component_origins == ("http://a.example",)
    assert (typed.root, typed.host, typed.port) == (root, "127.0.0.2", 0)
    assert typed.component_origins == ("http://b.example",)
    assert typed.llm is not None
    assert (typed.llm.base_url, typed.llm.model) == ("http://localhost:1/v1", "typed")


def test_a_model_of_another_provider_replaces_what_the_file_says_of_its_own(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No key is sent to the address of another provider; typed comes before the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    (root / "webagent.toml").write_text(
        '[llm]\nmodel = "ollama:qwen3"\nbase_url = "http://localhost:1/api"\nmax_usd = 2\n'
        "context_tokens = 9000\nprices = { prompt = 0.10, completion = 1 }\n"
    )
    file = resolve_config(str(root)).llm
    same = resolve_config(str(root), llm_model="ollama:gpt-4o").llm
    monkeypatch.setenv("WEBAGENT_LLM_MODEL", "openai:gpt-5-mini")
    variable = resolve_config(str(root)).llm
    typed = resolve_config(str(root), llm_model="openai-chat:gpt-5-mini").llm

    assert file is not None
    assert same is not None
    assert variable is not None
    assert typed is not None
    assert (file.name, file.base_url) == ("ollama:qwen3", "http://localhost:1/api")
    assert (file.context_tokens, file.price) == (9_000, Price.of("0.10", "1"))
    assert (same.base_url, same.context_tokens) == ("http://localhost:1/api", None)
    assert (variable.name, variable.base_url) == ("openai:gpt-5-mini", "https://api.openai.com/v1")
    assert (variable.context_tokens, variable.price, variable.max_usd) == (None, None, 2)
    assert typed.name == "openai-chat:gpt-5-mini"


def test_the_fallback_of_the_file_belongs_to_its_model(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that is named elsewhere has none; another address of the model changes nothing."""
    (root / "webagent.toml").write_text(
        '[llm]\nmodel = "small"\nbase_url = "http://localhost:1/v1"\n'
        '[llm.fallback]\nmodel = "ollama:qwen3"\nprices = { prompt = 0.10, completion = 1 }\n'
    )
    file = resolve_config(str(root))
    moved = resolve_config(str(root), llm_base_url="http://localhost:2/v1").llm
    bare = resolve_config(str(root), llm_model="large").llm
    monkeypatch.setenv("WEBAGENT_LLM_MODEL", "openai-chat:large")
    variable = resolve_config(str(root)).llm

    assert file.llm is not None
    assert file.llm.fallback is not None
    assert file.llm.fallback.price == Price.of("0.10", "1")
    assert file.script_options["llm-fallback"].startswith("ollama+/__webagent__/llm/fallback/v1#q")
    assert moved is not None
    assert moved.fallback == file.llm.fallback
    assert bare is not None
    assert variable is not None
    assert (bare.fallback, variable.fallback) == (None, None)


def test_the_file_of_the_folder_comes_before_that_of_the_current_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file is read, not two."""
    monkeypatch.chdir(root.parent)
    (root.parent / "webagent.toml").write_text("[server]\nport = 5000\n")
    assert resolve_config("shop").port == 5000

    (root / "webagent.toml").write_text("[page]\nexpose = 'none'\n")
    assert resolve_config("shop").port == 8000
    assert resolve_config("shop").file == Path("shop/webagent.toml")


def test_the_editor_and_the_consoles_of_pages_are_chosen(root: Path) -> None:
    """By the file, and what is typed wins."""
    assert (resolve_config(str(root)).editor, resolve_config(str(root)).forward_console) == (
        None,
        None,
    )
    (root / "webagent.toml").write_text("[server]\neditor = 'zed'\nforward_console = true\n")
    assert resolve_config(str(root)).editor == "zed"
    assert resolve_config(str(root)).forward_console is True
    assert resolve_config(str(root), forward_console=False).forward_console is False
    assert resolve_config(str(root), editor="code").editor == "code"


@pytest.mark.process
def test_without_a_file_pydantic_is_not_needed(root: Path) -> None:
    """It would be a good part of the time to start."""
    code = (
        f"import sys; from webagent_dev.config.resolve import resolve_config; resolve_config({str(root)!r});"
        "print('pydantic' in sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert printed.stdout == "False\n"


@pytest.mark.parametrize(
    "typed", ["localhost:5173", "http://localhost:5173/app", "ftp://a", "5173"]
)
def test_an_invalid_upstream_is_refused(root: Path, typed: str) -> None:
    """The message shows one."""
    with pytest.raises(
        ConfigError, match=r"is not the origin of a server - .* - write `--proxy http"
    ):
        resolve_config(str(root), proxy=typed)


def test_a_proxy_and_a_first_page_for_all_paths_contradict_each_other(root: Path) -> None:
    """Typed together they are refused; what is typed wins over the other in the file."""
    with pytest.raises(ConfigError, match="`--spa` and `--proxy` are both given"):
        resolve_config(str(root), spa=True, proxy="http://localhost:1")

    (root / "webagent.toml").write_text("[site]\nspa = true\n")
    assert resolve_config(str(root)).spa
    assert not resolve_config(str(root), proxy="http://localhost:1").spa
    (root / "webagent.toml").write_text("[site]\nproxy = 'HTTP://LOCALHOST:5173/'\n")
    assert resolve_config(str(root)).proxy == "http://localhost:5173"
    assert resolve_config(str(root), spa=True).proxy is None
    (root / "webagent.toml").write_text("[site]\nproxy = 'http://a'\nspa = true\n")
    with pytest.raises(ConfigError, match=r"toml:1:2: `\[site\]` has `spa` and `proxy`"):
        resolve_config(str(root))
