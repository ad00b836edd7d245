// The list of tools that parts of this shop offer from their frames. webagent's script keeps
// the list in the page around them, so that page loads the script too. The development server
// has it at this address; elsewhere put your own here. Without the script visitors miss
// nothing, and agents only miss the tools of those parts.

const SCRIPT = "/__webagent__/components.js";

/** The exports of the script, or undefined without one. */
export const webmcp = import(SCRIPT).then(
  (script) => script.default,
  () => undefined,
);
