/** The types of what the bundle adds to a page. */
import type { Problem } from "../types/base/errors.js";
import type { Progress } from "../types/boot/downloads.js";
import type { StartReport } from "../types/boot/runtime.js";
import type { EventName, Member, ScriptAttributes } from "../types/contracts.js";
import type { Finding } from "../types/page/manifest.js";
import type { WebAgent as Whole } from "../types/page/webagent.js";
import type { AgentEvent } from "../types/run/run_events.js";
import type { ModelContext } from "../types/tools/webmcp_api.js";

export type { AgentEvent, Finding, ModelContext, ScriptAttributes };

/** The `detail` of those events that have a type of their own. */
interface Details {
  progress: Progress;
  ready: StartReport;
  findings: { findings: Finding[] };
  agent: AgentEvent;
  error: Problem;
}

/** The `detail` of an event. */
type Detail<Name> = Name extends keyof Details ? Details[Name] : any;

/** `window.webagent`: the agent of the page, with what is promised to sites. */
export interface WebAgent extends Pick<Whole, Member>, EventTarget {
  addEventListener<Name extends EventName>(
    type: Name,
    listener: (event: CustomEvent<Detail<Name>>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  /** The agent of the page, once `webagent.js` has run. */
  var webagent: WebAgent;
  /** The page itself, by the name that declarations for agents have. */
  var global: typeof globalThis;
  /** The tools of the site, as the types declare them that are written from its manifest. */
  interface WebAgentGlobal {}
  interface Document {
    /** Tools that scripts offer. Browsers without it get it from the agent, at secure origins. */
    readonly modelContext?: ModelContext;
  }
}
