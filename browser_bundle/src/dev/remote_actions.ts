/** Acts on the page that are asked for from outside: done without the agent, told as calls are. */
import { asWebagentError, WebagentError } from "../base/errors.ts";
import type { Dom } from "../tools/python_bridge.ts";
import type { Call } from "./server_messages.ts";

/** What is asked for, `dom/read/protocol.ts`; or to say what the page shows. */
type RequestedAction = { type: string; form_data?: Entry[] };
type Entry = { pp_id?: number; label?: string; name?: string; text?: string; secret?: boolean };
/** As `webagent.registry.CallListener` hears of calls. */
type ReportAction = (event: Record<string, unknown>) => void;

const CANCELLED = { kind: "cancelled" as const, message: "the act was given up before it began" };
const HIDDEN = "•••";
/** What changes something; readings are told to nobody else. */
const REPORTED = /^(click|click_link|enter_data|search|goto_url|scroll)$/;

export class RemoteActions {
  #dom: () => Promise<Dom>;
  #report: ReportAction;

  /**
   * @param dom Loads what sees and touches the page.
   * @param tell Hears of each act when it begins and ends, without what is entered.
   */
  constructor(dom: () => Promise<Dom>, report: ReportAction) {
    this.#dom = dom;
    this.#report = report;
  }

  /**
   * @param signal Tells that nobody waits any more; what has not begun then does not begin.
   * @throws WebagentError for what the page does not allow.
   */
  async act({ id, arguments: given, caller }: Call, signal: AbortSignal): Promise<unknown> {
    const action = (given["action"] ?? {}) as RequestedAction;
    const common = { id, name: String(action.type), source: "action", caller };
    const started = performance.now();
    const report = (state: string, more: object) => {
      if (REPORTED.test(common.name)) this.#report({ ...common, state, ...more });
    };
    const took = () => ({ duration_ms: performance.now() - started });
    report("started", { arguments: withoutValues(action) });
    try {
      const dom = await this.#dom();
      // That may have had to be fetched first.
      if (signal.aborted) throw new WebagentError(CANCELLED);
      const value = action.type === "snapshot" ? dom.snapshot() : await dom.act(action);
      report("finished", { value: withoutSecrets(action, String((value as { did?: string } | null)?.did ?? "")), ...took() });
      return value;
    } catch (thrown) {
      const error = asWebagentError(thrown).toJSON();
      report("failed", { error: { ...error, message: withoutSecrets(action, error.message) }, ...took() });
      throw thrown;
    }
  }
}

/** The action without what is entered; what an act says in the end has what may be told. */
function withoutValues({ type: _, form_data, ...rest }: RequestedAction): Record<string, unknown> {
  if (!Array.isArray(form_data)) return rest;
  return { ...rest, form_data: form_data.map(({ pp_id, label, name }) => ({ pp_id, label, name })) };
}

/** A text in which no secret of the action stands. */
function withoutSecrets({ form_data }: RequestedAction, text: string): string {
  const secrets = Array.isArray(form_data) ? form_data.filter((entry) => entry.secret && entry.text) : [];
  return secrets.reduce((redacted, entry) => redacted.replaceAll(String(entry.text), HIDDEN), text);
}
