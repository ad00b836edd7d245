"""The errors of models.

ModelError                     a model gave no reply
├── RateLimited                too many requests; the server may say how long to wait
├── Overloaded                 the server has no capacity now, or failed
├── ConnectionLost             no connection, or it was lost
├── CutStream                  the reply ended in the middle
├── TimedOut                   no reply within the time limit
├── CredentialsRefused         the key is missing, wrong, or not for this model
├── QuotaExhausted             the account has nothing left; waiting does not help
├── BadRequest                 the server does not accept the request
├── ContextTooLong             the conversation does not fit into the model
├── ContentFiltered            a filter blocked the conversation or the reply
├── UnreadableAnswer           the response is not a reply
├── ModelFailed                the model itself reports that it failed
└── ModelUnavailable           there is no such model here
    └── DownloadNeeded         the browser must download the model first
"""

from __future__ import annotations

from typing import ClassVar

from webagent.errors import WebagentError


class ModelError(WebagentError):
    """A model gave no reply.

    Attributes:
        kind: The reason, as one word that stays the same.
        retryable: Whether the same request may succeed later.
        retry_after_s: Seconds to wait before that, if the server says so.
        status: HTTP status of the response; None if there was none.
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
    """Too many requests, or too many tokens in a minute."""

    kind = "rate_limited"
    retryable = True


class Overloaded(ModelError):
    """The server has no capacity now, or failed."""

    kind = "overloaded"
    retryable = True


class ConnectionLost(ModelError):
    """There was no connection, or it was lost before the reply began."""

    kind = "connection_lost"
    retryable = True


class CutStream(ModelError):
    """The reply began and ended in the middle."""

    kind = "cut_stream"
    retryable = True


class TimedOut(ModelError):
    """The reply, or its next piece, did not come within the time limit."""

    kind = "timeout"
    retryable = True


class CredentialsRefused(ModelError):
    """The key is missing, wrong, or not for this model."""

    kind = "credentials_refused"


class QuotaExhausted(ModelError):
    """The account has nothing left; waiting does not help."""

    kind = "quota_exhausted"


class BadRequest(ModelError):
    """The server does not accept the request."""

    kind = "bad_request"


class ContextTooLong(ModelError):
    """The conversation does not fit into the model."""

    kind = "context_too_long"


class ContentFiltered(ModelError):
    """A filter blocked the conversation or the reply."""

    kind = "content_filtered"


class UnreadableAnswer(ModelError):
    """The response is not a reply: HTML, another protocol, nothing at all."""

    kind = "unreadable_answer"


class ModelFailed(ModelError):
    """The model itself, or a remote agent in its place, reports that it failed."""

    kind = "model_failed"


class ModelUnavailable(ModelError):
    """There is no such model here."""

    kind = "unavailable"


class DownloadNeeded(ModelUnavailable):
    """The browser has such a model, but must download it first."""

    kind = "download_needed"
