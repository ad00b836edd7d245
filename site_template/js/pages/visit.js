// visit.html: an hour for a visit, in a frame of contact.html. The choice is shown here; the page
// around it listens to ../shop/visit.js.

import { fill, html, moment, weekday } from "../html.js";
import { on } from "../shop/events.js";
import { arrange, cancel, openDays, visit } from "../shop/visit.js";
import { webmcp } from "../webmcp.js";

const main = document.querySelector("main");
const form = document.querySelector("#hours");
const answer = document.querySelector("#visit-answer");
const none = document.querySelector("#visit-cancel");

const days = openDays();

fill(form, html`${days.map(({ date, host, remark, times }) => html`
  <fieldset class="day">
    <legend><b>${weekday(date)}</b> <span class="soft">${host}${remark && `, ${remark}`}</span></legend>
    <div class="day-hours">${times.map((time) => html`
      <label class="hour"><input type="radio" name="time" value="${time}"> ${time.slice(-5)}</label>`)}
    </div>
  </fieldset>`)}`);

function show() {
  const arranged = visit();
  for (const each of form.elements.time) each.checked = each.value === arranged?.time;
  answer.textContent = arranged
    ? `${moment(arranged.time)}. Ask for ${arranged.host}.`
    : "No hour chosen yet.";
  none.hidden = !arranged;
}

form.addEventListener("change", ({ target }) => arrange(target.value));
none.addEventListener("click", () => {
  cancel();
  form.elements.time[0].focus();
});
on("visit", show);
show();

// The page around it gives the frame the height of its text.
if (frameElement) {
  new ResizeObserver(() => (frameElement.style.height = `${main.offsetHeight}px`)).observe(main);
}

const component = "visit";
const api = await webmcp;
api?.registerTool({
  component,
  name: "arrange",
  description:
    "Arrange the hour at which the visitor comes by the shop, where what they are after is put aside for them. " +
    "It replaces the hour they had. It returns the hour and who will be at the counter.",
  inputSchema: {
    type: "object",
    properties: {
      time: {
        type: "string",
        enum: days.flatMap(({ times }) => times),
        description: "The hour, in the shop's own time; the visitor names it.",
      },
    },
    required: ["time"],
  },
  execute: ({ time }) => arrange(time),
});
api?.registerTool({
  component,
  name: "cancel",
  description: "Tell the shop that the visitor does not come by after all. It does no harm when no hour was arranged.",
  execute: () => {
    cancel();
    return { arranged: false };
  },
});
