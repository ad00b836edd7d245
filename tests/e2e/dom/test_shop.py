"""A shop as shops are: custom elements, a cookie dialog, a drawer, tabs, a checkout with a frame."""

from __future__ import annotations

from tests.e2e.dom.conftest import Dom

PAY = """<title>Pay</title><form onsubmit="event.preventDefault(); parent.postMessage('paid', '*')">
<label>Card number <input autocomplete=cc-number required inputmode=numeric></label>
<label>Expires <input type=month required></label><button>Pay now</button></form>"""

SHOP = """<title>Tea &amp; Leaf</title><body>
<style>
  * { box-sizing: border-box } body { margin: 0; font: 16px sans-serif }
  header { position: sticky; top: 0; height: 60px; background: white; z-index: 2 }
  .drawer { position: fixed; top: 0; right: 0; width: 300px; height: 100%; background: #eee; z-index: 3; transform: translateX(100%) }
  .drawer.open { transform: none }
  .veil { position: fixed; inset: 0; background: #0008; z-index: 9 }
  .cookies { position: fixed; bottom: 0; left: 0; right: 0; background: white; z-index: 10; padding: 20px }
  .tab { display: inline-block; cursor: pointer; padding: 8px }
</style>
<header><a href="#top" aria-label="Tea &amp; Leaf, home"><svg width=20 height=20><circle r=9 cx=10 cy=10 /></svg></a>
  <button aria-label="Basket" id=basket>&#xe001;<span id=count>0</span></button></header>
<main><h1>Teas</h1>
  <div><div class=tab id=green>Green</div><div class=tab id=black>Black</div></div>
  <div id=list></div>
  <section id=checkout hidden aria-labelledby=ch><h2 id=ch>Checkout</h2>
    <form id=order><label>Name <input name=name required></label>
    <label>Country <select name=country required><option value="">Choose<option>France<option>Ireland</select></label>
    <div id=region></div><button>Continue</button></form><div id=pay></div></section>
</main>
<aside class=drawer aria-label="Your basket"><ul id=items></ul><button id=go>To the checkout</button></aside>
<div id=consent><div class=veil></div><div class=cookies role=dialog aria-label=Cookies><p>We use cookies.</p><button>Only what is needed</button></div></div>
<p id=live aria-live=polite style="position:absolute;width:1px;height:1px;overflow:hidden"></p>
<script>
  const teas = { green: [["Sencha", 4], ["Gyokuro", 12]], black: [["Assam", 3], ["Keemun", 7]] };
  const $ = (id) => document.getElementById(id);
  customElements.define("tea-card", class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: "open" });
      root.innerHTML = `<style>b { display: block }</style><h3><slot></slot></h3><b>£${this.getAttribute("price")}.00</b>
        <label>Amount <select><option>50 g<option>100 g</select></label><button>Add</button>`;
      root.querySelector("button").onclick = () => setTimeout(() => {
        const li = document.createElement("li");
        li.textContent = `${this.textContent}, ${root.querySelector("select").value}`;
        $("items").append(li); $("count").textContent = $("items").children.length;
        $("live").textContent = `${this.textContent} is in your basket`; }, 40);
    } });
  const show = (kind) => { $("list").replaceChildren(...teas[kind].map(([name, price]) => {
    const card = document.createElement("tea-card"); card.textContent = name; card.setAttribute("price", price); return card })) };
  show("green");
  for (const kind of ["green", "black"]) $(kind).addEventListener("click", () => setTimeout(show, 30, kind));
  document.querySelector("#consent button").onclick = () => $("consent").remove();
  $("basket").onclick = () => document.querySelector(".drawer").classList.add("open");
  $("go").onclick = () => { document.querySelector(".drawer").classList.remove("open"); $("checkout").hidden = false; $("ch").scrollIntoView() };
  $("order").elements.country.onchange = (event) => setTimeout(() => { $("region").innerHTML = event.target.value === "Ireland" ?
    "<label>County <input name=county required></label>" : "" }, 40);
  $("order").onsubmit = (event) => { event.preventDefault();
    $("pay").innerHTML = "<iframe title=Payment src=/pay style='width:400px;height:200px'></iframe>" };
  addEventListener("message", ({ data }) => { if (data === "paid") $("pay").innerHTML = "<p role=alert>Thank you, " + new FormData($("order")).get("name") + "</p>" });
</script>"""


async def test_somebody_buys_tea(dom: Dom) -> None:
    """From the cookie dialog to the payment in a frame, by nothing but snapshots and acts."""
    dom.site.pages["/pay"] = PAY
    await dom.open(SHOP)
    assert "Gyokuro" in await dom.text()

    covered = await dom.fail("click", pp_id=await dom.id("Green", "clickable"))
    assert "is covered by a `div`" in covered["message"] or "Cookies" in covered["message"]
    await dom.act("click", pp_id=await dom.id("Only what is needed"))

    black = await dom.act("click", pp_id=await dom.id("Black", "clickable"))
    assert any("Keemun" in line for line in black["changed"]["appeared"])

    elements = (await dom.snapshot())["elements"]
    assert "To the checkout" not in {e["name"] for e in elements}
    selects = [e["id"] for e in elements if e["name"] == "Amount"]
    add = [e["id"] for e in elements if e["name"] == "Add"]
    ambiguous = await dom.fail("enter_data", form_data=[{"label": "Amount", "select": ["100 g"]}])
    assert ambiguous["message"] == "the label `Amount` fits 2 fields"
    await dom.act("enter_data", form_data=[{"pp_id": selects[1], "select": ["100 g"]}])
    added = await dom.act("click", pp_id=add[1])
    assert added["changed"]["alerts"] == ["Keemun is in your basket"]

    opened = await dom.act("click", pp_id=await dom.id("Basket"))
    assert "- Keemun, 100 g" in opened["changed"]["appeared"]
    await dom.act("click", pp_id=await dom.id("To the checkout"))

    incomplete = await dom.fail(
        "enter_data", form_data=[{"label": "Name", "text": "Ada"}], submit=True
    )
    assert "`Country`: Please select an item in the list." in incomplete["message"]
    entries = [{"label": "Country", "select": ["Ireland"]}, {"label": "County", "text": "Clare"}]
    await dom.act("enter_data", form_data=entries, submit=True)
    await dom.page.frame_locator("iframe").get_by_label("Card number").wait_for()

    assert (await dom.act("summary"))["page_type"] == "checkout"
    card = [
        {"label": "Card number", "text": "4111 1111 1111 1111"},
        {"label": "Expires", "text": "March 2031"},
    ]
    paid = await dom.act("enter_data", form_data=card, submit=True)
    assert paid["changed"]["alerts"] == ["Thank you, Ada"]
    assert "4111 1111" not in str(paid)
