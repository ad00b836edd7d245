/** `ModelContext`, the interface that the page sees, as a class of one realm. */
import type { DocumentTools } from "./document_tools.ts";
import type { RegisteredTool } from "./frames/document_tree.ts";
import { KEYWORD_NAMES, scriptTool, unsupportedIn, type Schema } from "./realm/tool_execution.ts";
import { NAME } from "./realm/tool_map.ts";
import { asInterface, Converter, extend, type ToolDefinition, type ToolReference } from "./realm/web_idl.ts";
import { namedOrigin, trustworthyOrigin, type Realm } from "./realm/window_realm.ts";
import { EventHandler } from "./tool_events.ts";

const EVENTS = ["toolchange", "toolactivated", "toolcancel"];

type Step<T> = (owner: DocumentTools) => Promise<T>;

/**
 * Defines the interface, and returns a function that creates its objects.
 *
 * @param validates Whether schemas are restricted to a subset, and inputs compared with them.
 */
export function defineModelContext(realm: Realm, validates: boolean): (owner: DocumentTools) => EventTarget {
  const owners = new WeakMap<object, DocumentTools>();
  const handlers = new WeakMap<object, Record<string, EventHandler>>();

  /** Runs a method: arguments are converted first, and all errors become rejections. */
  function promised<T>(
    context: object,
    method: string,
    convert: (converter: Converter) => Step<T>,
  ): Promise<T> {
    return new realm.Promise((resolve) => {
      const converter = new Converter(realm, method);
      const owner = owners.get(context) ?? converter.fail("Illegal invocation");
      const step = convert(converter);
      const go = (problem: DOMException | null): Promise<T> => {
        if (problem) throw problem;
        return step(owner);
      };
      const gate = owner.gate();
      resolve(gate && "then" in gate ? gate.then(go) : go(gate));
    });
  }

  class ModelContext extends realm.EventTarget {
    constructor() {
      super();
      throw new realm.TypeError("Illegal constructor");
    }

    executeTool(
      tool: unknown,
      inputObject: unknown = {},
      options: unknown = {},
    ): Promise<string | null> {
      return promised(this, "executeTool", (convert) => {
        const reference = convert.reference(tool);
        const signal = convert.signal(options);
        return (owner) => executeTool(owner, convert, reference, inputObject, signal);
      });
    }

    getTools(options: unknown = {}): Promise<object[]> {
      return promised(this, "getTools", (convert) => {
        const origins = convert.strings(options, "fromOrigins");
        return (owner) => getTools(owner, origins);
      });
    }

    registerTool(tool: unknown, options: unknown = {}): Promise<undefined> {
      return promised(this, "registerTool", (convert) => {
        const definition = convert.tool(tool);
        const origins = convert.strings(options, "exposedTo");
        const signal = convert.signal(options);
        return (owner) => registerTool(owner, convert, definition, { origins, signal, validates });
      });
    }
  }
  Object.defineProperty(ModelContext.prototype.executeTool, "length", { value: 1 });

  for (const type of EVENTS) {
    const name = `on${type}`;
    const handlerOf = (context: object): EventHandler =>
      handlers.get(context)?.[type] ?? new Converter(realm, name).fail("Illegal invocation");
    extend(ModelContext.prototype, {
      get [name](): object | null {
        return handlerOf(this).value;
      },
      set [name](value: unknown) {
        handlerOf(this).value = value;
      },
    });
  }
  asInterface(realm, "ModelContext", ModelContext);

  return (owner) => {
    const context = Reflect.construct(realm.EventTarget, [], ModelContext);
    owners.set(context, owner);
    handlers.set(
      context,
      Object.fromEntries(EVENTS.map((type) => [type, new EventHandler(context, type)])),
    );
    return context;
  };
}

// The steps of the methods, after arguments are converted and tools are allowed.

function registerTool(
  owner: DocumentTools,
  convert: Converter,
  definition: ToolDefinition,
  { origins, signal, validates }: { origins: string[]; signal: AbortSignal | undefined; validates: boolean },
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
  // JSON that is not an object registers a tool that nobody sees.
  const checked: unknown = validates && /^[{[]/.test(schema ?? "") ? JSON.parse(schema ?? "") : undefined;
  const refused = checked === undefined ? undefined : unsupportedIn(checked);
  if (refused) {
    convert.fail(`invalid input schema: \`${refused}\` is not supported; write ${KEYWORD_NAMES}`);
  }
  if (signal?.aborted) throw signal.reason;
  const exposedTo = new Set(secure(realm, origins, "exposedTo"));
  const tool = scriptTool(realm, definition, { schema, checked: checked as Schema }, exposedTo);
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

function getTools(owner: DocumentTools, origins: string[]): Promise<RegisteredTool[]> {
  return owner.tree.list(secure(owner.realm, origins, "fromOrigins"));
}

function executeTool(
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
