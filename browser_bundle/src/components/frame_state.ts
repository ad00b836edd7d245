/** What one frame knows: the tools of all frames, and the handlers of its own. */
import { Catalogue, type Entry, type Removal } from "./catalogue.ts";
import { Emitter } from "./emitter.ts";
import type { Target } from "./component_messages.ts";
import { TOOLS_CHANGE_EVENT } from "./public_names.ts";
import type { SerializableToolDefinition } from "./public.d.ts";
import { Workshop } from "./local_tools.ts";

export type Events = {
  /** As the next, for who asks for no list. */
  changed: undefined;
  [TOOLS_CHANGE_EVENT]: SerializableToolDefinition[];
  "refused:origin": { origin: string };
};

export class Frame {
  readonly catalogue = new Catalogue();
  readonly workshop = new Workshop();
  readonly events = new Emitter<Events>();
  /** The number under which the catalogue has this frame's own tools. */
  readonly own: number;

  constructor(own: number) {
    this.own = own;
  }

  list(): SerializableToolDefinition[] {
    return this.catalogue.list(this.own);
  }

  /** Take one change and tell it; what was not there is not removed. */
  change(added: Entry[], removed: Removal[]): void {
    const gone = removed.filter((removal) => this.catalogue.remove(removal));
    for (const entry of added) this.catalogue.add(entry);
    if (added.length + gone.length === 0) return;
    this.events.emit("changed", () => undefined);
    this.events.emit(TOOLS_CHANGE_EVENT, () => this.list());
  }
}

/** The way from a frame to the tools of the others. */
export interface Uplink {
  /** The frame's number everywhere; -1 until the shell has given it one. */
  readonly number: number;
  /** Tell the others of a change of this frame's own tools. */
  tell(added: Entry[], removed: Removal[]): void;
  /**
   * Call a tool, wherever it is.
   *
   * @throws WebMcpError
   */
  call(target: Target, parameters: object, signal: AbortSignal): Promise<unknown>;
}
