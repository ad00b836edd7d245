/** Actions on the page that the server requests: done without the agent, reported like calls. */
import { asWebagentError, WebagentError } from "../base/errors.ts";
import type { Dom } from "../tools/python_bridge.ts";
import type { Call } from "./messages.ts";

/** An action of `dom/read/protocol.ts`, or `snapshot` for what the page shows. */
type RequestedAction = { type: string; form_data?: Entry[]; files?: { name?: string }[] };
type Entry = { pp_id?: number; label?: string; name?: string; text?: string; secret?: boolean };
/** Receives events in the form of `webagent.registry.CallListener`. */
type ReportAction = (event: Record<string, unknown>) => void;

const CANCELLED = { kind: "cancelled" as const, message: "the action was cancelled before it began" };
const HIDDEN = "•••";
/** Actions that change something; the others are not reported. */
const REPORTED = /^(click|click_link|enter_data|hover|drag|press_key|answer_dialog|upload|search|goto_url|scroll)$/;

export class RemoteActions {
  #dom: () => Promise<Dom>;
  #report: ReportAction;

  /**
   * @param dom Loads what sees and touches the page.
   * @param report Receives the start and end of each action, without the entered values.
   */
  constructor(dom: () => Promise<Dom>, report: ReportAction) {
    this.#dom = dom;
    this.#report = report;
  }

  /**
   * @param signal Cancels the action if it has not begun yet.
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
      const value = await (action.type === "snapshot" ? dom.snapshot() : dom.act(action));
      report("finished", { value: withoutSecrets(action, String((value as { did?: string } | null)?.did ?? "")), ...took() });
      return value;
    } catch (thrown) {
      const error = asWebagentError(thrown).toJSON();
      report("failed", { error: { ...error, message: withoutSecrets(action, error.message) }, ...took() });
      throw thrown;
    }
  }
}

/** The action without the entered values; its outcome describes what may be reported. */
function withoutValues({ type: _, form_data, files, ...rest }: RequestedAction): Record<string, unknown> {
  if (Array.isArray(files)) return { ...rest, files: files.map((file) => file?.name) };
  if (!Array.isArray(form_data)) return rest;
  return { ...rest, form_data: form_data.map(({ pp_id, label, name }) => ({ pp_id, label, name })) };
}

/** The text without the secrets of the action. */
function withoutSecrets({ form_data }: RequestedAction, text: string): string {
  const secrets = Array.isArray(form_data) ? form_data.filter((entry) => entry.secret && entry.text) : [];
  return secrets.reduce((redacted, entry) => redacted.replaceAll(String(entry.text), HIDDEN), text);
}
