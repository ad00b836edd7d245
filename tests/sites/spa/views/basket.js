import { allBikes, basket as lines } from "../data.js";

export async function basket(view, _, signal) {
  document.title = "Basket – Spoke & Wheel";
  const bikes = await allBikes();
  const total = () => lines.reduce((sum, { bike, days }) => sum + days * bikes.find(({ id }) => id === bike).price, 0);
  view.innerHTML = `<h1>Basket</h1><p>${lines.length} rentals, ${total()} €</p>`;

  globalThis.getBasket = async () => ({ lines, total: total() });
  globalThis.emptyBasket = async () => {
    lines.length = 0;
    return { lines, total: 0 };
  };
  signal.addEventListener("abort", () => {
    delete globalThis.getBasket;
    delete globalThis.emptyBasket;
  });
}
