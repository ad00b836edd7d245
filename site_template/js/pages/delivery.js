// delivery.html: the table of prices, and one price of it.

import { DELIVERY, WEIGHT_BANDS } from "../data/delivery.js";
import { fill, html, pounds } from "../html.js";
import { on } from "../shop/events.js";
import { sentence } from "../site.js";

const table = document.querySelector("#prices");
const form = document.querySelector("#price-form");
const answer = document.querySelector("#price-answer");

fill(table.tHead, html`<tr><th scope="col">Country</th>${WEIGHT_BANDS.map(({ label }) =>
  html`<th scope="col" class="number">${label}</th>`)}<th scope="col" class="number">Days</th></tr>`);
fill(table.tBodies[0], html`${DELIVERY.map((row) => html`
  <tr data-country="${row.country}"><th scope="row">${row.country}</th>${row.prices.map((price, i) =>
    html`<td class="number" data-band="${WEIGHT_BANDS[i].label}">${pounds(price)}</td>`)}<td class="number">${row.days}</td></tr>`)}`);
fill(form.elements.country, html`${DELIVERY.map(({ country }) => html`<option>${country}</option>`)}`);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await globalThis.getDeliveryPrice(form.elements.country.value, form.elements.weight.valueAsNumber);
  } catch (error) {
    mark(null);
    answer.textContent = sentence(error);
  }
});

on("delivery", ({ country, weightGrams, band, price, workingDays }) => {
  form.elements.country.value = country;
  form.elements.weight.value = weightGrams;
  mark(table.querySelector(`[data-country="${CSS.escape(country)}"] [data-band="${CSS.escape(band)}"]`));
  answer.textContent = `${weightGrams} g to ${country}: ${pounds(price)}, ${workingDays} working days.`;
});

/** Marks only this price in the table. */
function mark(cell) {
  table.querySelector(".is-found")?.classList.remove("is-found");
  cell?.classList.add("is-found");
}
