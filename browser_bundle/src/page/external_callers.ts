/** Callers outside of the page whose calls are running. */

/** A program or person that calls tools from outside of the page. */
export interface Caller {
  name: string;
  /** Receives the progress messages of a running call. */
  progress(message: string): void;
}

/** The fields we use of the event that `webagent.registry.CallListener` receives. */
interface CallEvent {
  group?: number;
  state: string;
  message?: string;
}

export class ExternalCallers {
  #byGroup = new Map<number, Caller>();

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

  /** @returns The detail of an event for listeners: a call has its caller instead of its group. */
  detailFor(event: string, detail: unknown): unknown {
    if (event !== "call") return detail;
    const { group, ...call } = detail as CallEvent;
    const caller = this.#byGroup.get(group ?? 0);
    if (!caller) return call;
    if (call.state === "progress") caller.progress(call.message ?? "");
    return { ...call, caller: caller.name };
  }
}
