/** `window.webmcp`, on top of a frame's state and its access to the other frames. */
import { unheard } from "../base/results.ts";
import { ownOrigin } from "./allowed_origins.ts";
import type { Entry } from "./catalogue.ts";
import { INTERNALS, readDefinition, readKey, TOOLS_CHANGE_EVENT } from "./definition.ts";
import type { Events, FrameState, Uplink } from "./frame_state.ts";
import type { ExecuteOptions, SerializableToolDefinition, ToolContext, WebMcpApi } from "./public.d.ts";
import { abortName, abortReason, WebMcpError, type AbortName } from "./tool_errors.ts";

const TIMEOUT_MS = 30_000;
/** The longest delay of a browser's timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A tool of one frame, as the agent's registry takes it. */
interface ComponentTool extends SerializableToolDefinition {
  origin: string;
  /** Number of the frame, in the order of arrival; 0 is the top page, -1 a frame without shell. */
  frame: number;
  /** Whether the tool belongs to this frame. */
  own: boolean;
}

/** The agent's access: every tool of every frame can be called, even if another hides its name. */
export interface Internals {
  /** The oldest first. */
  tools(): ComponentTool[];
  /** @throws WebMcpError */
  execute(
    component: string | undefined,
    name: string,
    frame: number,
    parameters: object,
    context: ToolContext,
  ): Promise<unknown>;
  /** The window of a frame by its number; only the top page knows those of others. */
  windowOf?(frame: number): Window | undefined;
  /** Call a listener after each change of the tools. */
  onChange(listener: () => void): void;
}

export type Webmcp = WebMcpApi & { readonly [INTERNALS]: Internals };

export function createApi(frame: FrameState, uplink: Uplink): Webmcp {
  const { catalogue, localTools, events } = frame;
  const api: WebMcpApi = {
    registerTool(definition) {
      const tool = readDefinition(definition);
      const { execute } = definition;
      if (typeof execute !== "function") {
        throw new TypeError(
          `\`${tool.name}\` has no execute - it does the tool's work - ` +
            "write a function that takes the parameters",
        );
      }
      const entry: Entry = { frame: frame.own, origin: ownOrigin(), tool };
      localTools.set(tool, execute);
      uplink.report([entry], []);
      frame.change([entry], []);
    },
    unregisterTool(name, component) {
      const key = readKey(name, component);
      const removal = { frame: frame.own, ...key };
      if (!catalogue.get(frame.own, key)) return;
      localTools.delete(key);
      uplink.report([], [removal]);
      frame.change([], [removal]);
    },
    async getTools() {
      await uplink.known();
      return frame.list();
    },
    async executeTool(name, parameters = {}, options = {}) {
      const find = String(name);
      if (typeof parameters !== "object" || parameters === null) {
        const message =
          `the parameters of \`${find}\` are not an object - a tool takes one - write \`{…}\``;
        throw new WebMcpError("invalid_arguments", message, find);
      }
      return within(options, (signal) => uplink.call({ find }, parameters, unheard(signal)));
    },
    on(event: keyof Events, handler: (detail: never) => unknown) {
      events.on(readEvent(event), handler);
    },
    off(event: keyof Events, handler: (detail: never) => void) {
      events.off(readEvent(event), handler);
    },
  };
  const internals: Internals = {
    tools() {
      return catalogue.entries().map(({ frame: number, origin, tool }) => {
        const own = number === frame.own;
        return { ...tool, origin, frame: own ? uplink.number : number, own };
      });
    },
    execute(component, name, number, parameters, { signal, progress, ask }) {
      const target = { ...readKey(name, component), frame: number };
      return within({ signal, timeout_ms: Infinity }, (one) =>
        uplink.call(target, parameters, { signal: one, progress, ask }),
      );
    },
    windowOf: (number) => (number === uplink.number ? window : uplink.windowOf(number)),
    onChange(listener) {
      events.on("changed", listener);
    },
  };
  return Object.freeze(Object.defineProperty(api, INTERNALS, { value: internals }) as Webmcp);
}

function readEvent(event: keyof Events): keyof Events {
  if (event === TOOLS_CHANGE_EVENT || event === "refused:origin") return event;
  throw new TypeError(
    `\`${String(event)}\` is not an event of webmcp - its handler would never be called - ` +
      `write "${TOOLS_CHANGE_EVENT}" or "refused:origin"`,
  );
}

/** Run something under one signal, which aborts with the caller's or after the time limit. */
async function within<Value>(
  { signal, timeout_ms = TIMEOUT_MS }: ExecuteOptions,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const end = (name: AbortName) => {
    controller.abort(abortReason(name));
  };
  const cancel = () => {
    end(abortName(signal?.reason));
  };
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel);
  // An invalid limit counts as none given.
  const limit = timeout_ms > 0 ? timeout_ms : TIMEOUT_MS;
  const timer = limit > MAX_TIMEOUT_MS ? undefined : setTimeout(end, limit, "TimeoutError");
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
