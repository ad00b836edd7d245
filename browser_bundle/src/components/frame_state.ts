/** The state of one frame: the tools of all frames, and the handlers of its own. */
import { Catalogue, type Entry, type Removal } from "./catalogue.ts";
import type { Target } from "./component_messages.ts";
import { composedName, keyText, TOOLS_CHANGE_EVENT, type Key } from "./definition.ts";
import type { SerializableToolDefinition, ToolContext, ToolHandler } from "./public.d.ts";
import { errorOfAbort, errorOfTool, unknownTool } from "./tool_errors.ts";

export type Events = {
  /** The same event as `change:tools`, without the list. */
  changed: undefined;
  [TOOLS_CHANGE_EVENT]: SerializableToolDefinition[];
  "refused:origin": { origin: string };
};

export class FrameState {
  readonly catalogue = new Catalogue();
  readonly localTools = new LocalTools();
  readonly events = new EventEmitter<Events>();
  /** The number under which the catalogue has this frame's own tools. */
  readonly own: number;

  constructor(own: number) {
    this.own = own;
  }

  list(): SerializableToolDefinition[] {
    return this.catalogue.list(this.own);
  }

  /** Apply a change and emit it; removals of unknown tools are dropped. */
  change(added: Entry[], removed: Removal[]): void {
    const gone = removed.filter((removal) => this.catalogue.remove(removal));
    for (const entry of added) this.catalogue.add(entry);
    if (added.length + gone.length === 0) return;
    this.events.emit("changed", () => undefined);
    this.events.emit(TOOLS_CHANGE_EVENT, () => this.list());
  }
}

/** A frame's access to the tools of the others. */
export interface Uplink {
  /** The frame's number in all frames; -1 until the top page has assigned one. */
  readonly number: number;
  /** Resolves when the tools of the other frames are known, or cannot become known in time. */
  known(): Promise<void>;
  /** The window of another frame by its number, if this frame knows it. */
  windowOf(frame: number): Window | undefined;
  /** Report a change of this frame's own tools to the others. */
  report(added: Entry[], removed: Removal[]): void;
  /**
   * Call a tool, wherever it is.
   *
   * @throws WebMcpError
   */
  call(target: Target, parameters: object, context: ToolContext): Promise<unknown>;
}

type Handler = (detail: never) => unknown;

export class EventEmitter<Events extends Record<string, unknown>> {
  #handlers = new Map<keyof Events, Set<Handler>>();
  #waiting: (() => unknown)[] = [];
  #emitting = false;

  on(name: keyof Events, handler: Handler): void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
  }

  off(name: keyof Events, handler: Handler): void {
    this.#handlers.get(name)?.delete(handler);
  }

  /** Call all handlers; `detail` is called now, once for each of them. */
  emit<Name extends keyof Events>(name: Name, detail: () => Events[Name]): void {
    const handlers = this.#handlers.get(name) ?? new Set();
    for (const handler of handlers) {
      const value = detail();
      this.#waiting.push(() => handlers.has(handler) && handler(value as never));
    }
    if (this.#emitting) return;
    this.#emitting = true;
    for (let report = this.#waiting.shift(); report; report = this.#waiting.shift()) {
      try {
        report();
      } catch (thrown) {
        // As with event listeners of a page, the other handlers still run.
        reportError(thrown);
      }
    }
    this.#emitting = false;
  }
}

/** The tools of this frame with their handlers, which never leave it. */
class LocalTools {
  #handlers = new Map<string, ToolHandler>();

  set(key: Key, execute: ToolHandler): void {
    this.#handlers.set(keyText(key), execute);
  }

  delete(key: Key): void {
    this.#handlers.delete(keyText(key));
  }

  /**
   * Run a tool; an abort ends the wait, and the tool's own signal aborts.
   *
   * @throws WebMcpError
   */
  async run(key: Key, parameters: object, context: ToolContext): Promise<unknown> {
    const tool = composedName(key);
    const execute = this.#handlers.get(keyText(key));
    if (!execute) throw unknownTool(tool);
    return untilAbort(context.signal, tool, async () => {
      try {
        return await execute(parameters, context);
      } catch (thrown) {
        throw errorOfTool(thrown, tool);
      }
    });
  }
}

/** Resolves as `start` does, or rejects with the signal's reason if it aborts first. */
export async function untilAbort<Value>(
  signal: AbortSignal,
  tool: string,
  start: () => Promise<Value>,
): Promise<Value> {
  if (signal.aborted) throw errorOfAbort(signal.reason, tool);
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(errorOfAbort(signal.reason, tool));
    };
    signal.addEventListener("abort", abort);
    start()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener("abort", abort);
      });
  });
}
