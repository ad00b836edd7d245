/** Messages between documents: requests to windows, and replies over a request's own port. */
import { NAME, type ListedTool } from "../realm/tool_map.ts";
import { readHints } from "../realm/web_idl.ts";

const MARK = "webagent:modelContext";
const MAX_TOOLS = 500;

/**
 * `hello` asks the parent whether tools are allowed here, and announces to ancestors that this frame
 * answers. `changed` announces a change of a tool that the receiver's origin can see.
 */
export type Request =
  { type: "hello" | "changed" | "list" } | { type: "execute"; name: string; input: string };

/** The tool was started, its result, or its error. */
export type Reply = { started: true } | { value: string | null } | { message: string; name?: string };

/** Send a request to a window, only if it shows a document of that origin. */
export function send(target: Window, origin: string, request: Request, port?: MessagePort): void {
  try {
    target.postMessage({ [MARK]: 1, ...request }, origin, port ? [port] : []);
  } catch {
    port?.close(); // a message cannot be addressed to this origin, such as that of a file
  }
}

/** Whether a message is ours, and so not for the page. */
export function isOurs(data: unknown): data is Record<string, unknown> {
  return MARK in (Object(data) as object);
}

export function readRequest(data: Record<string, unknown>): Request | null {
  const { type, name, input } = data;
  if (type === "execute") return { type, name: `${name}`, input: `${input}` };
  return type === "hello" || type === "changed" || type === "list" ? { type } : null;
}

/** The tools of another document; invalid ones are left out. */
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
    return []; // not JSON, or a value that cannot be written as text
  }
}
