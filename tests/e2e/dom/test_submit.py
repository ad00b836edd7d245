"""Submitting: by the form's button as a person does, with the browser's own checks."""

from __future__ import annotations

from tests.e2e.dom.conftest import Dom


async def test_a_form_is_submitted_with_its_button(dom: Dom) -> None:
    """The page's own handler hears of the button, and what it says comes back."""
    await dom.open("""<body><form><input aria-label=Name name=n><button type=button>Other</button>
        <button name=b value=go>Send</button></form><p role=status></p><script>
        document.querySelector("form").onsubmit = (event) => { event.preventDefault();
          document.querySelector("[role=status]").textContent = `Thanks, ${new FormData(event.target, event.submitter).get("n")}` }</script>""")
    reply = await dom.act("enter_data", form_data=[{"label": "Name", "text": "Ada"}], submit=True)

    assert reply["did"] == 'entered `Ada` into `Name`, submitted with `[4] button "Send"`'
    assert reply["changed"]["alerts"] == ["Thanks, Ada"]
    assert not reply["navigates"]


async def test_a_submission_that_leaves_the_page(dom: Dom) -> None:
    """The reply to a form that the browser sends says that the page is left, and where to."""
    await dom.open(
        "<body><form action=/held/found><input aria-label=Find name=q><button>Go</button></form>"
    )
    reply = await dom.act("enter_data", form_data=[{"label": "Find", "text": "a b"}], submit=True)

    assert reply["navigates"]
    assert reply["url"] == dom.site.origin + "/held/found?q=a+b"
    await dom.page.wait_for_url(reply["url"])


async def test_complaints_of_the_browser_are_reported(dom: Dom) -> None:
    """An invalid form is not sent; each field's complaint is reported."""
    await dom.open("""<body><form onsubmit="window.sent = true"><input aria-label=Name>
        <input type=email required aria-label=Email><button>Send</button></form>""")
    empty = await dom.fail("enter_data", form_data=[{"label": "Name", "text": "Ada"}], submit=True)
    wrong = await dom.fail("enter_data", form_data=[{"label": "Email", "text": "ada"}], submit=True)

    assert empty["message"] == "the form was not submitted: `Email`: Please fill out this field."
    assert empty["path"] == "Email"
    assert "Please include an '@' in the email address" in wrong["message"]
    assert not await dom.evaluate("window.sent")


async def test_a_form_without_a_button(dom: Dom) -> None:
    """A form that has no button is submitted as by Enter."""
    await dom.open(
        """<body><form onsubmit="event.preventDefault(); window.sent = true"><input aria-label=Find></form>"""
    )
    reply = await dom.act("enter_data", form_data=[{"label": "Find", "text": "tea"}], submit=True)

    assert reply["did"] == "entered `tea` into `Find`, submitted the form"
    assert await dom.evaluate("sent")


async def test_a_field_in_no_form(dom: Dom) -> None:
    """Enter is pressed in a field that is in no form."""
    await dom.open(
        """<body><input aria-label=Find onkeydown="if (event.key === 'Enter') window.found = this.value">"""
    )
    await dom.act("enter_data", form_data=[{"label": "Find", "text": "tea"}], submit=True)

    assert await dom.evaluate("found") == "tea"


async def test_a_button_that_is_disabled(dom: Dom) -> None:
    """A form whose button waits for something else is not sent past it."""
    await dom.open("<body><form><input aria-label=Name><button disabled>Send</button></form>")
    error = await dom.fail("enter_data", form_data=[{"label": "Name", "text": "x"}], submit=True)

    assert error["kind"] == "denied"
    assert error["message"] == 'the form cannot be submitted: [3] button "Send" is disabled'


async def test_a_button_outside_of_its_form(dom: Dom) -> None:
    """A button that names the form submits it from anywhere."""
    await dom.open("""<body><form id=f onsubmit="event.preventDefault(); window.by = event.submitter.textContent">
        <input aria-label=Name></form><button form=f>Save</button>""")
    await dom.act("enter_data", form_data=[{"label": "Name", "text": "x"}], submit=True)

    assert await dom.evaluate("by") == "Save"
