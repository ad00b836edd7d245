/** `components.js`: publishes `window.webmcp`, and exports the same. */
import { createApi, type Webmcp } from "./api.ts";
import { Frame } from "./frame.ts";
import { Member } from "./member.ts";
import { INTERNALS } from "./names.ts";
import { Shell } from "./shell.ts";

/** A frame that loads the script twice, or in two versions, has one API. */
function published(): Webmcp | undefined {
  const there = Object.getOwnPropertyDescriptor(window, "webmcp")?.value as Partial<Webmcp> | undefined;
  return there?.[INTERNALS] ? (there as Webmcp) : undefined;
}

function publish(): Webmcp {
  const isTop = window.top === window;
  // Only the shell knows the other frames' numbers, so a frame's own tools wait under one no other has.
  const frame = new Frame(isTop ? 0 : -1);
  const made = createApi(frame, isTop ? new Shell(frame) : new Member(frame));
  if (!Object.hasOwn(window, "webmcp")) {
    Object.defineProperty(window, "webmcp", { value: made, configurable: true, enumerable: true });
  }
  return made;
}

const webmcp = published() ?? publish();
export default webmcp;
export const { registerTool, unregisterTool, getTools, executeTool, on, off } = webmcp;
export { WebMcpError } from "./errors.ts";
export { TOOLS_CHANGE_EVENT } from "./names.ts";
