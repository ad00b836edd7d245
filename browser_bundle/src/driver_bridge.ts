/** A page as an agent outside of it sees it: what Playwright brings into pages that are not ours. */
import { WebagentError } from "./base/errors.ts";
import { createDom } from "./dom/index.ts";
import { PageTools } from "./tools/page_tools.ts";
import { createBridge, type Bridge, type RunCode } from "./tools/python_bridge.ts";

const NOT_HERE = "this page was entered from outside, where programs run elsewhere";

interface FarBridge extends Bridge {
  /** The element of which a picture was asked for last: the driver takes it. */
  aimed(): Element;
}

/** One document's bridge; the driver keeps it as long as the document lives. */
export function enter(fromOrigins: string[]): FarBridge {
  const refuse = async () => {
    throw new WebagentError({ kind: "internal", message: NOT_HERE });
  };
  const tools = new PageTools(refuse, fromOrigins, false, () => {});
  let aimed: Element = document.documentElement;
  const camera = {
    async capture(target: Element) {
      aimed = target;
      return { data: "", width: 0, height: 0 };
    },
  };
  const dom = createDom(document, { screenshot: async () => camera });
  const runCode: RunCode = refuse;
  const bridge = createBridge(tools, async () => dom, runCode, () => {});
  return { ...bridge, aimed: () => aimed };
}
