"""The responses of servers that refuse, and their errors."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from webagent.llm import errors
from webagent.llm.errors import ModelError
from webagent.llm.refusals import error_in, refusal, stream_error

SOURCE = Path(__file__).parents[3] / "core" / "webagent" / "llm" / "errors.py"
NOW = 784_111_777.0
"""Sun, 06 Nov 1994 08:49:37 GMT."""


def said(message: str, **more: Any) -> str:
    return json.dumps({"error": {"message": message, **more}})


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, said("bad parameter"), "bad_request"),
        (400, said("too long", code="context_length_exceeded"), "context_too_long"),
        (400, said("This model's maximum context length is 8192 tokens"), "context_too_long"),
        (400, said("prompt is too long: 20 > 10", type="invalid_request_error"),
         "context_too_long"),
        (413, "", "context_too_long"),
        (400, said("no", code="content_filter"), "content_filtered"),
        (400, said("x", code="400", innererror={"code": "ResponsibleAIPolicyViolation"}),
         "content_filtered"),
        (403, said("Your chosen model requires moderation and your input was flagged"),
         "content_filtered"),
        (401, said("wrong key", code="invalid_api_key"), "credentials_refused"),
        (403, "", "credentials_refused"),
        (402, said("Insufficient credits"), "quota_exhausted"),
        (429, said("You exceeded your current quota", code="insufficient_quota"),
         "quota_exhausted"),
        (429, said("You exceeded your current quota, look at your plan"), "quota_exhausted"),
        (429, said("You exceeded your current quota",
                   details=[{"retryDelay": "31s"}]), "rate_limited"),
        (429, said("too many tokens per minute, of the context window"), "rate_limited"),
        (429, "<html>busy</html>", "rate_limited"),
        (404, said("no such model", code="model_not_found"), "bad_request"),
        (404, "<html>not here</html>", "bad_request"),
        (422, json.dumps({"detail": [{"loc": ["body"], "msg": "field required"}]}),
         "bad_request"),
        (307, "", "bad_request"),
        (408, "", "timeout"),
        (500, said("the context window of our patience"), "overloaded"),
        (503, "", "overloaded"),
        (529, said("Overloaded", type="overloaded_error"), "overloaded"),
        (400, json.dumps([{"error": {"code": 400, "message": "key not valid",
                                     "status": "INVALID_ARGUMENT"}}]), "bad_request"),
        (400, json.dumps({"object": "error", "message": "input is too long", "code": 400}),
         "context_too_long"),
        (400, json.dumps({"error": "model is required"}), "bad_request"),
    ],
)  # fmt: skip
def test_the_error_of_a_refusal(status: int, body: str, kind: str) -> None:
    """Codes, words and statuses of many servers, each to one kind."""
    found = refusal(status, {}, body, now=NOW)

    assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:47 GMT"}, 10.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:07 GMT"}, 0.0),
        ({"retry-after": "Sun, 99 Nov 1994 08:49:07 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "99999999"}, 86_400.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-requests": "20ms", "x-ratelimit-remaining-requests": "0",
          "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "70"}, 0.02),
        ({"x-ratelimit-reset": "784111780"}, 3.0),
        ({"x-ratelimit-reset": "784111779000"}, 2.0),
        ({"ratelimit-reset": "50"}, 50.0),
        ({"anthropic-ratelimit-tokens-reset": "1994-11-06T08:49:40Z"}, 3.0),
        ({"x-ratelimit-reset": "1s" * 500}, None),
        ({"x-ratelimit-limit": "5"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_when_to_ask_again(headers: dict[str, str], wait_s: float | None) -> None:
    """Seconds, dates, durations and moments, from the headers that servers use."""
    found = refusal(429, headers, "", now=NOW).retry_after_s

    assert found == (wait_s if wait_s is None else pytest.approx(wait_s))


def test_resets_are_of_limits_only() -> None:
    """Headers with the state of limits say nothing about a server that failed."""
    headers = {"x-ratelimit-reset-requests": "60s"}

    assert refusal(503, headers, "", now=NOW).retry_after_s is None
    assert refusal(503, {"retry-after": "2"}, "", now=NOW).retry_after_s == 2.0


def test_a_final_refusal_has_no_time() -> None:
    """An error that waiting does not cure has no time."""
    body = said("no", code="insufficient_quota")

    assert refusal(429, {"retry-after": "2"}, body, now=NOW).retry_after_s is None


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "no capacity", "code": 503}, "overloaded"),
        ({"message": "slow", "type": "rate_limit_error"}, "rate_limited"),
        ({"message": "prompt is too long"}, "context_too_long"),
        ({"message": "it broke"}, "model_failed"),
        ({}, "model_failed"),
    ],
)
def test_errors_inside_a_stream(error: dict[str, Any], kind: str) -> None:
    """An error object in an answer of status 200 is read like any other."""
    assert stream_error(error).kind == kind


def test_pieces_are_not_errors() -> None:
    """The parts of a reply are not taken for an error."""
    assert error_in({"choices": [], "error": None}) is None
    assert error_in({"type": "ping"}) is None
    assert error_in({"choices": [{"message": {"content": "an error"}}]}) is None


def test_a_long_message_is_cut() -> None:
    """A server cannot fill a log."""
    assert len(str(refusal(400, {}, said("a" * 100_000), now=NOW))) < 1_000


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """The module's docstring draws every error, and no other."""
    # The page's own wheel carries no docstrings, so the source is read.
    source = SOURCE.read_text(encoding="utf-8")
    drawing = (ast.get_docstring(ast.parse(source)) or "").splitlines()[2:]
    drawn = {line.translate(dict.fromkeys(map(ord, "│├└─"))).split()[0] for line in drawing}
    defined = {
        name
        for name, item in vars(errors).items()
        if isinstance(item, type) and issubclass(item, ModelError)
    }

    assert drawn == defined


def test_kinds_are_unique() -> None:
    """No two errors have the same kind, and those that pass are the retryable ones."""
    every = [*ModelError.__subclasses__(), errors.DownloadNeeded]

    assert len({error.kind for error in every}) == len(every)
    assert {error.kind for error in every if error.retryable} == {
        "rate_limited", "overloaded", "connection_lost", "cut_stream", "timeout"
    }  # fmt: skip
