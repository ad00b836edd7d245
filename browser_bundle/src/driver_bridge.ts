/** `outside.js`: gives an agent outside of the browser access to any page; Playwright injects it. */
import { WebagentError } from "./base/errors.ts";
import { createDom } from "./dom/index.ts";
import { PageTools } from "./tools/page_tools.ts";
import { createBridge, type Bridge, type RunCode } from "./tools/python_bridge.ts";

const NOT_AVAILABLE = "this page is driven from outside, where programs run elsewhere";

interface DriverBridge extends Bridge {
  /** The element of the last requested screenshot, which the driver takes. */
  aimed(): Element;
}

/** The bridge of a document; the driver keeps it until the document is unloaded. */
export function enter(fromOrigins: string[]): DriverBridge {
  const refuse = async () => {
    throw new WebagentError({ kind: "internal", message: NOT_AVAILABLE });
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
