/** What documents say to each other: requests to windows, replies over the port of one request. */
import { NAME, type ListedTool } from "../realm/tool_map.ts";
import { readHints } from "../realm/web_idl.ts";

const MARK = "webagent:modelContext";
const MAX_TOOLS = 500;

/**
 * `hello` asks the parent whether tools are allowed here, and tells ancestors that this frame
 * answers; `changed` says that a tool of the sender, shown to the receiver's origin, has changed.
 */
export type Request =
  { type: "hello" | "changed" | "list" } | { type: "execute"; name: string; input: string };

/** That the tool has been started, what it gave, or why it gave nothing. */
export type Reply = { started: true } | { value: string | null } | { message: string };

/** Sends a request to a window, only if it shows a document of that origin. */
export function send(target: Window, origin: string, request: Request, port?: MessagePort): void {
  try {
    target.postMessage({ [MARK]: 1, ...request }, origin, port ? [port] : []);
  } catch {
    port?.close(); // an origin that no message can be addressed to, such as a file's
  }
}

/** Whether a message is between implementations of tools, and so none of the page's business. */
export function isOurs(data: unknown): data is Record<string, unknown> {
  return MARK in (Object(data) as object);
}

export function readRequest(data: Record<string, unknown>): Request | null {
  const { type, name, input } = data;
  if (type === "execute") return { type, name: `${name}`, input: `${input}` };
  return type === "hello" || type === "changed" || type === "list" ? { type } : null;
}

/** The tools of another document; what is no tool is left out. */
export function readTools(data: unknown): ListedTool[] {
  return Array.isArray(data) ? data.slice(0, MAX_TOOLS).flatMap(readTool) : [];
}

function readTool(data: unknown): ListedTool[] {
  const { name, title, description, inputSchema, annotations } = Object(
    data,
  ) as Partial<ListedTool>;
  try {
    const valid = NAME.test(`${name}`) && `${description}`;
    if (!valid || typeof JSON.parse(inputSchema ?? "{}") !== "object") return [];
    return [
      {
        name: `${name}`,
        title: `${title}`,
        description: `${description}`,
        inputSchema,
        annotations: annotations && readHints(annotations),
      },
    ];
  } catch {
    return []; // no JSON, or what no text can be made of
  }
}
