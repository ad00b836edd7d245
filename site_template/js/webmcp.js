// The list of tools that parts of this shop offer from their frames. webagent's script keeps
// it in the page around them, so that page loads it too. The development server has the
// script at this address; elsewhere put your own here. Where there is none visitors miss
// nothing, and agents only the tools of those parts.

const SCRIPT = "/__webagent__/components.js";

/** What the script offers, or undefined where there is none. */
export const webmcp = import(SCRIPT).then(
  (script) => script.default,
  () => undefined,
);
