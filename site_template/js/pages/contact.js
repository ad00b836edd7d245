// contact.html: a message to the shop. ?topic=… selects the topic; with ?topic=order the
// message starts with the basket. The form is a tool as well: an agent may fill it in, and
// the visitor sends it.

import { TOPICS } from "../data/shop.js";
import { fill, html, moment } from "../html.js";
import { contents } from "../shop/basket.js";
import { faultsOf } from "../shop/contact.js";
import { on } from "../shop/events.js";
import { visit } from "../shop/visit.js";
import { sentence } from "../site.js";
import { offerDraft, writeOrder } from "./draft.js";
// This page keeps the list of tools for visit.html, the frame in it.
import "../webmcp.js";

const form = document.querySelector("#contact-form");
const problem = document.querySelector("#contact-problem");
const note = document.querySelector("#contact-note");
const confirmation = document.querySelector("#confirmation");
const coming = document.querySelector("#visit");

function prepare() {
  const topic = new URLSearchParams(location.search).get("topic");
  if (!TOPICS.some(({ id }) => id === topic)) return;
  form.elements.topic.value = topic;
  if (topic === "order" && contents().count > 0) writeOrder();
}

function written() {
  const { name, email, topic, message } = form.elements;
  return { name: name.value, email: email.value, topic: topic.value, message: message.value };
}

/** Sets the errors that the browser does not detect itself, for visitor and agent alike. */
function check() {
  const faults = faultsOf(written());
  for (const field of Object.keys(written())) {
    const control = form.elements[field];
    control.setCustomValidity("");
    if (field in faults && control.validity.valid) control.setCustomValidity(sentence({ message: faults[field] }));
  }
}

function showForm() {
  confirmation.hidden = true;
  form.hidden = false;
  offerDraft();
}

function showVisit() {
  const arranged = visit();
  coming.textContent = arranged ? `We expect you on ${moment(arranged.time)}.` : "";
}

prepare();
check();
offerDraft();
showVisit();

form.addEventListener("input", check);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  note.textContent = "";
  const { name, email, topic, message } = written();
  const sent = globalThis.sendContactMessage(name, email, topic, message, form.elements.newsletter.checked);
  // The agent that filled in the form gets the same result as from the function.
  if (event.agentInvoked) event.respondWith(sent);
  try {
    await sent;
  } catch (error) {
    problem.textContent = sentence(error);
  }
});

// An agent has filled in the form, perhaps the one behind a confirmation.
document.modelContext?.addEventListener("toolactivated", ({ toolName }) => {
  if (toolName !== form.getAttribute("toolname")) return;
  showForm();
  note.textContent = "Your assistant has filled this in. Read it, change what you like, and send it if it is right.";
  form.querySelector(".button").focus();
});
document.modelContext?.addEventListener("toolcancel", ({ toolName }) => {
  if (toolName === form.getAttribute("toolname")) note.textContent = "";
});

on("visit", showVisit);
on("message", ({ reference, name, email, topicLabel, newsletter, answerWithin }) => {
  fill(confirmation, html`
    <h2 tabindex="-1">Thank you, ${name}</h2>
    <p>Your message about “${topicLabel}” is with us. We answer within ${answerWithin}, to <strong>${email}</strong>.</p>
    <p>Its reference is <span class="mark">${reference}</span>.
      ${newsletter ? "You will also get our letter on the first of every month." : ""}</p>
    <p><button type="button" class="button-quiet" id="again">Write another message</button></p>`);
  // The next message keeps only the sender. A reset would cancel the agent's call.
  const { topic, message, newsletter: letter } = form.elements;
  topic.value = message.value = "";
  letter.checked = false;
  check();
  form.hidden = true;
  confirmation.hidden = false;
  offerDraft();
  confirmation.querySelector("h2").focus();
  confirmation.querySelector("#again").addEventListener("click", () => {
    showForm();
    form.elements.name.focus();
  });
});
