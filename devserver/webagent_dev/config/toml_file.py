"""`webagent.toml`: what may be in it, and the place and the remedy of each mistake."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from webagent.announcements import Announcement
from webagent.llm.chat import Offer
from webagent.llm.known_models import MOST_USD
from webagent_dev.config.model import Doors
from webagent_site.config.urls import normal_name, normal_origin
from webagent_site.errors import ConfigError


def all_rules() -> list[str]:
    """Return the names of the rules for manifests and for published sites."""
    # The checks take as long to load as the server: only files that name rules need them.
    from webagent.rules import RULES
    from webagent_dev.config.live_rules import LIVE_RULES

    return [*RULES, *LIVE_RULES]


def _rule(name: str) -> str:
    if name not in all_rules():
        raise ValueError("not a rule")
    return name


def _served_path(path: str) -> str:
    # Stars alone would give out all that is kept back.
    if any(not any(map(str.isalnum, name)) for name in path.split("/")) or "\\" in path:
        raise ValueError("not a path")
    return path


Origin = Annotated[str, AfterValidator(normal_origin)]

HostName = Annotated[str, AfterValidator(normal_name)]

ServedPath = Annotated[str, AfterValidator(_served_path)]

Rule = Annotated[str, AfterValidator(_rule)]

CONTRADICTIONS = (("spa", "proxy"), ("manifest", "manifest_command"))
"""Keys of `[site]` of which only one can be set."""


class Section(BaseModel):
    """A table of the file. Each field has a description of what is allowed, and an example."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SiteSection(Section):
    """The site to serve: `[site]`."""

    root: str | None = Field(
        None,
        description="the path of a folder, relative to this file",
        examples=["public"],
        min_length=1,
    )
    manifest: str | None = Field(
        None,
        description="the path of a file, relative to this file",
        examples=["docs/webagents.md"],
        min_length=1,
    )
    manifest_command: str | None = Field(
        None,
        description="a command line that prints the manifest",
        examples=["python tools/manifest.py"],
        min_length=1,
    )
    spa: bool | None = Field(None, description="`true` or `false`", examples=[True])
    proxy: Origin | None = Field(
        None,
        description="the origin of another server: scheme, host and port",
        examples=["http://localhost:5173"],
    )
    bundle: str | None = Field(
        None,
        description="the path of a folder of `webagent-dev bundle`, relative to this file",
        examples=["webagent-bundle"],
        min_length=1,
    )

    allow_files: list[ServedPath] = Field(
        [],
        description="a list of files, relative to the served folder; `*` is any part of a name",
        examples=[["data/app.sqlite3"]],
    )

    announce: list[Announcement] | None = Field(
        None,
        description="a list of `llms.txt`, `ai-catalog`, `agent-skills` and `markdown`, perhaps empty",
        examples=[["llms.txt", "markdown"]],
    )

    @model_validator(mode="after")
    def _one_way(self) -> SiteSection:
        """Refuse two keys of which one would have no effect."""
        for one, other in CONTRADICTIONS:
            if getattr(self, one) and getattr(self, other):
                raise ValueError(other)
        return self


class HttpsFiles(Section):
    """A certificate and its key, PEM files, relative to the folder of this file."""

    cert: str = Field(min_length=1)
    key: str = Field(min_length=1)


class ServerSection(Section):
    """Where and how it is served: `[server]`."""

    host: str | None = Field(
        None,
        description="a name or an address to listen on",
        examples=["127.0.0.1"],
        min_length=1,
    )
    port: int | None = Field(
        None, description="a whole number from 0 to 65535", examples=[8000], ge=0, le=65_535
    )

    https: bool | HttpsFiles | None = Field(
        None,
        description='`true`, `false` or `{ cert = "…", key = "…" }`',
        examples=[True],
    )
    allow_host: list[HostName] = Field(
        [],
        description="a list of names without ports; a name with a leading dot allows all names below it",
        examples=[["shop.test"]],
    )
    editor: str | None = Field(
        None,
        description="a command, perhaps with `{file}`, `{line}` and `{column}`",
        examples=["code"],
        min_length=1,
    )
    forward_console: bool | None = Field(None, description="`true` or `false`", examples=[True])
    doors: Doors | None = Field(None, description="`token`, `open` or `off`", examples=["off"])
    headless: bool | None = Field(None, description="`true` or `false`", examples=[True])
    allow_origin: list[Origin] = Field(
        [],
        description="a list of origins: scheme, host and port",
        examples=[["https://shop.example"]],
    )


class PageSection(Section):
    """How the agent in the page behaves, as attributes of its script: `[page]`."""

    start: Literal["now", "idle", "use"] | None = Field(
        None, description="`now`, `idle` or `use`", examples=["use"]
    )
    panel: Literal["on", "off"] | None = Field(None, description="`on` or `off`", examples=["off"])
    expose: Literal["modelContext", "none"] | None = Field(
        None, description="`modelContext` or `none`", examples=["none"]
    )
    isolation: Literal["sandbox", "page"] | None = Field(
        None, description="`sandbox` or `page`", examples=["sandbox"]
    )
    runtime: Literal["page", "worker", "shared"] | None = Field(
        None, description="`page`, `worker` or `shared`", examples=["worker"]
    )
    overlay: Literal["on", "off"] | None = Field(
        None, description="`on` or `off`", examples=["off"]
    )


def _as_decimal(value: object) -> object:
    """Keep the digits of a number as they were written: money is not a float."""
    return Decimal(str(value)) if type(value) in (int, float) else value


Usd = Annotated[
    Decimal,
    BeforeValidator(_as_decimal),
    Field(ge=0, le=MOST_USD),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": MOST_USD}),
]
"""An amount of US dollars."""


class TokenPrices(Section):
    """US dollars for a million tokens: `[llm] prices`."""

    prompt: Usd
    completion: Usd
    cached: Usd | None = None


class FallbackSection(Section):
    """The model that is asked when the first one fails: `[llm.fallback]`."""

    model: str | None = Field(
        None,
        description="`provider:model`, or with a `base_url` the name of a model alone",
        examples=["ollama:qwen3"],
        min_length=1,
    )
    base_url: str | None = Field(
        None,
        description="the URL at which the provider's API begins",
        examples=["http://localhost:11434/v1"],
        min_length=1,
    )
    api_key_env: str | None = Field(
        None,
        description="the name of the environment variable that holds the key",
        examples=["OPENAI_API_KEY"],
        min_length=1,
    )
    context_tokens: int | None = Field(
        None, description="a whole number above 0", examples=[128_000], gt=0, le=100_000_000
    )
    prices: TokenPrices | None = Field(
        None,
        description="`{ prompt = …, completion = …, cached = … }`, amounts of US dollars",
        examples=[{"prompt": 0.25, "completion": 2.0, "cached": 0.025}],
    )


class LlmSection(FallbackSection):
    """The model that pages may use: `[llm]`. The key itself is in the environment only."""

    max_usd: Annotated[
        str | None,
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "number", "minimum": 0},
                    {"type": "string", "pattern": "^[0-9.]+$"},
                ]
            }
        ),
    ] = Field(
        None, description="an amount of US dollars above 0", examples=[2.5], pattern=r"^[0-9.]+$"
    )
    offer: Offer | None = Field(None, description="`native`, `code` or `both`", examples=["both"])
    fallback: FallbackSection | None = Field(
        None,
        description="the table of a second model: `[llm.fallback]`",
        examples=[{"model": "openai:gpt-5-mini"}],
    )

    @field_validator("max_usd", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        """Keep the digits as they were written: money is not a float."""
        return str(value) if isinstance(value, (int, float)) else value


class ComponentsSection(Section):
    """The other origins of the same application: `[components]`."""

    origins: list[Origin] = Field(
        [],
        description="a list of origins: scheme, host and port",
        examples=[["http://localhost:5173"]],
    )


class LoginTool(Section):
    """The tool that signs in: `[test] login`."""

    tool: str = Field(min_length=1)
    arguments: dict[str, str | int | float | bool] = {}


class LoginSession(Section):
    """The session that `webagent-dev login` has kept: `[test] login`."""

    session: str = Field(min_length=1)


class ContractSection(Section):
    """The permissions of contract tests: `[test]`."""

    reset: str | None = Field(
        None,
        description="a command line that resets the site's data",
        examples=["python manage.py flush --no-input"],
        min_length=1,
    )
    allow_writes: bool | None = Field(None, description="`true` or `false`", examples=[True])
    login: Annotated[str, Field(min_length=1)] | LoginTool | LoginSession | None = Field(
        None,
        description="a tool that signs in with its arguments, the `session` that `webagent-dev login` "
        "has kept, or the path of a storage state that Playwright has saved, relative to this file",
        examples=[{"tool": "login", "arguments": {"password": "$SHOP_PASSWORD"}}],
    )
    paths: dict[str, str] = Field(
        {},
        description="a table of patterns from `paths` in the manifest, each with the path of one page",
        examples=[{"/orders/*": "/orders/1"}],
    )


class ChecksSection(Section):
    """Which rules the manifest is checked by: `[checks]`."""

    select: list[Rule] = Field(
        [],
        description="a list of rules (`webagent-dev explain` lists them)",
        examples=[["missing-output"]],
    )
    ignore: list[Rule] = Field(
        [],
        description="a list of rules (`webagent-dev explain` lists them)",
        examples=[["missing-output"]],
    )


class ConfigFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    site: SiteSection = SiteSection()
    server: ServerSection = ServerSection()
    llm: LlmSection = LlmSection()
    page: PageSection = PageSection()
    components: ComponentsSection = ComponentsSection()
    test: ContractSection = ContractSection()
    checks: ChecksSection = ChecksSection()


SECTIONS: Mapping[str, type[Section]] = {
    "site": SiteSection,
    "server": ServerSection,
    "llm": LlmSection,
    "llm.fallback": FallbackSection,
    "page": PageSection,
    "components": ComponentsSection,
    "test": ContractSection,
    "checks": ChecksSection,
}


def read_config(path: Path, content: bytes | None = None) -> ConfigFile:
    """Read a `webagent.toml`.

    Args:
        path: Of the file.
        content: Its bytes, if they were read already.

    Raises:
        ConfigError: It cannot be read, or something in it is not allowed. Each mistake is a line with
            its place in the file.
    """
    try:
        data = path.read_bytes() if content is None else content
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ConfigError(f"`{path}` is not UTF-8 - TOML is - save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(
            f"`{path}` cannot be read - {error.strerror or error} - make it readable, or remove it"
        ) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place, reason = place_of_error(text, error)
        raise ConfigError(
            f"{_shown(path, place)}: this is not TOML - {reason} - "
            'write lines like `port = 8000` or `root = "public"` under a `[section]`'
        ) from None
    try:
        return ConfigFile.model_validate(document)
    except ValidationError as error:
        places = key_places(text)
        mistakes: dict[tuple[str, ...], tuple[Place, str]] = {}
        for problem in error.errors():
            keys = _keys(problem["loc"])
            if keys not in mistakes:
                mistakes[keys] = place_of_key(places, keys), _sentence(keys, problem, document)
        lines = [
            f"{_shown(path, place)}: {sentence}" for place, sentence in sorted(mistakes.values())
        ]
        raise ConfigError("\n".join(lines)) from None


def wanted_rules(file: ConfigFile) -> frozenset[str] | None:
    """Return the names of the rules that the file selects, None for all."""
    selected, ignored = file.checks.select, file.checks.ignore
    if not selected and not ignored:
        return None
    return frozenset(selected or all_rules()) - frozenset(ignored)


# The places of keys and errors

Place = tuple[int, int]
"""Line and column, both from 1, the column in code points."""

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def key_places(text: str) -> dict[tuple[str, ...], Place]:
    """Return where each key of a TOML document is written first.

    The parser gives no places. But the lines from the end of one statement to the end of the next are
    the shortest text that it can read, so it finds the statements, however they are written. Each is
    parsed alone: to parse the document up to its end would take quadratic time.
    """
    lines = text.splitlines(keepends=True)
    places: dict[tuple[str, ...], Place] = {}
    table: tuple[str, ...] = ()
    first = 0
    for last in range(1, len(lines) + 1):
        try:
            data = tomllib.loads("".join(lines[first:last]))
        except tomllib.TOMLDecodeError:
            # In the middle of a value of several lines.
            continue
        if lines[first].lstrip().startswith("["):
            table = ()
        found = [(*table, *path) for path in _paths(data)]
        for path in found:
            if path not in places:
                places[path] = _place_of_name(lines, first, last, path[-1])
        if lines[first].lstrip().startswith("["):
            table = found[-1]
        first = last
    return places


def _paths(data: Any) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all keys of a table, the outer before the inner."""
    for value in data if isinstance(data, list) else (data,):
        if isinstance(value, dict):
            for name, inner in value.items():
                yield (name,)
                yield from ((name, *path) for path in _paths(inner))


def _place_of_name(lines: Sequence[str], first: int, last: int, name: str) -> Place:
    """Return where a name is in the lines of a statement, else where the statement begins."""
    key = re.compile(rf"""(?<![\w-])(["']?){re.escape(name)}\1(?=\s*[.=\]])""")
    start = None
    for number in range(first, last):
        line = lines[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if match := key.search(line):
            return number + 1, match.start() + 1
        start = start or (number + 1, len(line) - len(line.lstrip()) + 1)
    return start or (first + 1, 1)


def place_of_key(places: Mapping[tuple[str, ...], Place], path: Sequence[str]) -> Place:
    """Return the place of a key, or of the nearest key above it that is in the file."""
    names = tuple(path)
    while names and names not in places:
        names = names[:-1]
    return places.get(names, (1, 1))


def place_of_error(text: str, error: tomllib.TOMLDecodeError) -> tuple[Place, str]:
    """Return where a file stops being TOML, and why, in lower case."""
    message = str(error)
    match = _AT.search(message)
    reason = message[: match.start()] if match else message
    reason = reason[:1].lower() + reason[1:]
    if match and match[1]:
        return (int(match[1]), int(match[2])), reason
    lines = text.splitlines() or [""]
    return (len(lines), len(lines[-1]) + 1), reason


def _shown(path: Path, place: Place) -> str:
    return f"{path}:{place[0]}:{place[1]}"


# The sentences on mistakes

_BARE = re.compile(r"[\w-]+", re.ASCII)


def _keys(place: Sequence[int | str]) -> tuple[str, ...]:
    """Return the keys of a mistake, up to that of its section."""
    names = tuple(part for part in place if isinstance(part, str))
    return names[: 3 if ".".join(names[:2]) in SECTIONS else 2]


def _sentence(keys: tuple[str, ...], problem: Any, data: Mapping[str, Any]) -> str:
    """Return what is wrong, what is allowed, and what to write."""
    nested = ".".join(keys[:2])
    if len(keys) > 1 and nested in SECTIONS:
        data, keys = {nested: data[keys[0]][keys[1]]}, (nested, *keys[2:])
    section, key = keys[0], keys[1] if len(keys) > 1 else None
    written = f"`[{section}] {key}`" if key else f"`[{section}]`"
    if problem["type"] == "value_error" and key is None:
        one, other = next(pair for pair in CONTRADICTIONS if pair[1] in str(problem["msg"]))
        return f"`[{section}]` has `{one}` and `{other}` - one would have no effect - leave one out"
    if section not in SECTIONS:
        return _unknown(section, SECTIONS, "is not a section", "[{}]")
    if key is None:
        example = _example(section, next(iter(SECTIONS[section].model_fields)))
        return (
            f"`{section}` is a section, not a value - write `[{section}]` and below it `{example}`"
        )
    fields = SECTIONS[section].model_fields
    if key not in fields:
        return _unknown(key, fields, f"is not a key of `[{section}]`", "{}")
    value = json.dumps(data[section][key], default=str, ensure_ascii=False)
    return (
        f"{written} cannot be `{value}` - it must be {fields[key].description} - "
        f"write {_remedy(section, key, problem)}"
    )


def _unknown(name: str, known: Mapping[str, Any], what: str, form: str) -> str:
    allowed = ", ".join(f"`{form.format(one)}`" for one in known)
    near = get_close_matches(name, known, 1, 0.5)
    remedy = f"write `{form.format(near[0])}`" if near else "remove it"
    return f"`{form.format(name)}` {what} - allowed: {allowed} - {remedy}"


def _remedy(section: str, key: str, problem: Any) -> str:
    """Return what to write: the choice most like what was written, or else the example."""
    wrong = problem["input"]
    choices: Sequence[str] = ()
    if problem["type"] == "literal_error":
        choices = problem["ctx"]["expected"].replace(" or ", ", ").replace("'", "").split(", ")
    elif problem["type"] == "value_error" and section == "checks":
        choices = all_rules()
    near = get_close_matches(str(wrong), choices, 1, 0.4)
    return f"`{near[0]}` instead of `{wrong}`" if near else f"`{_example(section, key)}`"


def _example(section: str, key: str) -> str:
    examples = SECTIONS[section].model_fields[key].examples
    assert examples
    return f"{key} = {as_toml(examples[0])}"


def as_toml(value: Any) -> str:
    """Return a value as TOML has it on one line."""
    if not isinstance(value, dict):
        return json.dumps(value)
    pairs = ", ".join(
        f"{name if _BARE.fullmatch(name) else json.dumps(name)} = {as_toml(inner)}"
        for name, inner in value.items()
    )
    return f"{{ {pairs} }}"
