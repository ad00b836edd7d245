/** Loads the agent into the page that runs this, from the folder in which its site has the bundle. */
import type { ScriptAttributes, WebAgent } from "./agent.js";

export type { AgentEvent, Finding, ModelContext, ScriptAttributes, WebAgent } from "./agent.js";

/**
 * Load the agent. A page that has it already keeps it.
 *
 * @param base URL of the folder with the bundle.
 * @param attributes Those of the script tag, without `data-`.
 * @returns `window.webagent`; Python starts when the agent is first used, or as `start` says.
 * @throws Error if the script cannot be loaded.
 */
export async function loadAgent(base: string | URL, attributes: ScriptAttributes = {}): Promise<WebAgent> {
  if (!Object.hasOwn(window, "webagent")) {
    const script = document.createElement("script");
    script.type = "module";
    script.src = new URL("webagent.js", new URL(String(base).replace(/\/?$/, "/"), document.baseURI)).href;
    for (const [name, value] of Object.entries(attributes)) script.setAttribute(`data-${name}`, value);
    await new Promise<void>((resolve, reject) => {
      script.addEventListener("load", () => resolve());
      script.addEventListener("error", () => reject(new Error(`\`${script.src}\` cannot be loaded`)));
      document.head.append(script);
    });
  }
  return webagent;
}
