/** `navigator.modelContext`, for pages that were written for earlier drafts. */
import { extend } from "./realm/web_idl.ts";
import type { Realm } from "./realm/window_realm.ts";

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
