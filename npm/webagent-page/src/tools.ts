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

/** The functions of each name, the latest last; the first is the page's own, if there was one. */
const offered = new Map<string, unknown[]>();

/**
 * Offer a function to agents, as a global of the page.
 *
 * @returns A function that ends it; an earlier function of this name takes its place again.
 */
export function offerTool<Name extends ToolName>(name: Name, tool: ToolFunction<Name>): () => void {
  const page = globalThis as Record<string, unknown>;
  const all = offered.get(name) ?? (name in page ? [page[name]] : []);
  offered.set(name, all);
  // Two components may offer the same function.
  const own = (...given: unknown[]) => (tool as (...given: unknown[]) => unknown)(...given);
  all.push(own);
  page[name] = own;
  return () => {
    const at = all.indexOf(own);
    if (at < 0) return;
    all.splice(at, 1);
    if (page[name] !== own) return;
    if (all.length) page[name] = all.at(-1);
    else delete page[name];
  };
}
