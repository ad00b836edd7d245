// A client made with the official kit for JavaScript. Arguments: the origin, the owner's token and the
// binding. It prints what it has seen.
import { randomUUID } from "node:crypto";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";

const [origin, token, binding] = process.argv.slice(2);
const withToken = (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(url, { ...init, headers });
};
const Transport = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory }[binding];
const card = await new DefaultAgentCardResolver({ fetchImpl: withToken }).resolve(origin);
const factory = new ClientFactory({
  transports: [new Transport({ fetchImpl: withToken })],
  preferredTransports: [binding],
});
const client = await factory.createFromAgentCard(card);

async function send(part, taskId = "") {
  const message = { messageId: randomUUID(), role: 1, parts: [{ content: part }], taskId };
  const kinds = [];
  for await (const { payload } of client.sendMessageStream({ message })) {
    kinds.push(payload.$case);
    if (payload.$case === "task") taskId = payload.value.id;
  }
  return { task: await client.getTask({ id: taskId }), kinds };
}

const call = { tool: "searchBooks", arguments: { query: "sea" } };
const called = await send({ $case: "data", value: call });
let { task } = await send({ $case: "text", value: 'add "The Harbour Towns" to the basket' });
const asked = [];
while (task.status.state === 6) {
  asked.push(task.status.message.parts[0].content.value);
  ({ task } = await send({ $case: "text", value: "yes" }, task.id));
}
console.log(
  JSON.stringify({
    name: card.name,
    kinds: called.kinds,
    books: called.task.artifacts[0].parts[0].content.value.books.length,
    asked,
    state: task.status.state,
    protocol: client.protocolVersion,
  }),
);
process.exit(0);
