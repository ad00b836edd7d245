/** `components.js`: publishes `window.webmcp`, and exports the same. */
import { ChildFrame } from "./child_frame.ts";
import { FrameState } from "./frame_state.ts";
import { createApi, type Webmcp } from "./public_api.ts";
import { INTERNALS } from "./public_names.ts";
import { TopFrame } from "./top_frame.ts";

/** A frame that loads the script twice, or in two versions, has one API. */
function published(): Webmcp | undefined {
  // An element or a frame named `webmcp` answers to it too, but is no property of the window's own.
  const there: Partial<Webmcp> | undefined = Object.hasOwn(window, "webmcp")
    ? window.webmcp
    : undefined;
  return there?.[INTERNALS] && (there as Webmcp);
}

function publish(): Webmcp {
  const isTop = window.top === window;
  // A number comes from the shell; until then a frame's own tools have one that no other has.
  const frame = new FrameState(isTop ? 0 : -1);
  const made = createApi(frame, isTop ? new TopFrame(frame) : new ChildFrame(frame));
  if (!Object.hasOwn(window, "webmcp")) {
    Object.defineProperty(window, "webmcp", { value: made, configurable: true, enumerable: true });
  }
  return made;
}

const webmcp = published() ?? publish();
export default webmcp;
export const { registerTool, unregisterTool, getTools, executeTool, on, off } = webmcp;
export { WebMcpError } from "./tool_errors.ts";
export { TOOLS_CHANGE_EVENT } from "./public_names.ts";
