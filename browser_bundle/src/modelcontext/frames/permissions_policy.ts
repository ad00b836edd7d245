/** Whether a document may have tools: known of same-origin parents, asked of all others. */
import { type Realm, originOf, reachable } from "../realm/window_realm.ts";
import type { Exchange } from "./request_exchange.ts";
import { allows } from "./policy.ts";
import { send } from "./document_messages.ts";

export class Permission {
  readonly #realm: Realm;
  readonly #exchange: Exchange;
  #granted: boolean | undefined;
  #asking: Promise<boolean> | undefined;

  /**
   * @param parent The permission of the parent, when its document can be touched and has tools.
   */
  constructor(realm: Realm, exchange: Exchange, parent: Permission | undefined) {
    this.#realm = realm;
    this.#exchange = exchange;
    const local = reachable(realm.parent);
    if (realm.parent === realm) this.#granted = true;
    else if (!local) void this.settled();
    else if (!allows(local, realm.frameElement, originOf(realm))) this.#granted = false;
    else if (parent?.granted === undefined && parent) this.#asking = this.#follow(parent);
    else this.#granted = parent?.granted ?? true;
    this.#greet();
  }

  /** Undefined while the parent has not said. */
  get granted(): boolean | undefined {
    return this.#granted;
  }

  /** The parent's answer; silence is no, until it is asked again. */
  async settled(): Promise<boolean> {
    return this.#granted ?? (this.#asking ??= this.#ask());
  }

  async #follow(parent: Permission): Promise<boolean> {
    return (this.#granted = await parent.settled());
  }

  async #ask(): Promise<boolean> {
    const { parent, location, document } = this.#realm;
    const origin =
      location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
    // Nothing but `*` reaches a parent whose origin is opaque, or not told to this frame.
    const answer = await this.#exchange.ask(parent, !origin || origin === "null" ? "*" : origin, {
      type: "hello",
    });
    if (answer === null) this.#asking = undefined;
    else this.#granted = answer === true;
    return answer === true;
  }

  /** Learns where the ancestors are, and lets them know that this window answers. */
  #greet(): void {
    let target: Window = this.#realm;
    for (const origin of Array.from(this.#realm.location.ancestorOrigins ?? [])) {
      target = target.parent;
      if (origin === "null" || reachable(target)) continue;
      this.#exchange.meet(target, origin);
      send(target, origin, { type: "hello" });
    }
  }
}
