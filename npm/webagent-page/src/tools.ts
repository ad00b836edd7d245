/** Functions of components as tools: globals of the page while their component is there. */
import "./agent.js";

/** The name of a tool: one of the manifest where its types were written, else any. */
export type ToolName = [keyof WebAgentGlobal] extends [never] ? string : Extract<keyof WebAgentGlobal, string>;

/** The function of a tool. One that waits for nothing needs no promise. */
export type ToolFunction<Name extends string> = Name extends keyof WebAgentGlobal
  ? WebAgentGlobal[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer | Promise<Answer>
    : never
  : (...given: any[]) => unknown;

/** The functions that are offered under a name, the latest last, and the page's own, if it had one. */
interface Offered {
  tools: unknown[];
  before: unknown[];
}

const offered = new Map<string, Offered>();

/**
 * Offer a function to agents, as a global of the page.
 *
 * @returns A function that ends it; an earlier function of this name takes its place again.
 */
export function offerTool<Name extends ToolName>(name: Name, tool: ToolFunction<Name>): () => void {
  const page = globalThis as Record<string, unknown>;
  const { tools, before } = offered.get(name) ?? { tools: [], before: name in page ? [page[name]] : [] };
  offered.set(name, { tools, before });
  // Two components may offer the same function.
  const own = (...given: unknown[]) => (tool as (...given: unknown[]) => unknown)(...given);
  tools.push(own);
  page[name] = own;
  return () => {
    const at = tools.indexOf(own);
    if (at < 0) return;
    tools.splice(at, 1);
    if (tools.length === 0) offered.delete(name);
    if (page[name] !== own) return;
    const [next] = [...tools.slice(-1), ...before];
    if (next === undefined) delete page[name];
    else page[name] = next;
  };
}
