/** The one object of the page that Python sees; JSON strings in, JSON strings out. */
import { WebagentError, describeThrown, isWebagentError } from "./errors.ts";
import type { Target } from "./tools/offers.ts";
import type { PageTools } from "./tools/page_tools.ts";
import { type Encoded, encodeText } from "./values.ts";

export interface Bridge {
  /** What the page offers, with those of a JSON list of functions. */
  offers(functions: string): Promise<string>;
  path(): string;
  /** Call a target; `{"ok": true, "value"}` or `{"ok": false, "error"}` as JSON. */
  invoke(target: string, args: string, callId: number, timeout_ms: number): Promise<string>;
  /** Give up a running call. */
  cancel(callId: number): void;
  /** Fire an event at the page's listeners; `detail` is JSON. */
  emit(event: string, detail: string): void;
}

/**
 * @param emit Takes what Python has to tell.
 * @param progress Takes what a running call says meanwhile.
 */
export function createBridge(
  tools: PageTools,
  emit: (event: string, detail: unknown) => void,
  progress: (callId: number, message: string) => void,
): Bridge {
  return {
    async offers(functions) {
      return JSON.stringify(await tools.offers(JSON.parse(functions) as string[]));
    },
    path: () => location.pathname,
    async invoke(target, args, callId, timeout_ms) {
      try {
        const input = JSON.parse(args) as Encoded[] | Record<string, Encoded>;
        const reached = JSON.parse(target) as Target;
        const say = (message: string) => progress(callId, message);
        const value = await tools.call(reached, input, callId, timeout_ms, say);
        return `{"ok":true,"value":${encodeText(value)}}`;
      } catch (thrown) {
        const error = isWebagentError(thrown)
          ? thrown
          : new WebagentError({ kind: "internal", message: describeThrown(thrown) });
        return JSON.stringify({ ok: false, error });
      }
    },
    cancel: (callId) => tools.cancel(callId),
    emit(event, detail) {
      emit(event, JSON.parse(detail));
    },
  };
}
