"""Tools from the OpenAPI description (3.0 and 3.1) of the site's own API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webagent.agent.effects import effect_of_path, effect_of_words, strongest
from webagent.json_text import read_json
from webagent.modelcontext import from_json_schema
from webagent.parser.names import is_identifier
from webagent.types import Behavior, Effect, Tool
from webagent_dev.extract.forms import name_as_sentence
from webagent_dev.extract.naming import VERBS, joined, words_of
from webagent_dev.extract.page_reader import PageReading
from webagent_dev.extract.sample_call import with_sample
from webagent_site.config.urls import is_address, normal_origin
from webagent_site.errors import UsageError
from webagent_site.text import printable
from webagent_site.tools.script import BROWSER_FUNCTIONS, HttpCall, Place

MAX_BYTES = 5_000_000
"""The largest document that is read."""
MAX_TOOLS = 300
"""The most operations that become tools."""
_MAX_PARAMS = 50
_MAX_DEPTH = 10
"""Most levels of a schema, references included; deeper ones allow any value."""
_MAX_SCHEMAS = 500
"""Most schemas of one operation. References to references would cost exponential time."""
_MAX_TEXT = 500

_EFFECTS: Mapping[str, Effect] = {
    "get": "read",
    "post": "write",
    "put": "write",
    "patch": "write",
    "delete": "irreversible",
}
_VERBS = {"get": "get", "post": "create", "put": "replace", "patch": "update", "delete": "delete"}

_PATH = re.compile(r"/[\w\-.~%!$&'()*+,;=:@/{}]{0,300}", re.ASCII)
_JSON_TYPE = re.compile(r"application/(?:[\w.-]+\+)?json(?:;.*)?", re.IGNORECASE)
_SET_BY_THE_BROWSER = frozenset(("accept", "authorization", "content-type"))

_KEPT = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "nullable",
    "oneOf",
    "pattern",
    "prefixItems",
    "properties",
    "required",
    "type",
    "uniqueItems",
]
"""The keywords of a schema that count."""


class _LeftOut(Exception):
    """An operation cannot be a tool; the message says why."""


@dataclass(slots=True)
class OpenApiDraft:
    """Tools of an API, and the requests that their functions send."""

    title: str
    description: str
    tools: list[Tool] = field(default_factory=list)
    calls: list[HttpCall] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Operations that did not become tools, each with its reason."""

    @property
    def reading(self) -> PageReading:
        """The same as what a page offers: its tools are functions of every page."""
        tools = tuple(self.tools)
        return PageReading("/", self.title, self.description, tools, (), (), secure=True)


def load_openapi(source: str) -> OpenApiDraft:
    """Return the tools of an API.

    Args:
        source: The path of a JSON file, or its address; then the API has the same origin.

    Raises:
        UsageError: It cannot be read, or is not a description of OpenAPI 3.0 or 3.1 in JSON.
    """
    at_address = is_address(source)
    data = _fetched(source) if at_address else _read(source)
    shown = printable(source, 300)
    if len(data) > MAX_BYTES:
        raise UsageError(f"`{shown}` is longer than {MAX_BYTES:,} bytes - split the API")
    try:
        document = read_json(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as error:
        raise UsageError(
            f"`{shown}` is not JSON - {printable(str(error), 200)} - write a description in YAML as JSON "
            "first"
        ) from None
    version = document.get("openapi") if isinstance(document, dict) else None
    if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
        raise UsageError(
            f"`{shown}` is not a description of OpenAPI 3.0 or 3.1 - it has another `openapi` or none - "
            "convert it first"
        )
    parts = urlsplit(source)
    origin = normal_origin(f"{parts.scheme}://{parts.netloc}") if at_address else None
    return _Reader(document, origin).draft()


def _read(source: str) -> bytes:
    try:
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"`{printable(source, 300)}` cannot be read - {error.strerror or error} - write the path of "
            "a file, or an address"
        ) from None


def _fetched(url: str) -> bytes:
    import httpx

    body = bytearray()
    try:
        # Without redirects, which could lead to another origin.
        with httpx.stream("GET", url, timeout=30) as answer:
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > MAX_BYTES:
                    break
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UsageError(
            f"`{printable(url, 300)}` cannot be fetched - {error or type(error).__name__} - check the "
            "address, and whether the server runs"
        ) from None
    if answer.status_code != 200:
        raise UsageError(
            f"`{printable(url, 300)}` answers with status {answer.status_code} - redirects are not "
            "followed - write the address of the document itself"
        )
    return bytes(body)


class _Reader:
    """One document, and the names that its tools have so far."""

    def __init__(self, document: dict[str, Any], origin: str | None) -> None:
        self.document = document
        self.origin = origin
        self.names: set[str] = set()
        self.schemas = 0
        self.open: list[str] = []
        """The references that lead to the schema that is read now."""
        self.hidden = "readOnly"
        """The mark of fields that the schemas read now do not have: of a request, or of an answer."""

    def draft(self) -> OpenApiDraft:
        info = _mapping(self.document.get("info"))
        draft = OpenApiDraft(_line(info.get("title")) or "API", _line(info.get("description")))
        for path, method, item in self._operations():
            place = f"{method.upper()} {printable(path, 200)}"
            if len(draft.tools) >= MAX_TOOLS:
                draft.left_out.append(f"{place} and all behind it: {MAX_TOOLS} tools are drafted")
                break
            self.schemas, self.open, self.hidden = 0, [], "readOnly"
            try:
                tool, call = self._operation(path, method, item)
            except (_LeftOut, ValueError) as error:
                draft.left_out.append(f"{place}: {printable(str(error), 300)}")
                continue
            draft.tools.append(tool)
            draft.calls.append(call)
        return draft

    def _operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for path, item in _mapping(self.document.get("paths")).items():
            for method in _EFFECTS:
                if method in _mapping(item):
                    yield path, method, item

    def _operation(self, path: str, method: str, item: dict[str, Any]) -> tuple[Tool, HttpCall]:
        operation = _mapping(item[method])
        segments = path.split("/")
        if not _is_plain(path):
            raise _LeftOut("its path is not plain")
        base = self._base([operation, item, self.document])
        words = _line(operation.get("summary")), _line(operation.get("description"))
        name = self._name(operation.get("operationId"), method, segments)
        properties: dict[str, Any] = {}
        places: dict[str, tuple[str, Place]] = {}
        required: list[str] = []
        for key, place, schema, needed in self._inputs(item, operation):
            called = _parameter_name(key, properties)
            properties[called] = schema
            places[called] = (key, place)
            if needed:
                required.append(called)
        if len(properties) > _MAX_PARAMS:
            raise _LeftOut(f"it has more than {_MAX_PARAMS} parameters")
        wanted = {*re.findall(r"\{([^{}]*)\}", path)}
        if wanted != {key for key, place in places.values() if place == "path"}:
            raise _LeftOut("its path has other parameters than it declares")
        # Agents pass arguments by position, so that optional ones come last.
        order = sorted(properties, key=lambda one: one not in required)
        controls = [_control(one, properties[one]) for one in order]
        taken = {"type": "object", "properties": {one: properties[one] for one in order}}
        tool = from_json_schema(
            name,
            taken | ({"required": required} if required else {}),
            self._output(operation),
            description="\n\n".join(filter(None, dict.fromkeys(words))) or name_as_sentence(name),
        )
        security = operation.get("security", self.document.get("security"))
        behavior = Behavior(
            effect=_effect(method, name, path),
            requires_login=isinstance(security, list) and bool(security) and {} not in security,
        )
        tool = tool.model_copy(update={"behavior": behavior})
        if all(properties[one].get("type") not in ("object", None) for one in required):
            tool = with_sample(tool, {"controls": controls}, "")
        params = [places[one] for one in order]
        return tool, HttpCall(name, method.upper(), base + path, params)

    def _base(self, owners: list[dict[str, Any]]) -> str:
        """Return the path of the API, without a slash at its end."""
        servers = next((one["servers"] for one in owners if one.get("servers")), None)
        first = _mapping(servers[0]) if isinstance(servers, list) else {}
        url = first.get("url", "")
        if not isinstance(url, str):
            return ""
        for key, variable in _mapping(first.get("variables")).items():
            url = url.replace(f"{{{key}}}", str(_mapping(variable).get("default", "")))
        try:
            parts = urlsplit(url)
            there = normal_origin(f"{parts.scheme}://{parts.netloc}") if parts.netloc else None
        except ValueError:
            raise _LeftOut(f"the address of its server cannot be read: `{url}`") from None
        if there is not None and self.origin is not None and there != self.origin:
            raise _LeftOut(f"its server is of another origin: `{there}`")
        base = f"/{parts.path.strip('/')}".rstrip("/")
        if base and (not _is_plain(base) or "{" in base):
            raise _LeftOut("the path of its server is not plain")
        return base

    def _name(self, given: Any, method: str, segments: list[str]) -> str:
        nouns = [word for one in segments if "{" not in one for word in words_of(one)]
        text = given if isinstance(given, str) else ""
        name = text if is_identifier(text) and text.isascii() else joined(words_of(text))
        if not name:
            name = joined([_VERBS[method], *nouns][:6])
        elif name in VERBS - {*nouns} or name in BROWSER_FUNCTIONS:
            name = joined([name, *nouns][:6])
        if name in BROWSER_FUNCTIONS or not name or len(name) > 60:
            raise _LeftOut("no name can be made of its `operationId` and path")
        unique = next(
            one
            for one in (name, *(f"{name}{number}" for number in range(2, MAX_TOOLS + 2)))
            if one not in self.names
        )
        self.names.add(unique)
        return unique

    def _inputs(
        self, item: dict[str, Any], operation: dict[str, Any]
    ) -> Iterator[tuple[str, Place, dict[str, Any], bool]]:
        """Yield each input: its key, place and schema, and whether a call must pass it."""
        listed: dict[tuple[str, str], dict[str, Any]] = {}
        for owner in (item, operation):
            given = owner.get("parameters")
            for one in given if isinstance(given, list) else ():
                param = self._target(one)
                listed[str(param.get("name", "")), str(param.get("in", ""))] = param
        for (key, where), param in listed.items():
            needed = param.get("required") is True
            if where == "header" and key.lower() in _SET_BY_THE_BROWSER:
                continue
            if where not in ("path", "query") or "schema" not in param:
                if needed:
                    raise _LeftOut(f"it needs `{key}`, which a page cannot send as it is described")
                continue
            schema = self._schema(param["schema"])
            if said := _line(param.get("description")):
                schema["description"] = said
            if "example" in param:
                schema["example"] = param["example"]
            yield key, "path" if where == "path" else "query", schema, needed
        yield from self._body(operation)

    def _body(self, operation: dict[str, Any]) -> Iterator[tuple[str, Place, dict[str, Any], bool]]:
        if "requestBody" not in operation:
            return
        body = self._target(operation["requestBody"])
        needed = body.get("required") is True
        content = self._json_content(body)
        if content is None:
            raise _LeftOut("its body is not JSON")
        schema = self._schema(content)
        fields = schema.get("properties")
        if not isinstance(fields, dict) or not fields:
            yield "body", "content", schema, needed
            return
        given = schema.get("required")
        for key, inner in fields.items():
            listed = isinstance(given, list) and key in given
            yield key, "body", inner if isinstance(inner, dict) else {}, needed and listed

    def _output(self, operation: dict[str, Any]) -> dict[str, Any] | None:
        for status, answer in _mapping(operation.get("responses")).items():
            if str(status).startswith("2"):
                content = self._json_content(self._target(answer))
                self.hidden = "writeOnly"
                return None if content is None else self._schema(content)
        return None

    def _json_content(self, owner: dict[str, Any]) -> Any:
        """Return the schema of JSON in a body or an answer, None without one."""
        for kind, media in _mapping(owner.get("content")).items():
            if _JSON_TYPE.fullmatch(kind):
                return _mapping(media).get("schema", {})
        return None

    def _target(self, value: Any) -> dict[str, Any]:
        """Return an object, or the one of the document that it refers to."""
        for _ in range(_MAX_DEPTH):
            found = _mapping(value)
            pointer = found.get("$ref")
            if not isinstance(pointer, str):
                return found
            if not pointer.startswith("#/"):
                raise _LeftOut(f"it refers to another document: `{pointer}`")
            value = self.document
            for part in pointer[2:].split("/"):
                key = part.replace("~1", "/").replace("~0", "~")
                value = _mapping(value).get(key)
        return {}

    def _schema(self, value: Any, depth: int = 0) -> dict[str, Any]:
        """Return a schema without references; beyond the limits it allows any value."""
        self.schemas += 1
        pointer = _mapping(value).get("$ref")
        if depth > _MAX_DEPTH or self.schemas > _MAX_SCHEMAS or pointer in self.open:
            # A schema that contains itself allows any value there.
            return {}
        if isinstance(pointer, str):
            self.open.append(pointer)
            target = self._schema(self._target(value), depth + 1)
            self.open.pop()
            return target
        given = _mapping(value)
        found: dict[str, Any] = {key: given[key] for key in _KEPT if key in given}
        for key in ("exclusiveMaximum", "exclusiveMinimum"):
            # In 3.0 these are flags of the bounds.
            if isinstance(found.get(key), bool):
                bound = found.pop(f"m{key[10:]}", None) if found.pop(key) else None
                if bound is not None:
                    found[key] = bound
        for key in ("allOf", "anyOf", "oneOf", "prefixItems"):
            if key in found:
                inner = found[key] if isinstance(found[key], list) else []
                found[key] = [self._schema(one, depth + 1) for one in inner]
        for key in ("items", "additionalProperties"):
            if isinstance(found.get(key), dict):
                found[key] = self._schema(found[key], depth + 1)
        if "properties" in found:
            fields = _mapping(found["properties"])
            hidden = {
                name for name in fields if self._target(fields[name]).get(self.hidden) is True
            }
            found["properties"] = {
                name: self._schema(inner, depth + 1)
                for name, inner in fields.items()
                if name not in hidden
            }
            if isinstance(found.get("required"), list):
                found["required"] = [name for name in found["required"] if name not in hidden]
        if "description" in found:
            found["description"] = _line(found["description"])
        return found


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_plain(path: str) -> bool:
    """Whether a browser requests a path as it is written, and from the same origin."""
    segments = path.lower().replace("%2e", ".").split("/")
    return bool(_PATH.fullmatch(path)) and "//" not in path and not {".", ".."} & {*segments}


def _line(value: Any) -> str:
    """Return a text of the document as one line without control characters."""
    return printable(" ".join(value.split()), _MAX_TEXT) if isinstance(value, str) else ""


def _parameter_name(key: str, taken: Mapping[str, Any]) -> str:
    """Return a name that JavaScript has for a key, and that no other parameter has."""
    name = key if is_identifier(key) and len(key) <= 60 else joined(words_of(key)) or "value"
    return next(
        one
        for one in (name, *(f"{name}{number}" for number in range(2, 1_000)))
        if one not in taken
    )


def _effect(method: str, name: str, path: str) -> Effect:
    """Return the effect of a method, or a stronger one that the name or the path says."""
    if method == "get":
        return strongest("read", effect_of_path(path))
    return strongest(_EFFECTS[method], effect_of_words(" ".join(words_of(name))))


def _control(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter as the control of a form that has its example, which leaves the schema."""
    found = schema.pop("example", schema.get("default"))
    if not isinstance(found, str | int | float):
        return {"name": name}
    return {"name": name, "value": str(found), "type": "text"}
