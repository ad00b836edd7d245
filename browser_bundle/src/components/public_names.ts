/** The names that programs and the agent know us by. */

export const TOOLS_CHANGE_EVENT = "change:tools";

/** Where `window.webmcp` keeps what is meant for the agent alone. */
export const INTERNALS = Symbol.for("webagent.components");
