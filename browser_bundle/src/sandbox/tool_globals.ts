/** The `global` of a program: the declared tools and nothing else. */
import { WebagentError } from "../base/errors.ts";

/** Names that JavaScript itself looks up on objects; these are not calls of a missing tool. */
const OBJECT_PROTOCOL = new Set(["toJSON", "toString", "valueOf", "constructor"]);
const MOST_NAMED = 20;

/** Calls a tool; resolves to its value. */
type CallByName = (name: string, args: unknown[]) => Promise<unknown>;

type Tool = (...args: unknown[]) => unknown;

/** An object with a function for each tool, which cannot be changed. */
export function createToolGlobals(names: readonly string[], call: CallByName): object {
  const tools = new Map(names.map((name) => [name, (...args: unknown[]) => call(name, args)]));
  return new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === "symbol") return undefined;
      const tool = tools.get(name);
      if (name === "then") return tool && thenable(tool, names, call);
      if (tool) return tool;
      if (OBJECT_PROTOCOL.has(name)) return undefined;
      throw unknownTool(name, names);
    },
    has: (_, name) => typeof name === "string" && tools.has(name),
    ownKeys: () => [...tools.keys()],
    getOwnPropertyDescriptor: (_, name) => {
      const tool = typeof name === "string" ? tools.get(name) : undefined;
      return tool && { value: tool, enumerable: true, configurable: true };
    },
    set(_, name) {
      throw new WebagentError({
        kind: "threw",
        message: `\`global.${String(name)}\` cannot be set: global holds the page's tools alone`,
        help: "keep values in variables",
      });
    },
  });
}

/** A tool named `then`, which `await global` calls too: with two functions, which no tool takes. */
function thenable(tool: Tool, names: readonly string[], call: CallByName): Tool {
  return async (...args) => {
    const [resolve] = args;
    if (typeof resolve !== "function") return tool(...args);
    // Without `then`, or it would be awaited again.
    return (resolve as Tool)(createToolGlobals(names.filter((name) => name !== "then"), call));
  };
}

/** The error for a missing tool; its `help` lists the tools that exist. */
export function unknownTool(name: string, names: readonly string[]): WebagentError {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return new WebagentError({
    kind: "unknown_tool",
    message: `there is no tool \`${name.slice(0, 200)}\``,
    tool: name.slice(0, 200),
    help: names.length
      ? `the page offers ${names.slice(0, MOST_NAMED).join(", ")}${more}`
      : "the page offers no tools",
  });
}
