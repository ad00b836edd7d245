"""The visitor's answer: only a press on "Connect" connects an assistant."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from webagent_site.assistants.consent_page import Question, consent_page, message_page
from webagent_site.assistants.credentials import Credentials
from webagent_site.assistants.grants_endpoint import host_of, marker_cookie
from webagent_site.assistants.requests import AuthorizationRequest, unsealed
from webagent_site.broker.grants import GrantStore
from webagent_site.config.urls import OAUTH_PATH
from webagent_site.http.guard import header_values, is_from_other_site
from webagent_site.http.request_body import BodyTooLarge, ClientGone, read_body
from webagent_site.http.visitors import Visitor, Visitors, session_cookie

MOST_GRANTS: Final = 20
"""Assistants of one visitor."""
_MAX_BODY_BYTES: Final = 32 * 1024

_TOO_OLD: Final = "This page is too old, or was opened in another browser. Start again where your assistant connects."


class Consent:
    """Asks visitors, and grants what they say yes to."""

    def __init__(
        self, visitors: Visitors, grants: GrantStore, credentials: Credentials, login_url: str
    ) -> None:
        """Ask the visitors of a site.

        Args:
            visitors: Those of the site.
            grants: Theirs.
            credentials: Gives out codes.
            login_url: Where a stranger signs in, on a site with accounts; empty without.
        """
        self._visitors = visitors
        self._grants = grants
        self._credentials = credentials
        self._login_url = login_url

    async def ask(self, request: Request, base: str) -> Response:
        """Show what an assistant asks for.

        Args:
            request: With the checked `request` of an assistant.
            base: The origin of the site, and the path of the mount.
        """
        given = request.query_params.get("request", "")
        asked = unsealed(given, self._visitors)
        if asked is None:
            return message_page(_TOO_OLD, 400)
        visitor = await self._visitors.sender(request)
        if self._visitors.has_accounts and not visitor.account:
            return self._to_login(base, given)
        response = consent_page(
            Question(
                site=urlsplit(base).netloc,
                name=asked.client_name,
                client=host_of(asked.client_id),
                returns_to=host_of(asked.redirect_uri),
                account=visitor.account,
                redirect_source=_source_of(asked.redirect_uri),
                fields={"request": given, "proof": self._proof(visitor, given)},
            ),
            request.headers.get("accept-language", ""),
        )
        response.headers["set-cookie"] = session_cookie(request, visitor.session, base)
        return response

    async def answer(self, request: Request, base: str) -> Response:
        """Send the browser back to the assistant, with a code if the visitor has pressed "Connect"."""
        form = await _form(request)
        given = form.get("request", "")
        asked = unsealed(given, self._visitors)
        visitor = await self._visitors.sender(request)
        proof = self._proof(visitor, given).encode()
        if (
            asked is None
            or not _is_from(request, base)
            or not hmac.compare_digest(form.get("proof", "").encode("utf-8", "replace"), proof)
        ):
            return message_page(_TOO_OLD, 400)
        if form.get("answer") != "connect":
            refused = {"error": "access_denied", "error_description": "the visitor has refused"}
            return self._back(asked, base, refused)
        if len(await self._grants.of_visitor(visitor.key)) >= MOST_GRANTS:
            return message_page(
                f"There are {MOST_GRANTS} assistants already. Disconnect one in the panel, then start again.",
                409,
            )
        code = await self._credentials.code(
            visitor=visitor.key,
            client_id=asked.client_id,
            client_name=asked.client_name,
            redirect_uri=asked.redirect_uri,
            resource=asked.resource,
            challenge=asked.challenge,
        )
        response = self._back(asked, base, {"code": code})
        response.headers["set-cookie"] = marker_cookie(base, is_connected=True)
        return response

    def _proof(self, visitor: Visitor, given: str) -> str:
        """Return what shows that our page has asked this visitor just that."""
        return self._visitors.signature("consent", visitor.session, visitor.account, given)

    def _to_login(self, base: str, given: str) -> Response:
        if not self._login_url:
            return message_page("Sign in to this site first, then start again.", 403)
        path = urlsplit(base).path
        here = f"{path}{OAUTH_PATH}/consent?{urlencode({'request': given})}"
        mark = "&" if "?" in self._login_url else "?"
        return RedirectResponse(
            f"{self._login_url}{mark}next={quote(here, safe='')}",
            303,
            {"cache-control": "no-store"},
        )

    @staticmethod
    def _back(asked: AuthorizationRequest, base: str, answer: Mapping[str, str]) -> Response:
        state = {} if asked.state is None else {"state": asked.state}
        fields = urlencode({**answer, **state, "iss": f"{base}{OAUTH_PATH}"})
        mark = "&" if urlsplit(asked.redirect_uri).query else "?"
        # 303: the answer was sent by POST, and is not sent on.
        return RedirectResponse(
            f"{asked.redirect_uri.rstrip('?')}{mark}{fields}",
            303,
            {"cache-control": "no-store", "referrer-policy": "no-referrer"},
        )


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form; one that is no such form has none."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/x-www-form-urlencoded":
        return {}
    try:
        body = await read_body(request, _MAX_BODY_BYTES)
        return dict(parse_qsl(body.decode("ascii"), max_num_fields=20))
    except (BodyTooLarge, ClientGone, ValueError):
        return {}


def _is_from(request: Request, base: str) -> bool:
    """Whether a page of this site has sent a form."""
    parts = urlsplit(base)
    return header_values(request.scope, b"origin") == [
        f"{parts.scheme}://{parts.netloc}"
    ] and not is_from_other_site(request.scope)


def _source_of(redirect_uri: str) -> str:
    """Return where an address leads as a source of a policy: browsers check the redirects of forms, too."""
    parts = urlsplit(redirect_uri)
    is_web = parts.scheme in ("http", "https")
    return f"{parts.scheme}://{parts.netloc}" if is_web else f"{parts.scheme}:"
