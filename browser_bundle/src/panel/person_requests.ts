/** The agent's requests to the person, shown one at a time until each is answered. */
import type { Answer } from "../run/person.ts";
import type { PersonRequest } from "../run/run_events.ts";
import { button, h, onSubmit, submitOnEnter, words } from "../ui/elements.ts";
import { block } from "./data_view.ts";
import { fill, type Texts } from "./panel_texts.ts";

interface Waiting {
  request: PersonRequest;
  answer: (answer: Answer) => void;
}

/** Where the value of an argument came from. */
interface Origin {
  from: "goal" | "person" | "result" | "page" | "agent";
  of?: string;
}

export class PersonRequests {
  readonly element = h("div", { class: "requests" });
  #texts: Texts;
  #pending: Waiting[] = [];
  #changed: (shown: PersonRequest | undefined) => void;

  /** @param changed Called with the request that is shown; undefined when there is none left. */
  constructor(texts: Texts, changed: (shown: PersonRequest | undefined) => void) {
    this.#texts = texts;
    this.#changed = changed;
  }

  /** Show a request; resolves with the answer, which is a no if it is withdrawn. */
  ask(request: PersonRequest): Promise<Answer> {
    return new Promise((answer) => {
      this.#pending.push({ request, answer });
      if (this.#pending.length === 1) this.#showNext();
    });
  }

  /** Withdraw all requests. */
  withdraw(): void {
    const waiting = this.#pending.splice(0);
    if (waiting.length === 0) return;
    for (const { answer } of waiting) answer({ yes: false });
    this.#showNext();
  }

  /** Focus the first field, but never a button, as a key press may be on its way. */
  focus(): void {
    const target = this.element.querySelector<HTMLElement>("#answer, .request:not(.question)");
    target?.focus({ preventScroll: true });
  }

  #answer(answer: Answer): void {
    this.#pending.shift()?.answer(answer);
    this.#showNext();
  }

  #showNext(): void {
    const request = this.#pending[0]?.request;
    this.element.replaceChildren(...(request ? [this.#card(request)] : []));
    this.#changed(request);
  }

  #card(request: PersonRequest): HTMLElement {
    const texts = this.#texts;
    const titles = {
      plan: texts.plan_question,
      approval: texts.ask_approval,
      question: texts.ask_question,
      file: texts.ask_file,
    };
    const card = h(
      "section",
      { class: `request ${request.kind}`, tabindex: "-1", "aria-labelledby": "request-title" },
      h("h3", { id: "request-title" }, titles[request.kind] ?? texts.ask_question),
    );
    // The conversation shows the plan itself already.
    if (request.kind !== "plan") card.append(h("p", { class: "asked", dir: "auto" }, ...words(request.text)));
    if (request.kind === "approval") card.append(...this.#approval(request));
    card.append(...this.#controls(request));
    return card;
  }

  #approval({ text, details }: PersonRequest): HTMLElement[] {
    const texts = this.#texts;
    const effect = String(details["effect"] ?? "unknown");
    const meaning = texts[`effect_${effect}` as keyof Texts] ?? texts.effect_unknown;
    const name = String(details["tool"] || details["action"] || "");
    const to = details["to"];
    const leaves = typeof to === "string" && effect === "read";
    const shown: HTMLElement[] = [
      h(
        "p",
        { class: "tags" },
        name && h("code", {}, name),
        // Leaving for another site does not change anything on this one.
        !leaves && h("span", { class: `effect ${effect === "irreversible" ? "severe" : ""}` }, meaning),
      ),
    ];
    if (typeof to === "string") {
      shown.push(h("p", { class: "severe" }, fill(leaves ? texts.goes_to : texts.sends_to, { origin: to })));
    }
    const given = Object.entries((details["arguments"] ?? {}) as Record<string, unknown>);
    const origins = Object.entries((details["origins"] ?? {}) as Record<string, Origin>);
    if (given.length > 0) {
      const list = h("dl", { class: "given", tabindex: "0", "aria-label": texts.arguments });
      for (const [key, value] of given) {
        const words = origins
          .filter(([path]) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`))
          .map(([, origin]) => this.#origin(origin));
        const from = [...new Set(words)].join(", ");
        list.append(
          h("dt", {}, key),
          h("dd", {}, block(value, texts), from && h("span", { class: "origin" }, from)),
        );
      }
      shown.push(list);
    }
    const reason = String(details["reason"] || "");
    if (!text.toLowerCase().includes(reason.toLowerCase())) shown.push(h("p", { class: "quiet", dir: "auto" }, ...words(reason)));
    return shown;
  }

  #origin({ from, of }: Origin): string {
    const words = this.#texts[`from_${from}` as keyof Texts] ?? this.#texts.from_agent;
    return fill(words, { of: of ?? "" });
  }

  #controls(request: PersonRequest): HTMLElement[] {
    const texts = this.#texts;
    switch (request.kind) {
      case "plan":
        return this.#yesOrNo(texts.go_ahead, texts.change_plan, texts.change_plan_why, false);
      case "approval": {
        const session = request.details["session"] === true;
        return this.#yesOrNo(texts.allow_once, texts.refuse, texts.refuse_why, session);
      }
      case "file":
        return [this.#file()];
      default:
        return [this.#words(request)];
    }
  }

  /** Yes, perhaps for the whole session, or no with a reason. */
  #yesOrNo(yes: string, no: string, why: string, session: boolean): HTMLElement[] {
    const texts = this.#texts;
    const row = h("div", { class: "row" });
    row.append(button("primary", yes, () => this.#answer({ yes: true })));
    if (session) {
      row.append(button("", texts.allow_session, () => this.#answer({ yes: true, session: true })));
    }
    const reason = h("input", { id: "reason", type: "text", autocomplete: "off", dir: "auto" });
    const form = h(
      "form",
      { class: "reason", hidden: true },
      h("label", { for: "reason" }, why),
      reason,
      h(
        "div",
        { class: "row" },
        h("button", { class: "primary", type: "submit" }, no),
        button("", texts.back, () => unfold(false)),
      ),
    );
    const refuse = button("", no, () => unfold(true));
    const unfold = (open: boolean) => {
      form.hidden = !open;
      row.hidden = open;
      (open ? reason : refuse).focus();
    };
    row.append(refuse);
    onSubmit(form, () => this.#answer({ yes: false, text: reason.value.trim() }));
    return [row, form];
  }

  #words({ details }: PersonRequest): HTMLElement {
    const texts = this.#texts;
    const field =
      details["secret"] === true
        ? h("input", { id: "answer", type: "password", autocomplete: "off" })
        : h("textarea", { id: "answer", rows: "1", dir: "auto" });
    const form = h(
      "form",
      {},
      h("label", { class: "unseen", for: "answer" }, texts.answer),
      field,
      h(
        "div",
        { class: "row" },
        h("button", { class: "primary", type: "submit" }, texts.send),
        button("", texts.no_answer, () => this.#answer({ yes: false })),
      ),
    );
    onSubmit(form, () => {
      if (field.value.trim()) this.#answer({ yes: true, text: field.value });
      else field.focus();
    });
    submitOnEnter(field, form);
    return form;
  }

  #file(): HTMLElement {
    const texts = this.#texts;
    const field = h("input", { id: "file", type: "file", class: "unseen" });
    field.addEventListener("change", () => {
      if (field.files?.length) this.#answer({ yes: true, files: [...field.files] });
    });
    return h(
      "div",
      { class: "row" },
      field,
      h("label", { class: "button primary", for: "file" }, texts.choose_file),
      button("", texts.no_file, () => this.#answer({ yes: false })),
    );
  }
}
