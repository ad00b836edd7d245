/** Shows the prompt of a goal, and how many tokens each part of it takes. */
import type { Result } from "../base/results.ts";
import { counted, line } from "../ui/display_text.ts";
import { h, onSubmit, submitOnEnter, words } from "../ui/elements.ts";
import { chip, code, copyButton, fault, fold, longText } from "../ui/widgets.ts";
import type { Prompt } from "./api_types.ts";
import { failureNotice } from "./result_view.ts";
import type { Session } from "./session.ts";
import { noPage } from "./shell.ts";

const PARTS = { system: "Instructions", goal: "Goal", page: "Page", tools: "Tools" } as const;
const SHOWN = 6000;

export class ModelView {
  readonly element = h("div", { class: "model" });
  #session: Session;
  #goal = h("textarea", { id: "model-goal", rows: "1", dir: "auto", autocomplete: "off" });
  #shown = h("div", { class: "prompt", "aria-live": "off" });
  #status = h("p", { class: "quiet", role: "status" });
  /** The document and goal of the shown prompt. */
  #requested = "";
  #visible = false;

  constructor(session: Session) {
    this.#session = session;
    const form = h(
      "form",
      { class: "goal" },
      h("label", { for: "model-goal" }, "Goal"),
      h("div", { class: "row nowrap" }, this.#goal, h("button", { type: "submit", class: "primary" }, "Look")),
    );
    onSubmit(form, () => void this.#look());
    submitOnEnter(this.#goal, form);
    this.element.append(form, this.#status, this.#shown);
    session.on("page", () => this.#visible && void this.#look());
  }

  arrive(): void {
    this.#visible = true;
    const { page } = this.#session;
    if (`${page?.page_id} ${page?.document_id} ${this.#goal.value}` !== this.#requested) void this.#look();
  }

  leave(): void {
    this.#visible = false;
  }

  async #look(): Promise<void> {
    const { page, api } = this.#session;
    const goal = this.#goal.value.trim();
    const requested = (this.#requested = `${page?.page_id} ${page?.document_id} ${this.#goal.value}`);
    if (!page) {
      this.#shown.replaceChildren(noPage(this.#session));
      return;
    }
    this.#status.textContent = "Asking the page …";
    let content: Node[];
    try {
      const result = await api.post<Result>(`pages/${encodeURIComponent(page.page_id)}/prompt`, { goal });
      content = result.ok ? promptView(result.value as unknown as Prompt) : [fault(result.error)];
    } catch (thrown) {
      content = [failureNotice(thrown)];
      this.#requested = "";
    }
    if (requested !== this.#requested && this.#requested !== "") return;
    this.#status.textContent = "";
    this.#shown.replaceChildren(...content);
  }
}

/** The messages, tools and declarations of a prompt, and their tokens. */
export function promptView({ messages, tools, typescript, tokens, model }: Prompt): Node[] {
  const message = model
    ? words(`This is the first prompt of \`${line(model, 80)}\`.`)
    : ["No model is set, so nothing of this is sent. This would be the first prompt of a model."];
  return [
    h("p", { class: "quiet" }, ...message),
    bar(tokens),
    h(
      "section",
      {},
      h("h2", { class: "small" }, "Messages"),
      ...messages.map(({ role, text }) =>
        fold(h("span", {}, chip(role), " ", line(text, 100)), () =>
          h("div", {}, longText(text, SHOWN, "pre"), h("p", {}, copyButton(() => text))),
        ),
      ),
    ),
    h(
      "section",
      {},
      h("h2", { class: "small" }, `Tools (${tools.length})`),
      ...tools.map(({ name, description, parameters }) =>
        fold(h("span", {}, code(name), " ", h("span", { class: "quiet" }, line(description, 100))), () =>
          h("div", {}, longText(description, SHOWN), longText(JSON.stringify(parameters, null, 2), SHOWN, "code")),
        ),
      ),
    ),
    h(
      "section",
      {},
      h("h2", { class: "small" }, "Declarations, for code mode"),
      fold(`TypeScript, ${counted(typescript.length, "character")}`, () =>
        h("div", {}, longText(typescript, SHOWN * 2, "code"), h("p", {}, copyButton(() => typescript))),
      ),
    ),
  ];
}

/** The share of each part in the tokens, as a bar and as a list of numbers. */
function bar(tokens: Prompt["tokens"]): HTMLElement {
  const parts = Object.entries(PARTS) as [keyof typeof PARTS, string][];
  const picture = h("div", { class: "bar", "aria-hidden": "true" });
  const list = h("dl", { class: "numbers" });
  for (const [name, label] of parts) {
    const count = tokens[name] ?? 0;
    const piece = h("span", { class: `piece ${name}` });
    piece.style.flexGrow = String(count);
    picture.append(piece);
    list.append(h("div", {}, h("dt", {}, h("span", { class: `key ${name}` }), label), h("dd", {}, count.toLocaleString("en"))));
  }
  list.append(h("div", { class: "sum" }, h("dt", {}, "Together"), h("dd", {}, `about ${counted(tokens.total, "token")}`)));
  return h("section", { class: "tokens" }, h("h2", { class: "small" }, "Estimated tokens"), picture, list);
}
