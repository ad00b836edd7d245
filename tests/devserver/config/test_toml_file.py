"""`webagent.toml`: what is allowed in it, and how mistakes are reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent.rules import RULES
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.config.toml_file import (
    SECTIONS,
    as_toml,
    key_places,
    place_of_key,
    read_config,
    wanted_rules,
)
from webagent_site.errors import ConfigError

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "config.md"


def refused(folder: Path, text: str) -> list[str]:
    """Return what is said of a file, line by line, without its path."""
    file = folder / "webagent.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_config(file)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(f"{file}:") for line in lines)
    return [line.removeprefix(f"{file}:") for line in lines]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[server]\nprot = 1\n", "2:1: `prot` is not a key of `[server]` - allowed: "),
        ("[server]\nprot = 1\n", " - write `port`"),
        ("[server]\n\n  colour = 1\n", "3:3: `colour` is not a key of `[server]` - allowed: "),
        (
            "[sevrer]\nport = 1\n",
            "1:2: `[sevrer]` is not a section - allowed: `[site]`, `[server]`",
        ),
        ("[sevrer]\nport = 1\n", " - write `[server]`"),
        ('server.port = "80"\n', '1:8: `[server] port` cannot be `"80"` - it must be a whole '),
        ("[server]\nport = 70000\n", "a whole number from 0 to 65535 - write `port = 8000`"),
        ("[server]\nport = true\n", "2:1: `[server] port` cannot be `true`"),
        ("server = { port = -1 }\n", "1:12: `[server] port` cannot be `-1`"),
        ("server = 3\n", "1:1: `server` is a section, not a value - write `[server]` and below"),
        ("[page]\nstart = 'later'\n", "it must be `now`, `idle` or `use` - write "),
        ("[page]\nexpose = 'nome'\n", "write `none` instead of `nome`"),
        ("[page]\nruntime = 'share'\n", "write `shared` instead of `share`"),
        ("[test]\nreset = ''\n", "2:1: `[test] reset` cannot be"),
        (
            "[llm.fallback]\nmodle = 'x'\n",
            "2:1: `modle` is not a key of `[llm.fallback]` - allowed",
        ),
        ("[llm.fallback]\nmodle = 'x'\n", " - write `model`"),
        (
            "[llm.fallback]\nmax_usd = 2\n",
            "`base_url`, `api_key_env`, `context_tokens`, `prices` -",
        ),
        (
            "[llm.fallback]\nprices = { prompt = -1 }\n",
            "2:1: `[llm.fallback] prices` cannot be `{",
        ),
        (
            "[llm]\nfallback = { model = 5 }\n",
            "2:14: `[llm.fallback] model` cannot be `5` - it must be `provider:model`",
        ),
        (
            "[llm]\nfallback = 'openai:gpt-5-mini'\n",
            "2:1: `llm.fallback` is a section, not a value - write `[llm.fallback]` and below it",
        ),
        ("[llm.fallbak]\nmodel = 'x'\n", "1:6: `fallbak` is not a key of `[llm]` - allowed: "),
        (
            "[components]\norigins = [\n  'http://a',\n  'b',\n]\n",
            "2:1: `[components] origins` cannot be",
        ),
        ("[checks]\nignore = ['mising-output']\n", "write `missing-output` instead of `mis"),
        ("[site]\nroot = ''\n", '2:1: `[site] root` cannot be `""`'),
        ("[site]\nroot = \n", "2:8: this is not TOML - invalid value - write lines like"),
        ("[site\n", "1:6: this is not TOML"),
        ('a = """\nb', "2:2: this is not TOML"),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    """File, line, column, key, what is allowed, and what to write."""
    assert any(sentence in line for line in refused(tmp_path, text))


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    """One line each, in the order of the file."""
    said = refused(tmp_path, "[server]\nhots = ''\nport = 'x'\n[pgae]\n[page]\nstart = 1\n")

    assert [line.split(" ")[0] for line in said] == ["2:1:", "3:1:", "4:2:", "6:1:"]


def test_a_pasted_key_is_not_repeated(tmp_path: Path) -> None:
    """Keys of models belong into the environment; a key in the file stays out of the log."""
    said = refused(tmp_path, "[llm]\napi_key = 'sk-1234567890'\n")

    assert "sk-1234567890" not in said[0]
    assert "write `api_key_env`" in said[0]


def test_mistakes_of_a_section_and_of_the_one_in_it_are_both_reported(tmp_path: Path) -> None:
    """Each with its own place, and no value of an unknown key."""
    text = "[llm]\nprice = 1\n[llm.fallback]\napi_key = 'sk-1234567890'\nmodel = 1\n"
    said = refused(tmp_path, text)

    assert [line.split(" ")[0] for line in said] == ["2:1:", "4:1:", "5:1:"]
    assert "sk-1234567890" not in "".join(said)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """Bytes that are not UTF-8, a folder of that name."""
    file = tmp_path / "webagent.toml"
    file.write_bytes(b"[site]\nroot = '\xff'\n")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        read_config(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(file)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    """As editors on Windows write them."""
    file = tmp_path / "webagent.toml"
    file.write_bytes(b"\xef\xbb\xbf[server]\r\nport = 5000\r\n")

    assert read_config(file).server.port == 5000


def test_money_keeps_the_digits_that_were_written(tmp_path: Path) -> None:
    """Whether it is written as a number or as a text."""
    file = tmp_path / "webagent.toml"
    for written in ("2.5", "'2.5'"):
        file.write_text(f"[llm]\nmax_usd = {written}\n")
        assert read_config(file).llm.max_usd == "2.5"


def test_rules_are_chosen_and_left_out(tmp_path: Path) -> None:
    """Nothing chosen means all of them."""
    file = tmp_path / "webagent.toml"
    file.write_text("[checks]\nignore = ['missing-output']\n")
    assert wanted_rules(read_config(file)) == {*RULES, *LIVE_RULES} - {"missing-output"}
    file.write_text("[checks]\nselect = ['missing-output']\n")
    assert wanted_rules(read_config(file)) == {"missing-output"}
    file.write_text("")
    assert wanted_rules(read_config(file)) is None


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_is_described_and_its_example_is_allowed(tmp_path: Path, section: str) -> None:
    """The page on the file has a row for it, with the same words."""
    page = DOCS.read_text(encoding="utf-8")
    for key, field in SECTIONS[section].model_fields.items():
        assert field.examples
        file = tmp_path / "webagent.toml"
        file.write_text(f"[{section}]\n{key} = {as_toml(field.examples[0])}\n")
        read_config(file)
        assert f"| `[{section}] {key}` | {field.description} |" in page


def test_the_example_of_the_documentation_is_allowed(tmp_path: Path) -> None:
    """Word for word, and it has every section."""
    text = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)[0]
    file = tmp_path / "webagent.toml"
    file.write_text(text)
    read_config(file)

    assert set(key_places(text)) >= {tuple(section.split(".")) for section in SECTIONS}


@given(
    st.lists(
        st.sampled_from(["\n", "# a = 1\n", "b = [\n 1,\n]\n", 'c = """\n[s]\nkey = 1\n"""\n']),
        unique=True,
    )
)
def test_places_are_found_behind_anything(statements: list[str]) -> None:
    """Comments, values of several lines, texts that look like tables."""
    before = "".join(statements)
    text = before + "[s]\nx.y = 1\nkey = 2\n"
    first = before.count("\n") + 1

    places = key_places(text)
    assert place_of_key(places, ("s", "x", "y")) == (first + 1, 3)
    assert place_of_key(places, ("s", "key")) == (first + 2, 1)
    assert place_of_key(places, ("s", "nothing")) == (first, 2)


def test_many_mistakes_are_placed_in_linear_time(tmp_path: Path) -> None:
    """A file of 4,000 keys, none of which is known."""
    keys = "".join(f"key_{number} = {number}\n" for number in range(4_000))
    said = refused(tmp_path, f"[server]\n{keys}")

    assert len(said) == 4_000
    assert said[-1].startswith("4001:1: `key_3999` is not a key of `[server]`")


@pytest.mark.parametrize(
    "prices",
    [
        "5",
        "{ prompt = 1 }",
        "{ prompt = nan, completion = 1 }",
        "{ prompt = inf, completion = 1 }",
        "{ prompt = -1, completion = 1 }",
        "{ prompt = 2e6, completion = 1 }",
        "{ prompt = true, completion = 1 }",
        '{ prompt = "1", completion = 1 }',
        "{ prompt = 1, completion = 1, reply = 1 }",
    ],
)
def test_prices_are_amounts_of_both_kinds_of_tokens(tmp_path: Path, prices: str) -> None:
    """The message shows how they are written."""
    file = tmp_path / "webagent.toml"
    file.write_text(f'[llm]\nmodel = "ollama:x"\nprices = {prices}\n')
    with pytest.raises(ConfigError, match=r"3:1: `\[llm\] prices` .* write `prices = \{ prompt ="):
        read_config(file)
