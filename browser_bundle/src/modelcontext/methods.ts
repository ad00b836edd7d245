/** What the methods of `ModelContext` do, once arguments are converted and tools are allowed. */
import type { DocumentTools } from "./document_tools.ts";
import { scriptTool } from "./realm/tool_execution.ts";
import type { Converter, ToolDefinition, ToolReference } from "./realm/web_idl.ts";
import { namedOrigin, trustworthyOrigin } from "./origins.ts";
import type { Realm } from "./realm/window_realm.ts";
import { NAME } from "./realm/tool_map.ts";
import type { RegisteredTool } from "./frames/document_tree.ts";

export function registerTool(
  owner: DocumentTools,
  convert: Converter,
  definition: ToolDefinition,
  { origins, signal }: { origins: string[]; signal: AbortSignal | undefined },
): Promise<undefined> {
  const { realm, tools } = owner;
  const { name, description, inputSchema } = definition;
  const invalid = tools.has(name)
    ? "Duplicate tool name"
    : !NAME.test(name)
      ? "Invalid tool name"
      : description === "" && "Description is required";
  if (invalid) throw new realm.DOMException(invalid, "InvalidStateError");
  const schema = inputSchema && convert.json(inputSchema, "input schema");
  if (signal?.aborted) throw signal.reason;
  const tool = scriptTool(realm, definition, schema, new Set(secure(realm, origins, "exposedTo")));
  return new realm.Promise((resolve, reject) => {
    const remove = (): void => {
      tools.remove(tool);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", remove, { once: true });
    tools.add(tool);
    owner.queue(() => resolve(undefined));
  });
}

export function getTools(owner: DocumentTools, origins: string[]): Promise<RegisteredTool[]> {
  return owner.tree.list(secure(owner.realm, origins, "fromOrigins"));
}

export function executeTool(
  owner: DocumentTools,
  convert: Converter,
  reference: ToolReference,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { DOMException } = owner.realm;
  const origin = namedOrigin(reference.origin);
  if (!origin) throw new DOMException("The provided origin is invalid.", "NotSupportedError");
  const text = convert.input(input);
  if (reference.window.closed)
    throw new DOMException("Target frame is detached.", "InvalidStateError");
  if (signal?.aborted) throw signal.reason;
  return owner.tree.execute({ ...reference, origin }, text, signal);
}

function secure(realm: Realm, origins: string[], member: string): string[] {
  return origins.map((text) => {
    const origin = trustworthyOrigin(text);
    if (origin) return origin;
    throw new realm.DOMException(
      `Only secure origins are allowed in the ${member} list.`,
      "SecurityError",
    );
  });
}
