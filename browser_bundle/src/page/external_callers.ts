/** Who, outside of the page, has made calls that are running. */

/** Somebody in whose name tools are called. */
export interface Caller {
  name: string;
  /** Hears what a running call says meanwhile. */
  progress(message: string): void;
}

/** `webagent.registry.CallListener` has the rest of it. */
interface CallEvent {
  group?: number;
  state: string;
  message?: string;
}

export class ExternalCallers {
  #byGroup = new Map<number, Caller>();

  /** Do something in which the calls of a group are somebody's. */
  async name<Done>(group: number, caller: Caller | undefined, work: () => Promise<Done>): Promise<Done> {
    if (!caller) return work();
    this.#byGroup.set(group, caller);
    try {
      return await work();
    } finally {
      this.#byGroup.delete(group);
    }
  }

  /** @returns What an event tells listeners: of a call who made it, instead of its group. */
  detailFor(event: string, detail: unknown): unknown {
    if (event !== "call") return detail;
    const { group, ...call } = detail as CallEvent;
    const caller = this.#byGroup.get(group ?? 0);
    if (!caller) return call;
    if (call.state === "progress") caller.progress(call.message ?? "");
    return { ...call, caller: caller.name };
  }
}
