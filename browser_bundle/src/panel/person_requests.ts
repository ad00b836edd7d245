/** `requests.js`: the agent's requests to the person, shown one at a time until each is answered. */
import type { Answer, OfferedGrant } from "../run/person.ts";
import type { PersonRequest } from "../run/run_events.ts";
import { button, h, onSubmit, submitOnEnter } from "../ui/elements.ts";
import { AnswerGuard } from "./answer_guard.ts";
import { answerForm, type FormSchema } from "./answer_form.ts";
import { approvalsOf, approvalView, callsOf } from "./approval_view.ts";
import { markedWords } from "./data_view.ts";
import { fill, useTranslation, type Texts, type Translation } from "./panel_texts.ts";

interface Waiting {
  request: PersonRequest;
  answer: (answer: Answer) => void;
}

const schemaOf = ({ details }: PersonRequest): FormSchema | undefined => details["schema"] as FormSchema | undefined;

export class PersonRequests {
  readonly element = h("div", { class: "requests" });
  #texts: Texts;
  #pending: Waiting[] = [];
  #guard = new AnswerGuard(() => this.#showGuard());
  /** The buttons that answer, and of those the ones that say yes. */
  #buttons: HTMLButtonElement[] = [];
  #yes = new Set<HTMLButtonElement>();
  #hint = h("p", { class: "hint", id: "hint", hidden: true });
  #changed: (shown: PersonRequest | undefined) => void;
  #pausable: boolean;

  /**
   * @param changed Called with the request that is shown; undefined when there is none left.
   * @param pausable Whether the person can take over on this page.
   */
  constructor(translation: Translation, changed: (shown: PersonRequest | undefined) => void, pausable = false) {
    useTranslation(translation);
    this.#texts = translation.texts;
    this.#changed = changed;
    this.#pausable = pausable;
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
    const target = this.element.querySelector<HTMLElement>("#answer") ?? this.element.querySelector<HTMLElement>(".request");
    target?.focus({ preventScroll: true });
  }

  #answer(answer: Answer): void {
    this.#pending.shift()?.answer(answer);
    this.#showNext();
  }

  #showNext(): void {
    const request = this.#pending[0]?.request;
    this.#guard.end();
    this.#buttons = [];
    this.#yes.clear();
    this.element.replaceChildren(...(request ? [this.#card(request)] : []));
    const card = this.element.firstElementChild;
    if (card instanceof HTMLElement) this.#guard.begin(card, card.lastElementChild as HTMLElement);
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
    const title = titles[request.kind] ?? texts.ask_question;
    const body = h("div", { class: "asking" }, h("h3", { id: "request-title" }, title));
    const asked = (text: string) => h("p", { class: "asked", dir: "auto" }, ...markedWords(text, texts));
    const approvals = request.kind === "approval" ? [request] : approvalsOf(request);
    // The conversation shows the plan itself already.
    if (request.kind !== "plan" && approvals.length === 0) {
      const question = asked(schemaOf(request)?.title ?? request.text);
      // Names the choices.
      question.id = "request-asked";
      body.append(question);
    }
    for (const each of approvals) body.append(asked(each.text), ...approvalView(each, texts, this.#guard.expectRead));
    if (approvals.length > 0) {
      body.tabIndex = 0;
      body.setAttribute("role", "group");
      body.setAttribute("aria-label", title);
      this.#guard.expectRead(body);
    }
    return h(
      "section",
      { class: `request ${request.kind}`, tabindex: "-1", "aria-labelledby": "request-title" },
      body,
      h("div", { class: "answers" }, this.#hint, ...this.#controls(request)),
    );
  }

  #controls(request: PersonRequest): HTMLElement[] {
    const texts = this.#texts;
    switch (request.kind) {
      case "plan":
        return this.#yesOrNo(texts.go_ahead, [], texts.change_plan, texts.change_plan_why, approvalsOf(request).length > 0);
      case "approval": {
        const count = callsOf(request).length;
        const yes = count > 1 ? fill(texts.allow_all, { count }) : texts.allow_once;
        const grants = request.details["grants"];
        return this.#yesOrNo(yes, Array.isArray(grants) ? (grants as OfferedGrant[]) : [], texts.refuse, texts.refuse_why);
      }
      case "file":
        return [this.#file()];
      default:
        return [this.#question(request)];
    }
  }

  /** The button of a person who takes over. */
  #letMe(): HTMLButtonElement | false {
    return this.#pausable && this.#button("", this.#texts.let_me, () => this.#answer({ yes: false, pause: true }));
  }

  /** A button that answers as soon as the request has been where it is for long enough. */
  #button(className: string, label: string | (Node | string)[], act: () => void): HTMLButtonElement {
    const made = button(className, false, () => {
      if (this.#guard.settled) act();
    });
    made.append(...(typeof label === "string" ? [label] : label));
    this.#buttons.push(made);
    return made;
  }

  /** The button that says no and ends the run. */
  #stop(): HTMLButtonElement {
    return this.#button("", this.#texts.refuse_stop, () => this.#answer({ yes: false, stop: true }));
  }

  /** A button that says yes, once all was seen. */
  #yesButton(className: string, label: string | (Node | string)[], answer: Answer): HTMLButtonElement {
    const made = this.#button(className, label, () => {
      if (this.#guard.unread) this.#guard.readOn();
      else if (!this.#guard.covered) this.#answer(answer);
    });
    made.setAttribute("aria-describedby", "hint");
    this.#yes.add(made);
    return made;
  }

  /** Show which buttons count now, and why. */
  #showGuard(): void {
    const texts = this.#texts;
    const { settled, covered, unread } = this.#guard;
    for (const each of this.#buttons) {
      const works = settled && !(this.#yes.has(each) && (covered || unread));
      each.setAttribute("aria-disabled", String(!works));
    }
    this.#hint.hidden = this.#yes.size === 0 || !(covered || unread);
    this.#hint.replaceChildren(covered ? texts.covered : texts.unread);
    if (!covered && unread) this.#hint.append(" ", button("link", texts.read_on, () => this.#guard.readOn()));
  }

  /** Yes, perhaps for the session, or no with a reason, or no and the end of the run. */
  #yesOrNo(yes: string, grants: OfferedGrant[], no: string, why: string, approvals = false): HTMLElement[] {
    const texts = this.#texts;
    const row = h("div", { class: "row" });
    row.append(this.#yesButton("primary", yes, approvals ? { yes: true, approvals } : { yes: true }));
    const list = h("ul", { class: "grants", hidden: true, id: "grants" });
    if (grants.length > 0) {
      const unfold = this.#button("", texts.allow_session, () => {
        list.hidden = !list.hidden;
        unfold.setAttribute("aria-expanded", String(!list.hidden));
        this.#guard.look();
      });
      unfold.setAttribute("aria-expanded", "false");
      unfold.setAttribute("aria-controls", "grants");
      row.append(unfold);
      for (const { key, text } of grants) {
        list.append(h("li", {}, this.#yesButton("grant", markedWords(text, texts), { yes: true, grant: key })));
      }
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
        button("", texts.back, () => unfoldReason(false)),
      ),
    );
    const refuse = this.#button("", no, () => unfoldReason(true));
    const unfoldReason = (open: boolean) => {
      form.hidden = !open;
      row.hidden = open;
      list.hidden = true;
      this.#guard.look();
      (open ? reason : refuse).focus();
    };
    const letMe = this.#letMe();
    row.append(refuse, ...(letMe ? [letMe] : []), this.#stop());
    onSubmit(form, () => this.#answer({ yes: false, text: reason.value.trim() }));
    return [list, row, form];
  }

  /** A question with choices or fields, or with a field for words alone. */
  #question(request: PersonRequest): HTMLElement {
    const schema = schemaOf(request);
    if (!schema) return this.#words(request);
    const texts = this.#texts;
    const { element, read } = answerForm(schema, texts, (content, answer) => this.#yesButton("choice", content, answer));
    const form = h("form", {}, element);
    const ownWords = this.#button("", texts.own_words, () => {
      const words = this.#words(request);
      form.replaceWith(words);
      this.#guard.look();
      words.querySelector<HTMLElement>("#answer")?.focus();
    });
    form.append(
      h(
        "div",
        { class: "row" },
        read && h("button", { class: "primary", type: "submit" }, texts.send),
        ownWords,
        this.#button("", texts.no_answer, () => this.#answer({ yes: false })),
        this.#letMe(),
        this.#stop(),
      ),
    );
    if (read) onSubmit(form, () => this.#answer(read()));
    return form;
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
        this.#button("", texts.no_answer, () => this.#answer({ yes: false })),
        this.#letMe(),
        this.#stop(),
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
      this.#button("", texts.no_file, () => this.#answer({ yes: false })),
      this.#stop(),
    );
  }
}
