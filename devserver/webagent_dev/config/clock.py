"""The time of day, also on a machine whose clock is in a year that Python's dates do not have."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the present date and time; the last one that there is after the year 9999."""
    try:
        return datetime.now(UTC)
    except (ValueError, OverflowError):
        return datetime.max.replace(tzinfo=UTC)
