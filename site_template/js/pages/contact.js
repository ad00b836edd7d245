// contact.html: a message to the shop. ?topic=… selects the topic; with ?topic=order the
// message starts with the basket.

import { TOPICS } from "../data/shop.js";
import { fill, html, pounds } from "../html.js";
import { contents } from "../shop/basket.js";
import { on } from "../shop/events.js";
import { sentence } from "../site.js";

const form = document.querySelector("#contact-form");
const problem = document.querySelector("#contact-problem");
const confirmation = document.querySelector("#confirmation");

function prepare() {
  const topic = new URLSearchParams(location.search).get("topic");
  if (!TOPICS.some(({ id }) => id === topic)) return;
  form.elements.topic.value = topic;
  const { items, subtotal } = contents();
  if (topic !== "order" || items.length === 0) return;
  const lines = items.map(({ quantity, title }) => `${quantity} × ${title}`);
  form.elements.message.value =
    `I would like to order:\n\n${lines.join("\n")}\n\nSubtotal ${pounds(subtotal)}, without delivery.\n`;
}

fill(form.elements.topic, html`<option value="">Choose a topic</option>${TOPICS.map(({ id, label }) =>
  html`<option value="${id}">${label}</option>`)}`);
prepare();

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  const { name, email, topic, message, newsletter } = form.elements;
  try {
    await globalThis.sendContactMessage(name.value, email.value, topic.value, message.value, newsletter.checked);
  } catch (error) {
    problem.textContent = sentence(error);
  }
});

on("message", ({ reference, name, email, topicLabel, newsletter, answerWithin }) => {
  fill(confirmation, html`
    <h2 tabindex="-1">Thank you, ${name}</h2>
    <p>Your message about “${topicLabel}” is with us. We answer within ${answerWithin}, to <strong>${email}</strong>.</p>
    <p>Its reference is <span class="mark">${reference}</span>.
      ${newsletter ? "You will also get our letter on the first of every month." : ""}</p>
    <p><button type="button" class="button-quiet" id="again">Write another message</button></p>`);
  form.hidden = true;
  confirmation.hidden = false;
  confirmation.querySelector("h2").focus();
  confirmation.querySelector("#again").addEventListener("click", () => {
    form.reset();
    confirmation.hidden = true;
    form.hidden = false;
    form.elements.name.focus();
  });
});
