/** Acts on the page that are asked for from outside: done without the agent, told as calls are. */
import { asWebagentError, WebagentError } from "../base/errors.ts";
import type { Dom } from "../tools/python_bridge.ts";
import type { Call } from "./server_messages.ts";

/** What is asked for, `dom/read/protocol.ts`; or to say what the page shows. */
type Asked = { type: string; form_data?: Entry[] };
type Entry = { pp_id?: number; label?: string; name?: string; text?: string; secret?: boolean };
/** As `webagent.registry.CallListener` hears of calls. */
type Tell = (event: Record<string, unknown>) => void;

const GIVEN_UP = { kind: "cancelled" as const, message: "the act was given up before it began" };
const HIDDEN = "•••";
/** What changes something; readings are told to nobody else. */
const TOLD = /^(click|click_link|enter_data|search|goto_url|scroll)$/;

export class Acting {
  #dom: () => Promise<Dom>;
  #tell: Tell;

  /**
   * @param dom Loads what sees and touches the page.
   * @param tell Hears of each act when it begins and ends, without what is entered.
   */
  constructor(dom: () => Promise<Dom>, tell: Tell) {
    this.#dom = dom;
    this.#tell = tell;
  }

  /**
   * @param signal Tells that nobody waits any more; what has not begun then does not begin.
   * @throws WebagentError for what the page does not allow.
   */
  async act({ id, arguments: given, caller }: Call, signal: AbortSignal): Promise<unknown> {
    const action = (given["action"] ?? {}) as Asked;
    const common = { id, name: String(action.type), source: "action", caller };
    const started = performance.now();
    const tell = (state: string, more: object) => {
      if (TOLD.test(common.name)) this.#tell({ ...common, state, ...more });
    };
    const took = () => ({ duration_ms: performance.now() - started });
    tell("started", { arguments: shown(action) });
    try {
      const dom = await this.#dom();
      // That may have had to be fetched first.
      if (signal.aborted) throw new WebagentError(GIVEN_UP);
      const value = action.type === "snapshot" ? dom.snapshot() : await dom.act(action);
      tell("finished", { value: without(action, String((value as { did?: string } | null)?.did ?? "")), ...took() });
      return value;
    } catch (thrown) {
      const error = asWebagentError(thrown).toJSON();
      tell("failed", { error: { ...error, message: without(action, error.message) }, ...took() });
      throw thrown;
    }
  }
}

/** The action without what is entered; what an act says in the end has what may be told. */
function shown({ type: _, form_data, ...rest }: Asked): Record<string, unknown> {
  if (!Array.isArray(form_data)) return rest;
  return { ...rest, form_data: form_data.map(({ pp_id, label, name }) => ({ pp_id, label, name })) };
}

/** A text in which no secret of the action stands. */
function without({ form_data }: Asked, text: string): string {
  const secrets = Array.isArray(form_data) ? form_data.filter((entry) => entry.secret && entry.text) : [];
  return secrets.reduce((told, entry) => told.replaceAll(String(entry.text), HIDDEN), text);
}
