// account.html: the login form, or who is logged in.

import { DEMO_LOGIN } from "../data/accounts.js";
import { day, fill, html, pounds } from "../html.js";
import { profile } from "../shop/account.js";
import { bookUrl, findBook } from "../shop/catalogue.js";
import { on } from "../shop/events.js";
import { sentence } from "../site.js";

const signedOut = document.querySelector("#signed-out");
const signedIn = document.querySelector("#signed-in");
const form = document.querySelector("#login-form");
const problem = document.querySelector("#login-problem");

function show() {
  const person = current();
  signedOut.hidden = person !== null;
  signedIn.hidden = person === null;
  problem.textContent = "";
  form.elements.password.value = "";
  if (person) fill(document.querySelector("#profile"), card(person));
}

function current() {
  try {
    return profile();
  } catch {
    return null;
  }
}

const card = (person) => html`
  <dl class="facts">
    <div><dt>Name</dt><dd>${person.name}</dd></div>
    <div><dt>Email</dt><dd>${person.email}</dd></div>
    <div><dt>Delivery to</dt><dd>${person.deliveryCountry}</dd></div>
    <div><dt>With us since</dt><dd>${day(person.memberSince)}</dd></div>
  </dl>
  <h2>Orders</h2>
  ${person.orders.length === 0 ? html`<p>No orders yet.</p>` : html`
    <div class="table-frame" tabindex="0" role="region" aria-labelledby="orders-caption">
      <table>
        <caption id="orders-caption">Your orders, the latest first</caption>
        <thead><tr><th scope="col">Order</th><th scope="col">Date</th><th scope="col">Books</th>
          <th scope="col">Status</th><th scope="col" class="number">Total</th></tr></thead>
        <tbody>${person.orders.map((order) => html`
          <tr><th scope="row" class="mark">${order.id}</th><td>${day(order.date)}</td>
            <td>${order.items.map(orderedBook)}</td>
            <td>${order.status}</td><td class="number">${pounds(order.total)}</td></tr>`)}
        </tbody>
      </table>
    </div>`}`;

const orderedBook = ({ bookId, quantity }) => html`
  <span class="ordered">${quantity > 1 ? `${quantity} × ` : ""}<a href="${bookUrl(bookId)}">${findBook(bookId).title}</a></span>`;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  try {
    await globalThis.login(form.elements.email.value, form.elements.password.value);
    document.querySelector("#signed-in h1").focus();
  } catch (error) {
    problem.textContent = sentence(error);
    form.elements.password.select();
  }
});
document.querySelector("#logout").addEventListener("click", async () => {
  await globalThis.logout();
  document.querySelector("#signed-out h1").focus();
});
document.querySelector("#use-demo").addEventListener("click", () => {
  form.elements.email.value = DEMO_LOGIN.email;
  form.elements.password.value = DEMO_LOGIN.password;
  form.elements.password.focus();
});

document.querySelector("#demo-email").textContent = DEMO_LOGIN.email;
document.querySelector("#demo-password").textContent = DEMO_LOGIN.password;
on("session", show);
show();
