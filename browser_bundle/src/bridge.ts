/** The one object of the page that Python sees; JSON strings in, JSON strings out. */
import { WebagentError, describeThrown, isWebagentError } from "./errors.ts";
import { type Encoded, decode, encodeText } from "./values.ts";

export interface Bridge {
  /** Those of a JSON list of names that are functions on `globalThis`, as a JSON list. */
  functions(names: string): string;
  /** Call `globalThis[name]`; `{"ok": true, "value"}` or `{"ok": false, "error"}` as JSON. */
  invoke(name: string, args: string): Promise<string>;
  /** Fire an event at the page's listeners; `detail` is JSON. */
  emit(event: string, detail: string): void;
}

export function createBridge(emit: (event: string, detail: unknown) => void): Bridge {
  return {
    functions(names) {
      const present = (JSON.parse(names) as string[]).filter((name) => pageFunction(name));
      return JSON.stringify(present);
    },
    async invoke(name, args) {
      try {
        const value = await callPage(name, JSON.parse(args) as Encoded[]);
        return `{"ok":true,"value":${encodeText(value)}}`;
      } catch (thrown) {
        const error = isWebagentError(thrown)
          ? thrown
          : new WebagentError({ kind: "internal", message: describeThrown(thrown) });
        return JSON.stringify({ ok: false, error });
      }
    },
    emit(event, detail) {
      emit(event, JSON.parse(detail));
    },
  };
}

type PageFunction = (...args: unknown[]) => unknown;

function pageFunction(name: string): PageFunction | undefined {
  const value = (globalThis as Record<string, unknown>)[name];
  return typeof value === "function" ? (value as PageFunction) : undefined;
}

async function callPage(name: string, args: Encoded[]): Promise<unknown> {
  const tool = pageFunction(name);
  if (!tool) {
    throw new WebagentError({
      kind: "missing_function",
      message: `the page has no function \`${name}\``,
    });
  }
  try {
    // As a button would call it: `global.name(…)`.
    return await tool.apply(globalThis, args.map(decode));
  } catch (thrown) {
    throw new WebagentError({ kind: "threw", message: describeThrown(thrown) });
  }
}
