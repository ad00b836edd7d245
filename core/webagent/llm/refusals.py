"""The errors in responses: HTTP status, headers and error objects become `ModelError`s."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from webagent.json_text import read_json
from webagent.llm.errors import (
    BadRequest,
    ContentFiltered,
    ContextTooLong,
    CredentialsRefused,
    ModelError,
    ModelFailed,
    Overloaded,
    QuotaExhausted,
    RateLimited,
    TimedOut,
)

_LONGEST_MESSAGE = 500
_LONGEST_WAIT_S = 24 * 3600.0

_CODES: dict[str, type[ModelError]] = {
    "api_error": Overloaded,
    "api_key_invalid": CredentialsRefused,
    "authentication_error": CredentialsRefused,
    "billing_error": QuotaExhausted,
    "billing_hard_limit_reached": QuotaExhausted,
    "bio_policy": ContentFiltered,
    "content_filter": ContentFiltered,
    "content_policy_violation": ContentFiltered,
    "context_length_exceeded": ContextTooLong,
    "deadline_exceeded": TimedOut,
    "exceed_context_size_error": ContextTooLong,
    "image_content_policy_violation": ContentFiltered,
    "insufficient_quota": QuotaExhausted,
    "internal": Overloaded,
    "invalid_api_key": CredentialsRefused,
    "invalid_prompt": ContentFiltered,
    "invalid_request_error": BadRequest,
    "misalignment_policy_violation": ContentFiltered,
    "model_not_found": BadRequest,
    "not_found_error": BadRequest,
    "overloaded_error": Overloaded,
    "permission_denied": CredentialsRefused,
    "permission_error": CredentialsRefused,
    "rate_limit_error": RateLimited,
    "rate_limit_exceeded": RateLimited,
    "request_too_large": ContextTooLong,
    "resource_exhausted": RateLimited,
    "responsibleaipolicyviolation": ContentFiltered,
    "server_error": Overloaded,
    "string_above_max_length": ContextTooLong,
    "timeout_error": TimedOut,
    "unauthenticated": CredentialsRefused,
    "unavailable": Overloaded,
}
"""Errors by `code`, `type`, `status` and the `reason` of a detail, whatever the HTTP status."""

_BROAD = {BadRequest, RateLimited}
"""Errors that codes use too broadly, so the message is matched first."""

_WORDS: tuple[tuple[re.Pattern[str], type[ModelError]], ...] = (
    (
        re.compile(
            r"context (?:length|window|size|limit)|prompt is too long|input is too long"
            r"|too many (?:input )?tokens|reduce the length of the (?:messages|prompt)"
            r"|maximum (?:prompt|input) length|exceeds? the (?:model's )?(?:maximum|max) .{0,30}tokens",
            re.IGNORECASE,
        ),
        ContextTooLong,
    ),
    (
        re.compile(
            r"content (?:management )?(?:policy|filter)|content_filter|safety system"
            r"|flagged (?:as|by|for)|requires moderation",
            re.IGNORECASE,
        ),
        ContentFiltered,
    ),
    (
        re.compile(
            r"exceeded your current quota|insufficient (?:quota|credits?|balance|funds)"
            r"|credit balance is too low|out of credits|billing hard limit",
            re.IGNORECASE,
        ),
        QuotaExhausted,
    ),
)
"""Errors by words of the message. For a rate limit only the last counts, for a status of 500 and more
none."""

_STATUS: dict[int, type[ModelError]] = {
    401: CredentialsRefused,
    402: QuotaExhausted,
    403: CredentialsRefused,
    408: TimedOut,
    409: Overloaded,
    413: ContextTooLong,
    425: Overloaded,
    429: RateLimited,
    501: BadRequest,
}
"""Errors by status; others are overloaded from 500 on, and bad requests below."""

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhd]))+")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DATE = re.compile(r"[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")


def refusal(
    status: int, headers: Mapping[str, str], body: str, *, now: float | None = None
) -> ModelError:
    """Return the error of a response with an error status.

    Args:
        status: HTTP status.
        headers: Values by names in lower case.
        body: The body, as far as it was read.
        now: Seconds since 1970; by default the clock's.
    """
    try:
        data = read_json(body)
    except ValueError:
        data = body if "<" not in body else ""
    found = error_in(data) or {}
    moment = time.time() if now is None else now
    wait_s = retry_after_s(headers, moment)
    if wait_s is None and status == 429:
        wait_s = reset_s(headers, moment)
    return _error(found, status, wait_s)


def error_in(data: Any) -> dict[str, Any] | None:
    """Return the error object in the data of a response, or None if there is none.

    It is in `error`, as an object or a text, perhaps inside a list; or it is the whole data.
    """
    if isinstance(data, list) and data:
        data = data[0]
    if isinstance(data, str):
        return {"message": data} if data.strip() else None
    if not isinstance(data, dict):
        return None
    error = data.get("error")
    if isinstance(error, str) and error:
        return {**data, "message": data.get("message") or error}
    if isinstance(error, dict) and error:
        return error
    if "choices" in data:
        return None
    if data.get("object") == "error" or isinstance(data.get("message"), str):
        return data
    return {"message": str(data["detail"])} if "detail" in data else None


def stream_error(error: Mapping[str, Any]) -> ModelError:
    """Return the error of an error object in a response with status 200."""
    code = error.get("code") or error.get("status")
    status = code if type(code) is int and 400 <= code < 600 else None
    return _error(error, status, None)


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait before the next request, or None if the server does not say.

    The headers are `retry-after-ms`, and `retry-after` with seconds or an HTTP date.
    """
    wait_ms = _number(headers.get("retry-after-ms", ""))
    if wait_ms is not None:
        return _clamped(wait_ms / 1000)
    given = headers.get("retry-after", "").strip()
    seconds = _number(given)
    return _clamped(seconds) if seconds is not None else _until_date(given, now)


def reset_s(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds until the limits are reset, or None if the server does not say.

    It is the longest of the `ratelimit-reset` headers; if the server says which limits are used up,
    the longest of those. Successful responses have these headers too.
    """
    waits: dict[bool, list[float]] = {True: [], False: []}
    for name, value in headers.items():
        if "ratelimit" in name and "reset" in name:
            wait_s = _reset(value.strip(), now)
            if wait_s is not None:
                remaining = headers.get(name.replace("reset", "remaining"), "").strip()
                waits[remaining == "0"].append(wait_s)
    return max(waits[True] or waits[False], default=None)


def _error(error: Mapping[str, Any], status: int | None, wait_s: float | None) -> ModelError:
    message = " ".join(str(error.get("message") or "").split())[:_LONGEST_MESSAGE]
    if wait_s is None:
        wait_s = _delay_inside(error)
    kind = _kind(error, status, message, wait_s)
    said = f"`{message}`" if message else "no more than that"
    where = f"with status {status}" if status else "in the middle of its answer"
    hint = _HINTS.get(kind, "")
    return kind(
        f"the model's server refuses {where} and says {said}{hint}",
        status=status,
        retry_after_s=wait_s if kind.retryable else None,
    )


_HINTS: dict[type[ModelError], str] = {
    CredentialsRefused: " - check the key, and whether it may use this model",
    QuotaExhausted: " - look at the account's plan and balance",
    ContextTooLong: " - send less, or set `context_tokens` to what the model takes",
    BadRequest: " - check the address, the model's name and the parameters",
}
"""What to do instead, where there is anything to do."""


def _kind(
    error: Mapping[str, Any], status: int | None, message: str, wait_s: float | None
) -> type[ModelError]:
    words = [str(error.get(key) or "").lower() for key in ("code", "type", "status")]
    inner = error.get("innererror")
    if isinstance(inner, Mapping):
        words.append(str(inner.get("code") or "").lower())
    words.extend(str(detail.get("reason") or "").lower() for detail in _details(error))
    coded = [kind for word in words if (kind := _CODES.get(word))]
    for kind in coded:
        if kind not in _BROAD:
            return kind
    limited = status == 429 or RateLimited in coded
    if limited or status is None or status < 500:
        for pattern, kind in _WORDS:
            if limited and (kind is not QuotaExhausted or wait_s is not None):
                # A quota per minute comes back, and a rate limit may mention tokens and contexts.
                continue
            if pattern.search(message):
                return kind
    if coded and (status is None or status in (400, 404, 422)):
        return coded[0]
    if status is None:
        return ModelFailed
    return _STATUS.get(status) or (Overloaded if status >= 500 else BadRequest)


def _delay_inside(error: Mapping[str, Any]) -> float | None:
    """Return the `retryDelay` that Google's servers put into the details."""
    for detail in _details(error):
        if isinstance(detail.get("retryDelay"), str):
            return _duration(detail["retryDelay"])
    return None


def _details(error: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    details = error.get("details")
    given = details[:20] if isinstance(details, list) else []
    return [detail for detail in given if isinstance(detail, Mapping)]


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _duration(text: str) -> float | None:
    """Return the seconds of `1s`, `6m0s`, `850ms`."""
    if len(text) > 40 or not _DURATION.fullmatch(text):
        return None
    return _clamped(sum(float(n) * _SECONDS[unit] for n, unit in _PART.findall(text)))


def _reset(text: str, now: float) -> float | None:
    """Return the seconds until a reset: a duration, a number, or a moment."""
    number = _number(text)
    if number is None:
        return _duration(text) if text[:1].isdigit() and text[-1:] in "smhd" else _moment(text, now)
    if number > 1e11:
        return _clamped(number / 1000 - now)
    return _clamped(number - now if number > 1e8 else number)


def _moment(text: str, now: float) -> float | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    return _clamped(found.timestamp() - now)


def _until_date(text: str, now: float) -> float | None:
    """Return the seconds until `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7)."""
    match = _DATE.fullmatch(text)
    if match is None or match[2] not in _MONTHS:
        return None
    month = _MONTHS.index(match[2]) + 1
    day, year, hour, minute, second = (int(match[i]) for i in (1, 3, 4, 5, 6))
    try:
        found = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    except ValueError:
        return None
    return _clamped(found.timestamp() - now)


def _clamped(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_WAIT_S) if math.isfinite(seconds) else _LONGEST_WAIT_S
