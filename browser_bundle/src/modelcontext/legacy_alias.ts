/** Names of earlier drafts and browsers: `navigator.modelContext`, events at the window, titles of parameters. */
import { attribute, select } from "./forms/form_controls.ts";
import { parametersOf } from "./forms/form_parameters.ts";
import type { RegisteredTool } from "./frames/document_tree.ts";
import type { ToolEventConstructor } from "./tool_events.ts";
import { extend } from "./realm/web_idl.ts";
import { reachable, type Realm } from "./realm/window_realm.ts";

interface Context extends EventTarget {
  registerTool(tool: object, options?: object): Promise<undefined>;
  executeTool(tool: unknown, input?: unknown, options?: unknown): Promise<string | null>;
}

type Named = { name: string };

/** Defines the alias, unless the browser has its own. */
export function defineAlias(realm: Realm, current: () => EventTarget): void {
  if ("modelContext" in realm.navigator) return;
  let alias: object | undefined;
  extend(realm.Navigator.prototype, {
    get modelContext(): object {
      if (!alias)
        realm.console.warn("navigator.modelContext is deprecated: write document.modelContext");
      return (alias ??= aliasOf(realm, current as () => Context));
    },
  });
}

/** The current context, with the methods that later drafts have dropped or changed. */
function aliasOf(realm: Realm, current: () => Context): object {
  const controllers = new Map<string, AbortController>();

  function registerTool(tool: Named, options?: { signal?: AbortSignal }): Promise<undefined> {
    const name = String(tool?.name);
    const controller = new realm.AbortController();
    const signal = realm.AbortSignal.any([controller.signal, options?.signal ?? []].flat());
    if (!controllers.has(name)) controllers.set(name, controller);
    const registered = current().registerTool(tool, { ...options, signal });
    // In those drafts nothing was returned, so pages do not handle a rejection.
    registered.catch((error: unknown) => {
      if (controllers.get(name) === controller) controllers.delete(name);
      if (!signal.aborted) realm.console.error(error);
    });
    return registered;
  }

  function unregisterTool(name: string): void {
    controllers.get(name)?.abort();
    controllers.delete(name);
  }

  function clearContext(): void {
    for (const controller of controllers.values()) controller.abort();
    controllers.clear();
  }

  function provideContext({ tools = [] }: { tools?: Named[] } = {}): void {
    clearContext();
    for (const tool of tools) void registerTool(tool);
  }

  async function executeTool(
    tool: unknown,
    input?: unknown,
    options?: unknown,
  ): Promise<string | null> {
    return current().executeTool(
      tool,
      typeof input === "string" ? JSON.parse(input) : input,
      options,
    );
  }

  const earlier: Record<PropertyKey, unknown> = {
    registerTool,
    unregisterTool,
    clearContext,
    provideContext,
    executeTool,
  };
  return new Proxy(earlier, {
    get(_, key) {
      const context = current();
      const value: unknown = earlier[key] ?? Reflect.get(context, key);
      return typeof value === "function" ? value.bind(context) : value;
    },
    set: (_, key, value) => Reflect.set(current(), key, value),
  });
}

type Properties = Record<string, { description?: string } | undefined>;

/** Whether the browser itself has `document.modelContext`. */
export function isNative(realm: Realm): boolean {
  const getter = Object.getOwnPropertyDescriptor(realm.Document.prototype, "modelContext")?.get;
  // Functions that a script has bound are native code without a name.
  return /^function get modelContext.*native code/s.test(realm.Function.prototype.toString.call(getter ?? reachable));
}

/** Adds to the browser's own `modelContext` what ours has: events at the window, `toolparamtitle`. */
export function completeNative(realm: Realm): void {
  const { modelContext } = realm.document as Document & { modelContext: Context };
  for (const type of ["toolactivated", "toolcancel"]) {
    let reported = false;
    realm.addEventListener(type, (event) => (reported ||= event.isTrusted), true);
    modelContext.addEventListener(type, (event) => {
      const { constructor, toolName } = event as never as { constructor: ToolEventConstructor; toolName: string };
      if (event.isTrusted && !reported) realm.dispatchEvent(new constructor(type, { toolName }));
    });
  }
  const prototype = Object.getPrototypeOf(modelContext) as { getTools(): Promise<RegisteredTool[]> };
  const { getTools } = prototype;
  Object.assign(prototype, {
    getTools(...options: []): Promise<RegisteredTool[]> {
      return getTools.apply(this, options).then((tools) => {
        for (const tool of tools) addTitles(tool);
        return tools;
      });
    },
  });
}

/** Adds the titles of a form's parameters to its tool, in the place where ours has them. */
function addTitles({ name, description, inputSchema, window }: RegisteredTool): void {
  const frame = reachable(window);
  const { properties } = Object(inputSchema) as { properties?: Properties };
  if (!frame || !properties) return;
  const form = [...formsIn(frame.document)].find(
    (each) => attribute(each, "toolname") === name && attribute(each, "tooldescription") === description,
  );
  if (!form) return;
  for (const [parameter, [control]] of parametersOf(form)) {
    const title = control && attribute(control, "toolparamtitle");
    const property = title && Object.hasOwn(properties, parameter) && properties[parameter];
    if (!property) continue;
    const { description: described, ...rest } = property;
    properties[parameter] = { ...rest, title, ...(described !== undefined && { description: described }) } as object;
  }
}

function* formsIn(root: Document | ShadowRoot): Generator<HTMLFormElement> {
  yield* select(root, "form[toolname]") as NodeListOf<HTMLFormElement>;
  for (const { shadowRoot } of select(root, "*")) {
    // A form's control may be named `shadowRoot`.
    if (shadowRoot?.nodeType === 11) yield* formsIn(shadowRoot);
  }
}
