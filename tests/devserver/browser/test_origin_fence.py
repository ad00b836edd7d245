"""The fence around headless pages: what closes it, and what opens it again."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack

import pytest

from webagent.errors import OriginMismatch
from webagent_dev.browser.egress_proxy import EgressProxy
from webagent_dev.browser.origin_fence import OriginFence, typed_by

HERE, OTHER, AWAY = "https://shop.example", "https://cdn.example", "https://away.example"
SECRET = {"type": "enter_data", "form_data": [{"pp_id": 1, "text": "x", "secret": True}]}
DATA = {"type": "enter_data", "form_data": [{"pp_id": 1, "text": "x"}]}


class Noted(EgressProxy):
    """A proxy that notes its restriction."""

    only: Collection[str] | None = None

    def restrict(self, origins: Collection[str] | None) -> None:
        """Note it, too."""
        self.only = origins
        super().restrict(origins)


@pytest.fixture(name="egress")
def _egress() -> Noted:
    return Noted((HERE, OTHER))


@pytest.fixture(name="fence")
def _fence(egress: Noted) -> OriginFence:
    return OriginFence((HERE, OTHER), egress)


def test_data_stays_on_the_allowed_origins_until_the_page_is_left(
    fence: OriginFence, egress: Noted
) -> None:
    """Readings close nothing."""
    with fence.around({"type": "click", "pp_id": 1}, f"{HERE}/x"):
        assert egress.only is None
    with fence.around(DATA, f"{HERE}/x"):
        assert set(egress.only or ()) == {HERE, OTHER}
    assert egress.only is not None
    fence.left()
    assert egress.only is None


def test_a_secret_stays_on_its_own_origin(fence: OriginFence, egress: Noted) -> None:
    """Data that is typed later does not open it; the next pages of the task reach what is allowed."""
    with fence.task():
        with fence.around(SECRET, f"{HERE}/x"):
            assert egress.only == (HERE,)
        with fence.around(DATA, f"{HERE}/x"):
            assert egress.only == (HERE,)
        fence.left()
        assert set(egress.only or ()) == {HERE, OTHER}
    assert egress.only is None


def test_a_page_with_a_secret_stays_closed_after_its_task(
    fence: OriginFence, egress: Noted
) -> None:
    """Until it is left: the secret is still in it."""
    with fence.task(), fence.around(SECRET, f"{HERE}/x"):
        pass
    assert egress.only == (HERE,)
    fence.left()
    assert egress.only is None


def test_a_page_that_leads_elsewhere_is_an_error_of_what_was_typed(fence: OriginFence) -> None:
    """With both origins, and without the rest of the address; windows that it opens are only noted."""
    leading = ExitStack()
    leading.enter_context(fence.around(SECRET, f"{HERE}/x"))
    fence.block(f"{AWAY}/in?secret", in_page=True)
    with pytest.raises(OriginMismatch, match=f"`{HERE}` has led to `{AWAY}`") as caught:
        leading.close()
    assert "secret" not in str(caught.value)
    with fence.task():
        with fence.around(SECRET, f"{HERE}/x"):
            fence.block(f"{AWAY}/in?secret", in_page=False)
        assert f"kept from `{AWAY}`, which" in fence.note()


def test_actions_that_send_know_where_they_may(fence: OriginFence) -> None:
    """Others stay as they are."""
    search = {"type": "search", "query": "tea"}
    assert fence.with_allowed(search) == {**search, "allow_origin": [HERE, OTHER]}
    assert fence.with_allowed({"type": "scroll"}) == {"type": "scroll"}
    assert [typed_by(action) for action in (search, DATA, SECRET)] == ["data", "data", "secret"]
    assert typed_by({"type": "enter_data", "form_data": "x"}) == "data"
    assert [typed_by({"type": kind}) for kind in ("press_key", "upload", "drag")] == [
        *("data", "data", None),
    ]
