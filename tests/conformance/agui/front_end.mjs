// A front end in a page of the shop: `HttpAgent` of `@ag-ui/client`, and the schemas of `@ag-ui/core`.
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

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

const issued = await (await fetch("/__webagent__/llm/token", { method: "POST" })).json();

/** @param threadId Of another agent; a new one by default. */
function create(threadId) {
  let reading;
  const agent = new HttpAgent({
    url: "/__webagent__/agui",
    threadId,
    headers: { "x-webagent-token": issued.token },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (response.ok) reading = read(response.clone());
      return response;
    },
  });
  /** Run, and return all events so far, what is wrong with them, and what the agent knows. */
  const run = async (parameters) => {
    let failed = "";
    try {
      await agent.runAgent(parameters, { onRunErrorEvent: ({ event }) => void (failed = event.code) });
    } catch (error) {
      failed = String(error);
    }
    await reading;
    return { seen, wrong, failed, interrupts: agent.pendingInterrupts, messages: agent.messages };
  };
  return { agent, run };
}

const { agent, run } = create();
const answer = (interruptId, payload) => ({ resume: [{ interruptId, status: "resolved", payload }] });

globalThis.frontEnd = {
  goal(text) {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
    return run();
  },
  resume: (interruptId, payload) => run(answer(interruptId, payload)),
  /** Answer a question that no front end was told of. */
  forge: (interruptId, payload) => create(agent.threadId).run(answer(interruptId, payload)),
};
