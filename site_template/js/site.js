// Code of every page: the tools, the number at the basket, the notice of what just
// happened.

import "./tools.js";
import { contents } from "./shop/basket.js";
import { on } from "./shop/events.js";

const NOTICE_MS = 4000;

const counter = document.querySelector("[data-basket-count]");
const notice = document.querySelector("#notice");
let hiding;

function countBasket() {
  counter.textContent = contents().count;
}

function say(message) {
  clearTimeout(hiding);
  notice.textContent = message;
  hiding = setTimeout(() => (notice.textContent = ""), NOTICE_MS);
}

on("basket", ({ message }) => {
  countBasket();
  if (message) say(message);
});
countBasket();

// Any button with data-add puts one copy of that book into the basket.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-add]");
  if (!button) return;
  try {
    await globalThis.addToBasket(button.dataset.add);
  } catch (error) {
    say(sentence(error));
  }
});

/** An error's message as a sentence for people. */
export function sentence({ message }) {
  const words = message.replaceAll("`", "");
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}
