"""Why a model gave no reply.

ModelError                     no reply could be had from a model
├── RateLimited                asked too often; it says when to ask again, or does not
├── Overloaded                 the server has no capacity now, or failed
├── ConnectionLost             no connection, or it went away
├── CutStream                  the reply ended in the middle
├── TimedOut                   no reply in the time allowed
├── CredentialsRefused         the key is missing, wrong, or not for this
├── QuotaExhausted             the account has nothing left; waiting does not help
├── BadRequest                 the server does not take what it was sent
├── ContextTooLong             the conversation does not fit into the model
├── ContentFiltered            the conversation or the reply was held back
├── UnreadableAnswer           what came is no reply
├── ModelFailed                the model itself says that it failed
└── ModelUnavailable           there is no such model here
    └── DownloadNeeded         there is one, but the browser must download it first
"""

from __future__ import annotations

from typing import ClassVar

from webagent.errors import WebagentError


class ModelError(WebagentError):
    """No reply could be had from a model.

    Attributes:
        kind: Why, in one word that stays the same.
        retryable: Whether the same request may go well when it is sent again.
        retry_after_s: Seconds to wait before that, if the server says so.
        status: HTTP status of the answer, None if none came.
    """

    kind: ClassVar[str] = "model"
    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s


class RateLimited(ModelError):
    """Asked too often, or for too many tokens in a minute."""

    kind = "rate_limited"
    retryable = True


class Overloaded(ModelError):
    """The server has no capacity now, or failed."""

    kind = "overloaded"
    retryable = True


class ConnectionLost(ModelError):
    """No connection could be had, or it went away before the reply began."""

    kind = "connection_lost"
    retryable = True


class CutStream(ModelError):
    """The reply began and ended in the middle."""

    kind = "cut_stream"
    retryable = True


class TimedOut(ModelError):
    """No reply, or no further piece of it, came in the time allowed."""

    kind = "timeout"
    retryable = True


class CredentialsRefused(ModelError):
    """The key is missing, wrong, or not for this model."""

    kind = "credentials_refused"


class QuotaExhausted(ModelError):
    """The account has nothing left; waiting does not help."""

    kind = "quota_exhausted"


class BadRequest(ModelError):
    """The server does not take what it was sent."""

    kind = "bad_request"


class ContextTooLong(ModelError):
    """The conversation does not fit into the model."""

    kind = "context_too_long"


class ContentFiltered(ModelError):
    """The conversation or the reply was held back by a filter."""

    kind = "content_filtered"


class UnreadableAnswer(ModelError):
    """What came is no reply: HTML, another protocol, nothing at all."""

    kind = "unreadable_answer"


class ModelFailed(ModelError):
    """The model itself, or a remote agent in its place, says that it failed."""

    kind = "model_failed"


class ModelUnavailable(ModelError):
    """There is no such model here."""

    kind = "unavailable"


class DownloadNeeded(ModelUnavailable):
    """The browser has such a model, but must download it first."""

    kind = "download_needed"
