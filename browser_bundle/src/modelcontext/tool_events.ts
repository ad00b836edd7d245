/** The events of tools, as classes of one realm, and their `on…` attributes. */
import { asInterface } from "./realm/web_idl.ts";
import type { Realm } from "./realm/window_realm.ts";

/** Creates an event with the name of its tool. */
export type ToolEventConstructor = new (type: string, init?: { toolName?: string }) => Event;

export function defineToolEvent(realm: Realm, name: string): ToolEventConstructor {
  class ToolEvent extends realm.Event {
    readonly #toolName: string;

    constructor(type: string, init: EventInit & { toolName?: string } = {}) {
      if (arguments.length === 0) {
        throw new realm.TypeError(
          `Failed to construct '${name}': 1 argument required, but only 0 present.`,
        );
      }
      super(type, init);
      const toolName = init?.toolName;
      this.#toolName = toolName === undefined ? "" : `${toolName}`;
    }

    get toolName(): string {
      return this.#toolName;
    }
  }
  asInterface(realm, name, ToolEvent);
  return ToolEvent;
}

type Handler = (this: EventTarget, event: Event) => unknown;

/** The value of an `on…` attribute; it keeps the position that its first value had among the listeners. */
export class EventHandler {
  readonly #target: EventTarget;
  readonly #type: string;
  #value: object | null = null;
  readonly #listener = (event: Event): void => {
    if (typeof this.#value === "function") (this.#value as Handler).call(this.#target, event);
  };

  constructor(target: EventTarget, type: string) {
    this.#target = target;
    this.#type = type;
  }

  get value(): object | null {
    return this.#value;
  }

  set value(value: unknown) {
    this.#value = Object(value) === value ? (value as object) : null;
    if (this.#value) this.#target.addEventListener(this.#type, this.#listener);
    else this.#target.removeEventListener(this.#type, this.#listener);
  }
}
