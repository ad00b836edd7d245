const ROOMS = [
  { id: "r1", kind: "single", name: "Single, north", sleeps: 1, price: 84 },
  { id: "r2", kind: "double", name: "Double, fell view", sleeps: 2, price: 132 },
  { id: "r3", kind: "family", name: "Family room", sleeps: 4, price: 171 },
];

function thank(form, event) {
  event.preventDefault();
  const thanks = document.createElement("p");
  thanks.setAttribute("role", "status");
  thanks.textContent = `Thank you: ${[...new FormData(form)].map(([name, value]) => `${name} ${value}`).join(", ")}`;
  form.after(thanks);
}

customElements.define("gift-voucher", class extends HTMLElement {
  connectedCallback() {
    const shadow = this.attachShadow({ mode: "open" });
    shadow.innerHTML = `
      <form method="post" action="/vouchers">
        <h3>Order a gift voucher</h3>
        <label>Worth <select name="worth"><option value="50">£50</option><option value="100">£100</option></select></label>
        <label>For whom <input name="recipient" required></label>
        <button>Order</button>
      </form>`;
    shadow.querySelector("form").addEventListener("submit", (event) => thank(event.target, event));
  }
});

const list = document.getElementById("rooms");
if (list) {
  const asked = new URLSearchParams(location.search);
  const fits = ROOMS.filter(({ kind, sleeps }) =>
    (!asked.get("room") || asked.get("room") === kind) && sleeps >= Number(asked.get("adults") ?? 1));
  list.replaceChildren(...fits.map(({ name, price }) => {
    const item = document.createElement("li");
    item.textContent = `${name}: £${price} a night`;
    return item;
  }));
}
