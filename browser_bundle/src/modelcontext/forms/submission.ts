/** What a window's pages get for submissions by agents: `agentInvoked` and `respondWith` of their events. */
import type { Realm } from "../realm/window_realm.ts";
import { callOf, callOfEvent } from "./form_call.ts";

/** Defines the members, and learns of submissions that send no event. */
export function defineSubmission(realm: Realm): void {
  const prototype = realm.SubmitEvent.prototype;
  const brand = Object.getOwnPropertyDescriptor(prototype, "submitter")?.get as () => unknown;
  const refuse = (why: string): never => {
    throw new realm.DOMException(`Failed to execute 'respondWith' on 'SubmitEvent': ${why}`, "InvalidStateError");
  };
  const members = {
    get agentInvoked(): boolean {
      brand.call(this);
      return callOfEvent(this as never) !== undefined;
    },
    respondWith(response: unknown): void {
      brand.call(this);
      if (arguments.length === 0) {
        throw new realm.TypeError("Failed to execute 'respondWith' on 'SubmitEvent': 1 argument required, but only 0 present.");
      }
      const event = this as never as Event;
      const call = callOfEvent(event) ?? refuse("no agent submits the form; read `agentInvoked` first");
      if (!call.awaits(event)) refuse("the event is over; call it before you await");
      if (!event.defaultPrevented) refuse("the form navigates; call `preventDefault()` first");
      call.answer(response);
    },
  };
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(members));

  const form = realm.HTMLFormElement.prototype;
  const { submit, requestSubmit } = form;
  Object.assign(form, {
    submit(this: HTMLFormElement): void {
      submit.call(this);
      callOf(this)?.navigated();
    },
    requestSubmit(this: HTMLFormElement, ...submitter: [HTMLElement?]): void {
      const run = () => requestSubmit.apply(this, submitter);
      const call = callOf(this);
      if (call) call.submitting(run);
      else run();
    },
  } satisfies Partial<HTMLFormElement>);
  // Sees submissions first, except those inside shadow roots, which calls see themselves.
  realm.addEventListener("submit", callOfEvent, true);
}
