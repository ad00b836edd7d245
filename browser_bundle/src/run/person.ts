/** Requests of the agent to a person, and the panel that may answer them. */
import type { KnownCall } from "./run_events.ts";

/** A request of the agent; `webagent.agent.person.Request`. */
export interface Request {
  kind: "plan" | "approval" | "question" | "file";
  /** The question, in words. */
  text: string;
  details: Record<string, unknown>;
}

/** The person's answer. */
export interface Answer {
  /** Approves a plan or an action; for a question and a file, whether there is an answer at all. */
  yes?: boolean;
  /** The answer to a question, or why not. */
  text?: string;
  /** Allows for the session what the first of `details.grants` allows. */
  session?: boolean;
  /** Key of one of `details.grants`: what is allowed for the session, without asking again. */
  grant?: string;
  /** Ends the run; then the answer is a no. */
  stop?: boolean;
  files?: Iterable<File>;
  /** The values for `details.schema` of a question, by name. */
  data?: Record<string, unknown>;
  /** Whether a yes to a plan is one to its `details.approvals` too: the person has seen them. */
  approvals?: boolean;
  /** The person takes over; the same is asked again when they let the run go on. */
  pause?: boolean;
}

/** A permission that the person may give for the session, or has given. */
export interface Grant {
  key: string;
  /** The permission in words. */
  text: string;
}

/** One of `details.grants` of a request of the kind `approval`, the narrowest first. */
export interface OfferedGrant extends Grant {
  kind: "control" | "kind" | "tool";
}

/** Answers a request; `true` and a string are short for a yes without or with words. */
export type Ask = (request: Request) => Promise<Answer | boolean | string>;

/** An answer as Python reads it; the files are encoded. */
export async function toPython(answer: Answer | boolean | string | null | undefined): Promise<object> {
  if (typeof answer === "boolean") return { yes: answer };
  if (typeof answer === "string") return { yes: true, text: answer };
  const { yes, text, session, grant, stop, files, data, approvals, pause } = answer ?? {};
  return {
    yes: yes === true,
    text: String(text ?? ""),
    session: session === true,
    grant: String(grant ?? ""),
    stop: stop === true,
    files: await Promise.all([...(files ?? [])].map(encoded)),
    data: data ?? null,
    approvals: approvals === true,
    pause: pause === true,
  };
}

/** Largest file that an agent is given, in bytes. */
const MOST_BYTES = 8_000_000;

async function encoded(file: File): Promise<object> {
  if (file.size > MOST_BYTES) {
    throw new Error(`\`${file.name}\` is larger than ${MOST_BYTES / 1e6} MB – choose a smaller file`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return { name: file.name, type: file.type, data: btoa(text) };
}

/** How a transcript is written. */
export type TranscriptForm = "json" | "markdown";

/** The agent as the panel needs it; `window.webagent` is one. */
export interface PanelAgent extends EventTarget {
  /** The tools of the page; starts the agent. */
  tools(): Promise<Record<string, unknown>[]>;
  run(goal: string, options: { signal: AbortSignal; model?: null; call?: KnownCall }): Promise<unknown>;
  stop(): Promise<void>;
  /** The text of the site's manifest; empty if there is none. */
  manifestText(): Promise<string>;
  /** The transcript of the last run of this page; empty without one. */
  transcript(form: TranscriptForm): Promise<string>;
  /** A screenshot of this page's last run, or a file that a tool returned in it; null for any other name. */
  file(runId: string, name: string): Promise<File | null>;
  /** From now on `ask` answers the agent's requests; resolves to the events of its run. */
  whenAsked(ask: Ask): Promise<unknown[]>;
  /** The grants of the person for the session, the oldest first. */
  allowed(): Promise<Grant[]>;
  /** Take back what the person has allowed, by its key; resolves to whether it was allowed. */
  revoke(key: string): Promise<boolean>;
  /** The runs of the page, which a person may pause. */
  runs(): Promise<PausableRuns>;
}

/** The runs of a page, as the panel uses them. */
interface PausableRuns {
  /** A goal is likely to follow: start what its run needs. */
  prepare(): void;
  /** Let the person take over: no further step begins. */
  pause(): void;
  /** Let the run go on, with what the person has changed on the page. */
  unpause(): void;
  /** Report whether the last run has helped; undefined if nobody counts. */
  rate: ((helpful: boolean) => void) | undefined;
}

/** The exports of `panel.js`, which the launcher and the runs load without importing it. */
export interface PanelScript {
  /** Show the panel of this page, its only one. */
  openPanel(agent: PanelAgent): Promise<{ ask(request: Request): Promise<Answer> }>;
  /** Show it as it was on the page before, or in the element that the page has for it. */
  restorePanel(agent: PanelAgent): unknown;
}
