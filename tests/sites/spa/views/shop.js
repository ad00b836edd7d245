import { allBikes } from "../data.js";

const linkTo = ({ id, name, price }) => `<li><a href="/shop/${id}">${name}</a>, ${price} € a day</li>`;

export async function shop(view, _, signal) {
  document.title = "Bikes – Spoke & Wheel";
  const bikes = await allBikes();
  view.innerHTML = `
    <h1>Bikes</h1>
    <form id="filter">
      <label>Kind <select name="kind"><option value="">All</option><option value="city">City</option>
        <option value="mountain">Mountain</option><option value="cargo">Cargo</option><option value="road">Road</option></select></label>
      <label>At most <input type="number" name="most" min="10" max="40" step="1"> € a day</label>
      <button>Filter</button>
    </form>
    <ul></ul>`;
  const list = view.querySelector("ul");

  globalThis.findBikes = async function (kind = "", most = 100) {
    const found = bikes.filter((bike) => (!kind || bike.kind === kind) && bike.price <= most);
    list.innerHTML = found.map(linkTo).join("");
    return found;
  };
  signal.addEventListener("abort", () => delete globalThis.findBikes);
  view.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { kind, most } = event.target.elements;
    void globalThis.findBikes(kind.value, Number(most.value || 100));
  });
  await globalThis.findBikes();
}
