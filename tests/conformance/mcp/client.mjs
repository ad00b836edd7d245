// A client made with the kit for TypeScript: lists, calls, hears what a call says meanwhile, gives one
// up, answers a question and hears of other tools. Takes an address; writes what it saw as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const client = new Client({ name: "kit", version: "1" }, { capabilities: { elicitation: {} } });
const seen = { steps: [] };
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  seen.asked = params.message;
  return { action: "accept", content: { yes: true } };
});
const changed = new Promise((resolve) => {
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve(true));
});
const call = (name, given = {}, options = {}) =>
  client.callTool({ name, arguments: given }, undefined, options);
const names = async () => (await client.listTools()).tools.map(({ name }) => name);

await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
seen.tools = await names();
seen.called = await call("test_simple_text");
seen.agreed = await call("test_elicitation", { message: "?" });
seen.ran = await call("execute_js", { code: "await global.test_simple_text({})" });

const end = new AbortController();
const onprogress = ({ message }) => {
  seen.steps.push(message);
  end.abort("enough");
};
const goal = { goal: "call test_input_required_result_elicitation" };
const run = call("run_goal", goal, { signal: end.signal, onprogress });
seen.ended = await run.then(String, String);

await call("test_trigger_tool_change");
seen.changed = await changed;
seen.more = (await names()).filter((name) => !seen.tools.includes(name));
await client.close();
console.log(JSON.stringify(seen));
