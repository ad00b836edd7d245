/** `components.js`: publishes `window.webmcp`, and exports the same. */
import { ChildFrame } from "./child_frame.ts";
import { FrameState } from "./frame_state.ts";
import { createApi, type Webmcp } from "./public_api.ts";
import { INTERNALS } from "./definition.ts";
import { TopFrame } from "./top_frame.ts";

/** The API of an earlier copy of this script: a frame has one API, even with two copies or versions. */
function published(): Webmcp | undefined {
  // An element or a frame named `webmcp` is also found on `window`, but not as an own property.
  const there: Partial<Webmcp> | undefined = Object.hasOwn(window, "webmcp")
    ? window.webmcp
    : undefined;
  return there?.[INTERNALS] && (there as Webmcp);
}

function publish(): Webmcp {
  const isTop = window.top === window;
  // The top page assigns the number; until then -1 keeps a frame's own tools apart from all others.
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
export { TOOLS_CHANGE_EVENT } from "./definition.ts";
