/** `navigator.modelContext`, as pages written for the earlier drafts use it. */
import { extend } from "./idl.ts";
import type { Realm } from "./realm.ts";

interface Context extends EventTarget {
  registerTool(tool: object, options?: object): Promise<undefined>;
  executeTool(tool: unknown, input?: unknown, options?: unknown): Promise<string | null>;
}

type Named = { name: string };

/** Defines the alias, unless the browser has one of its own. */
export function defineAlias(realm: Realm, current: () => EventTarget): void {
  if ("modelContext" in realm.navigator) return;
  const aliases = new WeakMap<EventTarget, object>();
  let warned = false;
  extend(realm.Navigator.prototype, {
    get modelContext(): object {
      if (!warned) realm.console.warn("navigator.modelContext is deprecated; write document.modelContext");
      warned = true;
      const context = current() as Context;
      const alias = aliases.get(context) ?? aliasOf(realm, context);
      aliases.set(context, alias);
      return alias;
    },
  });
}

/** The context, with the methods that later drafts have dropped or changed. */
function aliasOf(realm: Realm, context: Context): object {
  const controllers = new Map<string, AbortController>();

  function registerTool(tool: Named, options?: { signal?: AbortSignal }): Promise<undefined> {
    const name = String(tool?.name);
    const controller = new realm.AbortController();
    const signal = realm.AbortSignal.any([controller.signal, options?.signal ?? []].flat());
    if (!controllers.has(name)) controllers.set(name, controller);
    const registered = context.registerTool(tool, { ...options, signal });
    // The drafts returned nothing, so nobody looks at what the promise rejects with.
    registered.catch((error: unknown) => {
      if (controllers.get(name) === controller) controllers.delete(name);
      if (!signal.aborted) realm.console.error("navigator.modelContext.registerTool:", error);
    });
    return registered;
  }

  function unregisterTool(name: string): void {
    controllers.get(name)?.abort();
    controllers.delete(name);
  }

  function clearContext(): void {
    for (const name of [...controllers.keys()]) unregisterTool(name);
  }

  function provideContext({ tools = [] }: { tools?: Named[] } = {}): void {
    clearContext();
    for (const tool of tools) void registerTool(tool);
  }

  function executeTool(tool: unknown, input?: unknown, options?: unknown): Promise<string | null> {
    return new realm.Promise((resolve) =>
      resolve(context.executeTool(tool, typeof input === "string" ? JSON.parse(input) : input, options)),
    );
  }

  const earlier: Record<PropertyKey, unknown> = {
    registerTool,
    unregisterTool,
    clearContext,
    provideContext,
    executeTool,
  };
  return new Proxy(context, {
    get(target, key) {
      if (Object.hasOwn(earlier, key)) return earlier[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" && key !== "constructor" ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value),
  });
}
