/** Callers outside of the page whose calls are running. */
import type { AskCaller, ToolQuestion } from "../tools/offers.ts";

/** A program or person that calls tools from outside of the page. */
export interface Caller {
  name: string;
  /** Receives the progress messages of a running call. */
  progress(message: string): void;
  /** Answers the questions of a tool. */
  ask?: AskCaller;
}

/** The fields we use of the event that `webagent.registry.CallListener` receives. */
interface CallEvent {
  id?: number;
  group?: number;
  state: string;
  message?: string;
}

export class ExternalCallers {
  #byGroup = new Map<number, Caller>();
  /** The groups of running calls; 0 for those of the agent's own runs. */
  #groups = new Map<number, number>();

  /** Run `work`; meanwhile the calls of a group belong to a caller. */
  async name<Done>(group: number, caller: Caller | undefined, work: () => Promise<Done>): Promise<Done> {
    if (!caller) return work();
    this.#byGroup.set(group, caller);
    try {
      return await work();
    } finally {
      this.#byGroup.delete(group);
    }
  }

  /** Ask whoever made a call, or the person of the run if the agent did. */
  async ask(callId: number, question: ToolQuestion, ofRun: AskCaller): ReturnType<AskCaller> {
    const group = this.#groups.get(callId);
    if (group === 0) return ofRun(question);
    return this.#byGroup.get(group ?? -1)?.ask?.(question);
  }

  /** @returns The detail of an event for listeners: a call has its caller instead of its group. */
  detailFor(event: string, detail: unknown): unknown {
    if (event !== "call") return detail;
    const { group, ...call } = detail as CallEvent;
    const { id } = call;
    if (id !== undefined && call.state === "started") this.#groups.set(id, group ?? 0);
    else if (id !== undefined && call.state !== "progress") this.#groups.delete(id);
    const caller = this.#byGroup.get(group ?? 0);
    if (!caller) return call;
    if (call.state === "progress") caller.progress(call.message ?? "");
    return { ...call, caller: caller.name };
  }
}
