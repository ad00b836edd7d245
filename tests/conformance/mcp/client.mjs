// A client made with a kit for TypeScript: lists, calls, lets the agent work and answers its questions,
// hears of another tool and gives a call of it up. Takes an address, a token and the age of the protocol;
// writes what it saw as JSON. What it waits for is said in a line of its own before.
import { once } from "node:events";

const [url, token, age] = process.argv.slice(2);
const old = age === "legacy";
const kit = await import(old ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
const { StreamableHTTPClientTransport } = old
  ? await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  : kit;
const { ElicitRequestSchema } = old ? await import("@modelcontextprotocol/sdk/types.js") : {};

const seen = { asked: [], steps: [] };
let told;
const changed = new Promise((resolve) => {
  told = resolve;
});
const client = new kit.Client(
  { name: "kit", version: "1" },
  {
    capabilities: { elicitation: {} },
    listChanged: { tools: { onChanged: (_, tools) => tools?.some(({ name }) => name === "wait") && told() } },
    ...(old ? {} : { versionNegotiation: { mode: "auto" } }),
  },
);
client.setRequestHandler(old ? ElicitRequestSchema : "elicitation/create", async ({ params }) => {
  seen.asked.push(params.message);
  return { action: "accept", content: { yes: true } };
});
const call = (name, given, options) => {
  const params = { name, arguments: given };
  return old ? client.callTool(params, undefined, options) : client.callTool(params, options);
};

const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
seen.tools = (await client.listTools()).tools.map(({ name }) => name);
seen.called = await call("searchBooks", { query: "harbour" });
seen.worked = await call(
  "run_goal",
  { goal: 'add "The Harbour Towns" to the basket' },
  { timeout: 100_000, onprogress: ({ message }) => seen.steps.push(message) },
);

console.log("a tool");
await changed;
const end = new AbortController();
const waiting = call("wait", {}, { signal: end.signal });
console.log("a word");
await once(process.stdin, "data");
end.abort("enough");
seen.ended = await waiting.then(String, String);

// The kit of the old age says so in a message of its own, which has to arrive before it leaves.
await once(process.stdin, "data");
process.stdout.write(JSON.stringify(seen), () => process.exit());
