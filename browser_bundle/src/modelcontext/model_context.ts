/** `ModelContext`, the interface that the page sees, as a class of one realm. */
import type { DocumentTools } from "./document_tools.ts";
import { EventHandler } from "./tool_events.ts";
import { Converter, asInterface, extend } from "./realm/web_idl.ts";
import { executeTool, getTools, registerTool } from "./methods.ts";
import type { Realm } from "./realm/window_realm.ts";

const EVENTS = ["toolchange", "toolactivated", "toolcancel"];

type Step<T> = (owner: DocumentTools) => Promise<T>;

/** Defines the interface, and returns what makes its objects. */
export function defineModelContext(realm: Realm): (owner: DocumentTools) => EventTarget {
  const owners = new WeakMap<object, DocumentTools>();
  const handlers = new WeakMap<object, Record<string, EventHandler>>();

  /** Runs a method: its arguments are converted first, and all its errors are rejections. */
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
      throw new realm.TypeError("Illegal constructor");
      super();
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
        return (owner) => registerTool(owner, convert, definition, { origins, signal });
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
    const context = Reflect.construct(realm.EventTarget, [], ModelContext) as EventTarget;
    owners.set(context, owner);
    handlers.set(
      context,
      Object.fromEntries(EVENTS.map((type) => [type, new EventHandler(context, type)])),
    );
    return context;
  };
}
