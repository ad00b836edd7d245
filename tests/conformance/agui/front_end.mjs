// A front end in a page of the shop: `HttpAgent` of `@ag-ui/client`, and the schemas of `@ag-ui/core`.
import { EventSchemas } from "@ag-ui/core/schemas";
// As the documentation has it.
import { agent } from "./agent.ts";

const { fetch } = agent;

/** The events as they arrived, and what the schemas say against them. */
const seen = [];
const wrong = [];

async function read(response) {
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    const checked = EventSchemas.safeParse(event);
    if (!checked.success) wrong.push({ event, why: checked.error.message });
    seen.push(event);
  }
}

/** Run, and return all events so far, what is wrong with them, and what the front end knows. */
async function run(front, parameters) {
  let reading;
  let failed = "";
  front.fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok) reading = read(response.clone());
    return response;
  };
  try {
    await front.runAgent(parameters, { onRunErrorEvent: ({ event }) => void (failed = event.code) });
  } catch (error) {
    failed = String(error);
  }
  await reading;
  return { seen, wrong, failed, interrupts: front.pendingInterrupts, messages: front.messages };
}

const answer = (interruptId, payload) => ({ resume: [{ interruptId, status: "resolved", payload }] });

globalThis.frontEnd = {
  goal(text) {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
    return run(agent);
  },
  resume: (interruptId, payload) => run(agent, answer(interruptId, payload)),
  /** Answer a question that no front end was told of. */
  forge(interruptId, payload) {
    const stranger = agent.clone();
    stranger.pendingInterrupts = [];
    return run(stranger, answer(interruptId, payload));
  },
};
