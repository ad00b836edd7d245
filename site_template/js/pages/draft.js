// The order in the message on contact.html: the contents of the basket, written out. A visitor
// has a button for it. Agents have a tool, which exists while the basket has something to order
// and the form is there. A tool that depends on what the page shows cannot be in webagents.md.

import { DELIVERY } from "../data/delivery.js";
import { moment, pounds } from "../html.js";
import { contents } from "../shop/basket.js";
import { on } from "../shop/events.js";
import { visit } from "../shop/visit.js";

const form = document.querySelector("#contact-form");
const offer = document.querySelector("#draft");
const { topic, message } = form.elements;

/** The last order written, until somebody changes it. */
let written = "";
let offered = null;

/** Writes the order above the visitor's text, and replaces the previous order. */
export function writeOrder(delivery = null) {
  const own = message.value.startsWith(written) ? message.value.slice(written.length) : message.value;
  written = order(delivery);
  topic.value = "order";
  message.value = `${written}${own.trimStart()}`;
  message.dispatchEvent(new Event("input", { bubbles: true }));
  return { topic: topic.value, message: message.value };
}

function order(delivery) {
  const { items, subtotal } = contents();
  const lines = items.map(({ quantity, title }) => `${quantity} × ${title}`);
  return `I would like to order:\n\n${lines.join("\n")}\n\nSubtotal ${pounds(subtotal)}${transport(delivery)}.\n`;
}

function transport(delivery) {
  if (delivery?.price) return `, and ${pounds(delivery.price)} to send them to ${delivery.country}`;
  if (delivery) return `. Please tell me the price of sending them to ${delivery.country}`;
  const arranged = visit();
  return arranged ? `. I will collect them on ${moment(arranged.time)}` : ", without delivery";
}

/** The price in the table, if it has one: a heavy parcel needs a quote. */
async function deliveryTo(country) {
  try {
    return await globalThis.getDeliveryPrice(country);
  } catch {
    return { country };
  }
}

/** Adds the button and the tool, or removes them. */
export function offerDraft() {
  const possible = !form.hidden && contents().count > 0;
  offer.hidden = !possible;
  if (possible && !offered) {
    offered = new AbortController();
    register(offered.signal);
  } else if (!possible) {
    offered?.abort();
    offered = null;
  }
}

function register(signal) {
  const tool = {
    name: "draftOrder",
    title: "Write the order",
    description:
      "Write what is in the basket into the message on this page, as an order, above what the visitor has typed. " +
      "Use it when they want to order: they read it, add what they like and send it themselves. Nothing is sent. " +
      "Without a country it says that they collect the books, if an hour to come by is arranged.",
    inputSchema: {
      type: "object",
      properties: {
        country: {
          type: "string",
          enum: DELIVERY.map(({ country }) => country),
          description: "Where to send the books; the order then names the price.",
        },
      },
    },
    // The message that it returns may contain text of the visitor.
    annotations: { readOnlyHint: false, untrustedContentHint: true },
    execute: async ({ country }, { signal: given }) => {
      const delivery = country ? await deliveryTo(country) : null;
      // The call was cancelled: the message stays as it is.
      given.throwIfAborted();
      return writeOrder(delivery);
    },
  };
  document.modelContext?.registerTool(tool, { signal });
}

offer.querySelector("button").addEventListener("click", () => {
  writeOrder();
  message.focus();
});
on("basket", offerDraft);
on("visit", () => {
  if (written && message.value.startsWith(written)) writeOrder();
});
