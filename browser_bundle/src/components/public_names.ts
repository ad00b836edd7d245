/** Names that programs and the agent use. */

export const TOOLS_CHANGE_EVENT = "change:tools";

/** The member of `window.webmcp` that is meant for the agent only. */
export const INTERNALS = Symbol.for("webagent.components");
