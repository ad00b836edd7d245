"""The tags that are put into pages, and their place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timing import takes_at_most
from webagent_site.http.html_inject import inject

LIVE = "/__webagent__/live?token=T"
PIECES = (
    '<meta name="webagents-md" content="/webagents.md">',
    f'<meta name="webagent-live" content="{LIVE}">',
    '<script src="/__webagent__/logs.js"></script>',
    '<script src="/__webagent__/global.js"></script>',
    '<script src="/__webagent__/modelcontext.js"></script>',
    '<script type="module" src="/__webagent__/webagent.js" data-manifest="/webagents.md"></script>',
)
ALL = "".join(PIECES).encode()


def injected(page: bytes, manifest_path: str | None = "/webagents.md") -> bytes:
    return inject(page, live_path=LIVE, manifest_path=manifest_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!doctype html><html><head>", "<meta charset=utf-8><script>1</script></head>"),
        ("<!DOCTYPE html PUBLIC '-//W3C//DTD'>\n<HTML lang=en>\n<HEAD profile='>'>", "<title>x"),
        ("<!doctype html><html lang=en>", "<body><script>1</script>"),
        ("<!doctype html>", "<!-- c --><title>x</title><html><head>"),
        ("<!-- <head> --><!doctype html>", "<script>1</script><head>"),
        ("<?xml version='1.0'?>\n<!doctype html>", "<p>"),
        ("<!--><!doctype html>", "text"),
        ("", "<script>1</script><head><title>x</title></head>"),
        ("", "text <b>only</b>"),
        ("", "<!-- no doctype --><p>"),
        ("", "<!-- never closed <!doctype html>"),
        ("", ""),
        ("<!doctype html", ""),
        ("<html><!-- <head> --><head>", "<script>1</script>"),
        ("<html>", "<template><head></template>"),
        ("<html><head><script type=' ImportMap '>{}</script>", "<script type=module>1</script>"),
    ],
)
@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "ascii"),
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ],
)
def test_the_tags_are_first_in_the_head(before: str, after: str, mark: bytes, codec: str) -> None:
    """After the doctype and `<head>`, before every script, in the encoding of the page."""
    page = injected(mark + (before + after).encode(codec))

    assert page == mark + before.encode(codec) + ALL.decode().encode(codec) + after.encode(codec)


@pytest.mark.parametrize("codec", ["latin-1", "cp1251", "shift_jis", "gbk", "big5", "euc_kr"])
def test_bytes_of_other_encodings_stay(codec: str) -> None:
    """Pages that are not UTF-8 are cut between their bytes, not decoded."""
    text = {"latin-1": "Käse", "cp1251": "Привет", "euc_kr": "안녕"}.get(codec, "表示本")
    head, tail = "<html><head>".encode(codec), f"<title>{text}</title>".encode(codec)

    assert injected(head + tail) == head + ALL + tail


@settings(deadline=None)
@given(st.text(), st.sampled_from(["utf-16-le", "utf-16-be"]), st.binary(max_size=3))
def test_the_rest_of_a_utf_16_page_stays(text: str, codec: str, rest: bytes) -> None:
    """Characters of four bytes and broken ends move nothing."""
    mark = b"\xff\xfe" if codec == "utf-16-le" else b"\xfe\xff"
    page = mark + "<html>".encode(codec) + text.encode(codec, "surrogatepass") + rest
    snippet = ALL.decode().encode(codec)

    assert injected(page).replace(snippet, b"", 1) == page


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<!doctype html>", "<html>", "<head>", "<!--", "-->", "<p", ">", "'", "<script>", "ä"]
        )
    )
)
def test_no_page_loses_a_byte(parts: list[str]) -> None:
    """Taking the pieces out again gives the page."""
    page = "".join(parts).encode()

    assert injected(page).replace(ALL, b"", 1) == page


@pytest.mark.parametrize("piece", PIECES)
def test_an_existing_tag_is_not_repeated(piece: str) -> None:
    """The others still are."""
    page = injected(f"<head>{piece}".encode()).decode()

    assert page.count(piece) == 1
    assert all(other in page for other in PIECES)


def test_a_page_with_all_tags_stays_as_it_is() -> None:
    """Injection is done once."""
    page = injected(b"<head>")

    assert injected(page) == page


def test_a_manifest_that_the_page_names_is_respected() -> None:
    """Neither a second meta tag nor `data-manifest` contradicts it."""
    page = injected(b'<head><META NAME="WebAgents-md" content="/own.md">').decode()

    assert "/webagents.md" not in page
    assert '<script type="module" src="/__webagent__/webagent.js"></script>' in page


def test_without_a_manifest_pages_have_the_live_channel() -> None:
    """Only the pieces that name the manifest are left out."""
    page = injected(b"<head>", None).decode()

    assert "webagents-md" not in page
    assert "data-manifest" not in page
    assert "webagent-live" in page


def test_tags_inside_comments_and_scripts_do_not_count() -> None:
    """A browser does not see them as tags either."""
    page = injected(f"<head><!-- {PIECES[2]} --><script>`{PIECES[1]}`</script>".encode())

    assert ALL in page


def test_a_live_tag_of_another_process_does_not_count() -> None:
    """A page that was saved from the browser gets the token of this process, first."""
    old = '<meta name="webagent-live" content="/__webagent__/live?token=old">'
    page = injected(f"<head>{old}".encode()).decode()

    assert 0 < page.index(LIVE) < page.index("token=old")


@pytest.mark.parametrize("piece", ["<!--", "<!doctype ", "<?", "<p ", "<script>", "<head", "<!-->"])
def test_hostile_pages_take_linear_time(piece: str) -> None:
    """Half a megabyte of beginnings is done in well under the time of a quadratic scan."""
    page = (piece * (500_000 // len(piece))).encode()

    assert takes_at_most(5, lambda: injected(page))


def test_origins_of_the_application_are_named_in_the_head() -> None:
    """Frames of these origins may offer tools."""
    page = inject(
        b"<!doctype html><title>x</title>",
        live_path=LIVE,
        manifest_path=None,
        component_origins=("http://a.example", "https://b.example"),
    )

    assert b'<meta name="webmcp-origins" content="http://a.example https://b.example">' in page
