// The tools that the MCP suite calls, as a page offers them: scripts' tools give results that have
// the protocol's shape already; those that cannot be undone, of which the person is asked, stand in
// webagents.md.
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const text = (text) => ({ type: "text", text });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const resource = (uri, mimeType, text) => ({ type: "resource", resource: { uri, mimeType, text } });

const EMPTY = { type: "object", properties: {} };
const CONTACT = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

// HTTP repeats the argument in the header `Mcp-Param-Region`.
const REGION = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
  required: ["region"],
};

const NAMED = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const FILE = { type: "object", properties: { filename: { type: "string" } }, required: ["filename"] };
const SLOW = {
  type: "object",
  properties: { seconds: { type: "number" }, label: { type: "string" } },
  required: ["seconds"],
};

function offer(name, give, inputSchema = EMPTY) {
  const execute = async (input, context) => give(input, context);
  document.modelContext.registerTool({ name, description: `The suite's ${name}.`, inputSchema, execute });
}

const later = (seconds, signal) =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

addEventListener("load", async () => {
  // Where the browser has none, it comes with the agent.
  if (!document.modelContext) await webagent.ready;
  offer("test_simple_text", () => ({
    content: [text("This is a simple text response for testing.")],
  }));
  offer("test_image_content", () => ({ content: [image] }));
  offer("test_audio_content", () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  offer("test_embedded_resource", () => ({
    content: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  }));
  offer("test_multiple_content_types", () => ({
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }));
  offer("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  let more = 0;
  offer("test_trigger_tool_change", () => {
    offer(`more_${++more}`, () => "more");
    return "done";
  });
  offer("json_schema_2020_12_tool", () => "ok", CONTACT);
  // These take longer than a client waits that takes tasks.
  offer("greet", ({ name }) => ({ content: [text(`Hello, ${name}!`)] }), NAMED);
  offer("slow_compute", async ({ seconds }, { signal }) => {
    await later(seconds, signal);
    return { content: [text("computed")] };
  }, SLOW);
  offer("failing_job", async () => {
    await later(1.5);
    throw new Error("This job fails.");
  });
  offer("confirm_delete", async ({ filename }, { ask }) => {
    await later(1.5);
    const agreed = await ask(`Delete ${filename}?`, { kind: "approval" });
    return { content: [text(agreed ? "deleted" : "kept")] };
  }, FILE);
  offer("test_x_mcp_header", ({ region }) => `region=${region}`, REGION);
});

globalThis.test_elicitation = (message) => "done";
globalThis.test_input_required_result_elicitation = () => "done";
globalThis.test_input_required_result_request_state = () => "state-ok";
globalThis.test_input_required_result_tampered_state = () => "done";
