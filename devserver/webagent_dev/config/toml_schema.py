"""The JSON Schema of `webagent.toml`, for editors that complete and check TOML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, NamedTuple

from webagent_dev.config.model import ServeConfig
from webagent_dev.config.toml_file import SECTIONS, ConfigFile, all_rules

DIALECT = "http://json-schema.org/draft-07/schema#"
"""All TOML extensions of editors read it; some read no newer one."""


class Use(NamedTuple):
    """The help that editors show for a key."""

    does: str
    without: str = ""
    """The words for the default, where no value says it."""
    default: str | bool | None = None
    """The default, unless `ServeConfig` or the model of the file has it."""


USES: Final[Mapping[str, Mapping[str, Use]]] = {
    "site": {
        "root": Use("The folder that is served.", default="."),
        "manifest": Use(
            "The manifest, which is served at `/webagents.md`.", "`webagents.md` in the folder"
        ),
        "manifest_command": Use(
            "Makes the manifest: runs in the folder of this file, at the start and on saves.",
            "the manifest is a file",
        ),
        "spa": Use("Paths that lead to no file answer with the first page."),
        "proxy": Use("Serves the pages of another server.", "files are served"),
        "bundle": Use("The bundle that pages get.", "the one of the package"),
        "allow_files": Use("Files that are served and published whatever their names."),
        "announce": Use("Announcements of the site besides the manifest.", "all of them"),
    },
    "server": {
        "host": Use("Where the server listens."),
        "port": Use("The first port to try; 0 means any."),
        "https": Use(
            "Whether pages are served over HTTPS, perhaps with a certificate of your own.",
            default=False,
        ),
        "allow_host": Use("More names of this server."),
        "editor": Use("Opens files when you click a place in the overlay.", "it is searched for"),
        "forward_console": Use(
            "Shows the consoles of pages in the terminal.",
            "a coding agent gets their errors, and a person nothing",
        ),
        "doors": Use("Access to the tools of open pages, over MCP and other protocols."),
        "headless": Use("Opens a page when a call finds none open."),
        "allow_origin": Use("Other origins that tasks from outside may work on, with `headless`."),
    },
    "llm": {
        "model": Use("The model that pages may use.", "the agent plans without a model"),
        "base_url": Use("The address of the model.", "the provider's own"),
        "api_key_env": Use(
            "Where the key is; the key itself is in no file.", "the provider's usual variable"
        ),
        "context_tokens": Use("The window of the model, in tokens.", "that of the built-in table"),
        "prices": Use("The prices of a million tokens.", "those of the built-in table"),
        "max_usd": Use("The most that pages may spend while the server runs.", "no limit"),
        "offer": Use("How the model uses the tools of a page.", default="both"),
        "fallback": Use("A second model, for the rest of a run in which the first fails.", "none"),
    },
    "llm.fallback": {
        "model": Use("The second model, which must not be the first one.", "none"),
        "base_url": Use("The address of the second model.", "its provider's own"),
        "api_key_env": Use("Where its key is.", "its provider's usual variable"),
        "context_tokens": Use("Its window, in tokens.", "that of the built-in table"),
        "prices": Use("Its prices of a million tokens.", "those of the built-in table"),
    },
    "page": {
        "start": Use("When Python starts.", "`idle` in development, `use` on a published page"),
        "panel": Use("Whether the agent's panel is there.", "`on` in development"),
        "expose": Use(
            "Whether the manifest's functions are on `document.modelContext` too.",
            "`modelContext` in development",
        ),
        "isolation": Use("Where programs run.", default="sandbox"),
        "runtime": Use("Where Python runs.", "`page` in development"),
        "overlay": Use("Whether errors of the manifest are shown over the page.", default="on"),
    },
    "components": {"origins": Use("Other origins of the same application.")},
    "test": {
        "reset": Use("Runs before each tool that writes is tested.", "nothing is reset"),
        "allow_writes": Use("Whether a test calls tools that write.", default=False),
        "login": Use("How a test signs in; `$NAME` is read from the environment.", "it does not"),
        "paths": Use("The pages on which a test calls tools that are not on the first page."),
    },
    "checks": {
        "select": Use("The rules to use.", "all"),
        "ignore": Use("The rules to leave out."),
    },
}
"""The keys of each section. `test_toml_schema.py` compares them with the model of the file."""

_SERVED_WITH = {field.name: field.default for field in fields(ServeConfig)}


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file."""
    made = _without_null(ConfigFile.model_json_schema(ref_template="#/definitions/{model}"))
    schema = {"$schema": DIALECT, **made, "definitions": made["$defs"]}
    del schema["$defs"]
    for name, section in SECTIONS.items():
        shown = schema["definitions"][section.__name__]["properties"]
        for key, use in USES[name].items():
            shown[key] = _described(shown[key], key, use)
    for key in ("select", "ignore"):
        schema["definitions"]["ChecksSection"]["properties"][key]["items"]["enum"] = all_rules()
    return schema


def _described(schema: dict[str, Any], key: str, use: Use) -> dict[str, Any]:
    """Return the schema of a key with what it does, what is allowed, and its default."""
    words = [use.does, f"Allowed: {schema['description']}."]
    if use.without:
        words.append(f"By default {use.without}.")
    else:
        default = _SERVED_WITH.get(key) if use.default is None else use.default
        schema = {"default": default, **schema}
    # Beside a reference, dialects of this age ignore everything.
    if "$ref" in schema:
        schema = {**schema, "allOf": [{"$ref": schema["$ref"]}]}
        del schema["$ref"]
    return {**schema, "description": " ".join(words)}


def _without_null(node: Any) -> Any:
    """Return a schema without null, which TOML does not have, and without what follows from it."""
    if isinstance(node, list):
        return [_without_null(one) for one in node if one != {"type": "null"}]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _without_null(value)
        for key, value in node.items()
        if key != "title" and not (key == "default" and value not in ([], {}))
    }
    if isinstance(kept.get("anyOf"), list) and len(kept["anyOf"]) == 1:
        kept |= kept.pop("anyOf")[0]
    return kept
