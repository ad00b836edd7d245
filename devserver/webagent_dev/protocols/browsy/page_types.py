"""The kinds of pages as the dialect names them."""

from __future__ import annotations

_NAMES = {
    "login": "Login",
    "two_factor": "TwoFactorAuth",
    "consent": "OAuthConsent",
    "captcha": "Captcha",
    "blocked": "Blocked",
    "search": "Search",
    "search_results": "SearchResults",
    "inbox": "Inbox",
    "email": "EmailBody",
    "dashboard": "Dashboard",
    "form": "Form",
    "signup": "Form",
    "checkout": "Form",
    "article": "Article",
    "listing": "List",
    "cart": "List",
    "error": "Error",
}


def page_type_of(kind: object) -> str:
    """Return the dialect's name for a `page_type` of `summary`."""
    return _NAMES.get(str(kind), "Other")
