/** Events of a run; docs/how-to/agent.md has the table. */

/** A plan, as a person reads it. */
export interface PlanData {
  text: string;
  steps: { text: string; action: string; tool: string; effect: string; arguments?: Record<string, unknown> }[];
}

/** Why a step or a run failed. */
export interface ErrorDetails {
  kind: string;
  message: string;
  help?: string;
}

/** A request of the agent to a person. */
export interface PersonRequest {
  kind: "plan" | "approval" | "question" | "file";
  text: string;
  details: Record<string, unknown>;
}

/** A message that the model was sent. */
export interface SentMessage {
  role: string;
  text: string;
  calls?: { name: string; arguments: unknown }[];
  images?: number;
}

/** A call of a tool, which a run can consist of. */
export interface KnownCall {
  tool: string;
  arguments: Record<string, unknown>;
}

/** A step has begun or ended. */
export interface StepEvent {
  run_id: string;
  type: "step";
  id: string;
  action: string;
  tool?: string;
  /** The tool's name for people. */
  title?: string;
  /** The things that arguments name by an id, by the names of the arguments. */
  names?: Record<string, string>;
  /** A person has to complete the call: a form that they send. */
  attended?: boolean;
  /** The outcome in words of the manifest. */
  sentence?: string;
  /** Names of members of the value for people. */
  labels?: Record<string, string>;
  /** The call that undoes this one. */
  undo?: KnownCall;
  /** The program's step, when a program made this call. */
  parent?: string;
  arguments: Record<string, unknown>;
  why: string;
  /** The element that is clicked, followed or filled in, if it is a single one. */
  element?: { pp_id?: number; role: string; name: string };
  effect: string;
  state: "started" | "finished" | "failed" | "cancelled";
  value?: unknown;
  error?: ErrorDetails;
  duration_ms?: number;
}

/** A step's later event, with what only an earlier one has: the next page does not know what was pressed. */
export function followUp(before: StepEvent, event: StepEvent): StepEvent {
  return { ...before, ...event, why: event.why || before.why };
}

/** The run has ended. */
export interface FinishedEvent {
  run_id: string;
  type: "finished";
  ok: boolean;
  text: string;
  data?: unknown;
  error?: ErrorDetails;
  /** The model has failed after a change; the goal can be tried without it. */
  without_model?: boolean;
}

/** An event of a run, as listeners get it. */
export type AgentEvent = { run_id: string } & (
  | {
      type: "started";
      goal: string;
      resumed: boolean;
      model: string | null;
      /** The only call of the run, which the panel adds: the goal does not say it. */
      call?: KnownCall;
    }
  | { type: "planned"; plan: PlanData; revised: boolean }
  | { type: "accepted"; by: string }
  | { type: "rejected"; by: string; reason: string }
  | StepEvent
  | { type: "text"; text: string; final: boolean }
  | { type: "paused" }
  | { type: "continued" }
  | { type: "asked"; id: string; request: PersonRequest }
  | { type: "answered"; id: string; yes: boolean; text: string }
  | {
      type: "spent";
      steps: number;
      seconds: number;
      prompt: number;
      completion: number;
      cached: number;
      usd: string | null;
    }
  | { type: "sent"; messages: SentMessage[]; tools: string[] }
  | { type: "retrying"; reason: string; wait_s: number }
  | { type: "switched"; model: string | null; reason: string; text: string }
  | {
      type: "navigating";
      url: string;
      /** Of the page that was reached, which the panel adds there. */
      title?: string;
    }
  | Omit<FinishedEvent, "run_id">
);
