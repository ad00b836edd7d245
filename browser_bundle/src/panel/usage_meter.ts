/** Shows what a run has used so far, and what is sent to its model. */
import type { AgentEvent, SentMessage } from "../run/run_events.ts";
import { duration } from "../ui/display_text.ts";
import { h } from "../ui/elements.ts";
import { block } from "./data_view.ts";
import { currentTranslation, fill, type Texts } from "./panel_texts.ts";

type Spent = Extract<AgentEvent, { type: "spent" }>;

/** Most messages that are shown; the newest ones. */
const MOST_MESSAGES = 60;

export class UsageMeter {
  /** The line under the conversation. */
  readonly line = h("span", { class: "meter" });
  /** The part that unfolds. */
  readonly details: HTMLElement;
  #texts: Texts;
  #numbers = h("dl", { class: "numbers" });
  #sent = h("ol", { class: "sent" });
  #model: string | null = null;
  /** Whether the run began with a model; one that goes on without it has cost something all the same. */
  #costs = false;
  #spent: Spent | undefined;

  constructor(texts: Texts) {
    this.#texts = texts;
    this.details = h(
      "div",
      {},
      this.#numbers,
      h("details", {}, h("summary", {}, texts.sent), this.#sent),
    );
    this.reset();
  }

  /** Reset for a new run. */
  reset(): void {
    this.#model = null;
    this.#spent = undefined;
    this.#sent.replaceChildren(h("li", { class: "quiet" }, this.#texts.sent_nothing));
    this.#show();
  }

  /** Take an event of a run; only those about costs matter. */
  add(event: AgentEvent): void {
    if (event.type === "started") this.#costs = event.model !== null;
    if (event.type === "started" || event.type === "switched") this.#model = event.model;
    else if (event.type === "spent") this.#spent = event;
    else if (event.type === "sent") this.#showSent(event.messages);
    else return;
    this.#show();
  }

  #show(): void {
    const texts = this.#texts;
    const spent = this.#spent;
    const rows: [string, string][] = [[texts.model, this.#model ?? texts.no_model]];
    if (spent) {
      rows.push([texts.steps, String(spent.steps)], [texts.time, duration(spent.seconds * 1000)]);
      if (this.#costs) {
        rows.push([texts.tokens, tokens(spent).toLocaleString(currentTranslation().locale)], [texts.cost, this.#cost(spent)]);
      }
    }
    this.#numbers.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, h("bdi", {}, value))]));
    const brief = spent ? [`${texts.steps} ${spent.steps}`, duration(spent.seconds * 1000)] : [];
    if (spent && this.#costs) {
      brief.push(fill(texts.tokens_used, { count: tokens(spent) }));
      brief.push(spent.usd === null ? `${texts.cost} ${this.#cost(spent)}` : this.#cost(spent));
    }
    // In a line from right to left, `1.2 s` still runs from left to right.
    this.line.replaceChildren(...brief.flatMap((part, place) => [place ? " · " : "", h("bdi", {}, part)]));
  }

  #cost({ usd }: Spent): string {
    if (usd === null) return this.#texts.cost_unknown;
    const amount = Number(usd);
    const digits = amount > 0 && amount < 0.01 ? 4 : 2;
    return `$${amount.toFixed(digits)}`;
  }

  #showSent(messages: SentMessage[]): void {
    const shown = messages.slice(-MOST_MESSAGES).map((message) => {
      const calls = (message.calls ?? []).map(({ name, arguments: given }) =>
        block(`${name}(${JSON.stringify(given) ?? ""})`, this.#texts),
      );
      const text = message.text && block(message.text, this.#texts);
      return h("li", {}, h("strong", {}, message.role), text, ...calls);
    });
    this.#sent.replaceChildren(...shown);
  }
}

function tokens({ prompt, completion }: Spent): number {
  return prompt + completion;
}
