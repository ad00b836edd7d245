"""The JSON Schema of `webagent.toml`, by what the file itself allows."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft7Validator

from webagent_dev.cli.main import main
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.toml_file import SECTIONS, as_toml, read_config
from webagent_dev.config.toml_schema import USES, config_schema
from webagent_site.errors import ConfigError

SCHEMA = config_schema()
VALIDATOR = Draft7Validator(SCHEMA)


def both_allow(folder: Path, text: str) -> bool:
    """Whether the schema and the server allow a file; they have to agree."""
    file = folder / "webagent.toml"
    file.write_text(text, encoding="utf-8")
    try:
        read_config(file)
        allowed = True
    except ConfigError:
        allowed = False
    errors = [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))]
    assert (not errors) is allowed, (text, errors)
    return allowed


def test_each_key_says_what_it_does_and_its_default() -> None:
    """Those of every section, and no others."""
    Draft7Validator.check_schema(SCHEMA)
    assert {name: [*keys] for name, keys in USES.items()} == {
        name: [*section.model_fields] for name, section in SECTIONS.items()
    }
    for name, section in SECTIONS.items():
        keys = SCHEMA["definitions"][section.__name__]["properties"]
        for key, field in section.model_fields.items():
            use, shown = USES[name][key], keys[key]
            assert shown["description"].startswith(f"{use.does} Allowed: {field.description}.")
            assert ("default" in shown and shown["default"] is not None) or (
                shown["description"].endswith(f" By default {use.without}.") and use.without
            ), key
    assert "null" not in json.dumps(SCHEMA)


def test_the_defaults_are_those_of_the_server(tmp_path: Path) -> None:
    """As a server without a file has them, and each is a value that may be written."""
    server = SCHEMA["definitions"]["ServerSection"]["properties"]
    served = ServeConfig(tmp_path)
    for key in ("host", "port", "doors", "headless"):
        assert server[key]["default"] == getattr(served, key)
    for name, section in SECTIONS.items():
        for key, shown in SCHEMA["definitions"][section.__name__]["properties"].items():
            if "default" in shown:
                assert both_allow(tmp_path, f"[{name}]\n{key} = {as_toml(shown['default'])}\n")


@pytest.mark.parametrize("section", SECTIONS)
def test_examples_are_allowed_and_wrong_values_are_not(tmp_path: Path, section: str) -> None:
    """By the schema as by the server; a number in place of the value is one that fits or not."""
    for key, field in SECTIONS[section].model_fields.items():
        assert field.examples
        assert both_allow(tmp_path, f"[{section}]\n{key} = {as_toml(field.examples[0])}\n")
        assert not both_allow(tmp_path, f"[{section}]\n{key} = 1979-05-27\n")
        both_allow(tmp_path, f"[{section}]\n{key} = -3\n")
        both_allow(tmp_path, f"[{section}]\n{key} = [1]\n")
        both_allow(tmp_path, f"[{section}]\n{key} = true\n")
    assert not both_allow(tmp_path, f"[{section}]\nprot = 1\n")


def test_unknown_sections_rules_and_prices(tmp_path: Path) -> None:
    """Nested tables and the items of lists are compared, too."""
    assert not both_allow(tmp_path, "[sever]\nport = 1\n")
    assert not both_allow(tmp_path, "[checks]\nignore = ['missing-outptu']\n")
    assert not both_allow(tmp_path, "[server]\nhttps = { cert = 'a.pem' }\n")
    assert both_allow(tmp_path, "[server]\nhttps = { cert = 'a.pem', key = 'b.pem' }\n")
    assert both_allow(tmp_path, "[llm]\nprices = { prompt = 1, completion = 2.5 }\n")
    assert not both_allow(tmp_path, "[llm]\nprices = { prompt = '1', completion = 2.5 }\n")
    assert both_allow(tmp_path, "[llm]\nmax_usd = '2.50'\n")


def test_the_command_writes_it() -> None:
    """On standard output; a site beside it is a mistake."""
    written = CliRunner().invoke(main, ["schema", "--config"])
    assert json.loads(written.stdout) == SCHEMA
    refused = CliRunner().invoke(main, ["schema", "my-site", "--config"])
    assert refused.exit_code == 2
    assert "`my-site` and `--config` are given" in refused.output
