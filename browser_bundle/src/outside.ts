/** A page as an agent outside of it sees it: what Playwright brings into pages that are not ours. */
import { createBridge, type Bridge, type RunCode } from "./bridge.ts";
import { createDom } from "./dom/index.ts";
import { WebagentError } from "./errors.ts";
import { PageTools } from "./tools/page_tools.ts";

const NOT_HERE = "this page was entered from outside, where programs run elsewhere";

/** One document's bridge; the driver keeps it as long as the document lives. */
export function enter(fromOrigins: string[]): Bridge {
  const refuse = async () => {
    throw new WebagentError({ kind: "internal", message: NOT_HERE });
  };
  const tools = new PageTools(refuse, fromOrigins, false, () => {});
  const dom = createDom();
  const runCode: RunCode = refuse;
  return createBridge(tools, async () => dom, runCode, () => {});
}
