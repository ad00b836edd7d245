/** The form of a draft: a field for each part of it, with its problems next to it. */
import { brief, inLine } from "../../ui/display_text.ts";
import { button, h, type Child } from "../../ui/elements.ts";
import { code, freshId, longText } from "../../ui/widgets.ts";
import {
  addItem, choose, draftAt, draftOf, give, leaveOut, type ChoiceDraft, type Draft, type JsonDraft, type ListDraft,
  type ObjectDraft, type Problem, type TextDraft, type UnionDraft,
} from "./argument_drafts.ts";
import type { Field } from "./schema_fields.ts";

/** How a part belongs to the part around it. */
interface Place {
  /** Its display name; empty for the whole. */
  label: string;
  /** Whether it may be left out. */
  optional: boolean;
  /** Removes it, if that is possible. */
  remove?: () => void;
}

/** Where a problem of a part is shown. */
interface ProblemPlace {
  /** The element to focus. */
  target: HTMLElement;
  wrong: HTMLElement;
}

const PLACEHOLDERS: Record<string, string> = {
  date: "2026-01-31",
  time: "14:30:00",
  "date-time": "2026-01-31T14:30:00Z",
  email: "ada@example.org",
  uri: "https://example.org/",
};

/** Formats for which browsers have fields, and the values that these accept. */
const INPUTS: Record<string, { type: string; holds: RegExp }> = {
  date: { type: "date", holds: /^(\d{4}-\d\d-\d\d)?$/ },
  time: { type: "time", holds: /^(\d\d:\d\d(:\d\d)?)?$/ },
  email: { type: "email", holds: /^\S*$/ },
  uri: { type: "url", holds: /^\S*$/ },
};

export class ArgumentEditor {
  readonly element = h("div", { class: "fields" });
  #draft: Draft;
  #changed: () => void;
  #spots = new Map<Draft, ProblemPlace>();

  /** @param changed Called when the draft changes. */
  constructor(draft: Draft, changed: () => void) {
    this.#draft = draft;
    this.#changed = changed;
    this.element.append(...this.#content(draft));
  }

  /** Show problems at their parts; returns whether the first one got the focus. */
  show(problems: readonly Problem[]): boolean {
    this.clear();
    let first: HTMLElement | undefined;
    for (const { draft, message, at } of problems) {
      const spot = this.#spots.get(draft);
      if (!spot) continue;
      spot.wrong.textContent = brief(message, 500);
      spot.wrong.hidden = false;
      spot.target.setAttribute("aria-invalid", "true");
      if (!first && at !== undefined && spot.target instanceof HTMLTextAreaElement) {
        spot.target.focus();
        spot.target.setSelectionRange(at, Math.min(at + 1, spot.target.value.length));
      }
      first ??= spot.target;
    }
    first?.focus();
    return first !== undefined;
  }

  /** Show an error of the page at the part of its path. */
  showAt(path: string, message: string): boolean {
    return this.show([{ path, message, draft: draftAt(this.#draft, path) }]);
  }

  /** Remove all problems. */
  clear(): void {
    for (const { target, wrong } of this.#spots.values()) {
      wrong.hidden = true;
      wrong.textContent = "";
      target.removeAttribute("aria-invalid");
    }
  }

  #touch(draft: Draft): void {
    const spot = this.#spots.get(draft);
    if (spot) {
      spot.wrong.hidden = true;
      spot.target.removeAttribute("aria-invalid");
    }
    this.#changed();
  }

  /** The fields of a draft's content, without a box around them. */
  #content(draft: Draft): HTMLElement[] {
    if (draft.kind !== "object") return [this.#part(draft, { label: "value", optional: false })];
    const members = draft.members.map(({ name, required, draft: inner }) =>
      this.#part(inner, { label: name, optional: !required }),
    );
    return [...members, ...this.#others(draft)];
  }

  /** A part with its name; it is made again when its shape changes. */
  #part(draft: Draft, place: Place): HTMLElement {
    const isGroup = draft.kind === "object" || draft.kind === "list" || draft.kind === "union";
    return isGroup ? this.#group(draft, place) : this.#single(draft, place);
  }

  #remake(draft: Draft, place: Place, old: Element, focus: "first" | "again"): void {
    const made = this.#part(draft, place);
    old.replaceWith(made);
    const inner = made.querySelector<HTMLElement>("input, select, textarea");
    const again = made.querySelector<HTMLElement>(":scope > .head button:not([hidden]), button");
    ((focus === "first" ? inner : undefined) ?? again ?? inner)?.focus();
    this.#changed();
  }

  #single(draft: TextDraft | JsonDraft | ChoiceDraft, place: Place): HTMLElement {
    const id = freshId();
    const wrong = wrongLine(id);
    const about = this.#about(draft.field, id);
    const input = draft.kind === "choice" ? choiceInput(draft, place) : textInput(draft, place);
    input.id = id;
    input.setAttribute("aria-describedby", [about && `${id}-about`, `${id}-wrong`].filter(Boolean).join(" "));
    if (!place.optional) input.setAttribute("aria-required", "true");
    const out = button("link", "leave out", () => {
      leaveOut(draft);
      this.#remake(draft, place, made, "first");
    });
    out.setAttribute("aria-label", `leave out ${brief(place.label, 80)}`);
    out.hidden = !draft.given;
    input.addEventListener("input", () => {
      if (draft.kind === "choice") {
        draft.chosen = Number(input.value);
        draft.given = !place.optional || draft.chosen >= 0;
      } else {
        draft.text = input.value;
        draft.given = true;
      }
      out.hidden = !draft.given;
      this.#touch(draft);
    });
    const made = h("div", { class: "field" }, this.#head(place, draft.field, id, place.optional ? out : undefined), input, about, wrong);
    this.#spots.set(draft, { target: input, wrong });
    return made;
  }

  #group(draft: ObjectDraft | ListDraft | UnionDraft, place: Place): HTMLElement {
    const id = freshId();
    const wrong = wrongLine(id);
    const legend = h("legend", { id }, code(place.label), " ", note(place, draft.field));
    const made = h("fieldset", { class: "group", tabindex: "-1", "aria-describedby": `${id}-wrong` }, legend);
    this.#spots.set(draft, { target: made, wrong });
    if (!draft.given) {
      const add = button("small", `Add ${brief(place.label, 40)}`, () => {
        give(draft);
        this.#remake(draft, place, made, "first");
      });
      made.append(h("div", { class: "head" }, add), ...some(this.#about(draft.field, id)));
      return made;
    }
    made.append(...some(this.#about(draft.field, id)), wrong);
    if (draft.kind === "object") made.append(...this.#content(draft));
    if (draft.kind === "union") made.append(...this.#union(draft, place, made));
    if (draft.kind === "list") made.append(...this.#list(draft, place, made));
    if (place.optional) {
      const out = button("link", `leave out ${brief(place.label, 40)}`, () => {
        leaveOut(draft);
        this.#remake(draft, place, made, "again");
      });
      made.append(out);
    } else if (place.remove) {
      made.append(removeButton(place));
    }
    return made;
  }

  #union(draft: UnionDraft, place: Place, made: Element): HTMLElement[] {
    const select = h("select", { "aria-label": `which ${brief(place.label, 80)}` });
    draft.field.options.forEach(({ label }, number) => select.append(h("option", { value: String(number) }, brief(label, 80))));
    select.value = String(draft.chosen);
    select.addEventListener("input", () => {
      choose(draft, Number(select.value));
      this.#remake(draft, place, made, "first");
    });
    const { inner } = draft;
    if (!inner) return [select];
    return [select, ...(inner.kind === "object" ? this.#content(inner) : [this.#part(inner, { label: "value", optional: false })])];
  }

  #list(draft: ListDraft, place: Place, made: Element): HTMLElement[] {
    const again = (focus: "first" | "again") => this.#remake(draft, place, made, focus);
    const items = draft.items.map((item, number) =>
      this.#part(item, {
        label: `${number}`,
        optional: false,
        remove: () => {
          draft.items.splice(number, 1);
          again("again");
        },
      }),
    );
    const add = button("small", "Add an item", () => {
      const item = addItem(draft);
      again("again");
      const target = this.#spots.get(item)?.target;
      (target?.querySelector<HTMLElement>("input, select, textarea") ?? target)?.focus();
    });
    return [...items, add];
  }

  /** Members that are not in the schema. */
  #others(draft: ObjectDraft): HTMLElement[] {
    const { others } = draft.field;
    const box = h("div", { class: "others" });
    const show = () => {
      box.replaceChildren(
        ...draft.others.map((other, number) => {
          const name = h("input", { type: "text", dir: "auto", "aria-label": "name of the member", placeholder: "name", autocomplete: "off" });
          name.value = other.name;
          name.addEventListener("input", () => {
            other.name = name.value;
            this.#touch(other.draft);
          });
          const remove = () => {
            draft.others.splice(number, 1);
            show();
            this.#changed();
          };
          const value = this.#part(other.draft, { label: "value", optional: false, remove });
          return h("div", { class: "other" }, name, value);
        }),
      );
    };
    show();
    if (!others) return [box];
    const add = button("small", "Add a member", () => {
      draft.others.push({ name: "", draft: draftOf(others(), true) });
      show();
      box.querySelector<HTMLElement>(".other:last-child input")?.focus();
      this.#changed();
    });
    return [box, add];
  }

  #head(place: Place, field: Field, id: string, out: HTMLElement | undefined): HTMLElement {
    const label = h("label", { for: id }, code(place.label), " ", note(place, field));
    return h("div", { class: "head" }, label, place.remove ? removeButton(place) : out);
  }

  #about(field: Field, id: string): HTMLElement | undefined {
    const why = field.kind === "json" ? field.why : "";
    const preset = field.preset === undefined ? "" : `default ${inLine(field.preset, 60)}`;
    const hint = [field.hint, preset, why && `as JSON: ${why}`].filter(Boolean).join(" · ");
    const said = [field.title, field.description].filter(Boolean).join(" – ");
    if (!hint && !said) return undefined;
    return h(
      "div",
      { class: "about", id: `${id}-about` },
      said && longText(said, 400),
      hint && h("p", { class: "hint", dir: "auto" }, brief(hint, 400)),
    );
  }
}

function note({ optional }: Place, field: Field): HTMLElement {
  return h("span", { class: "note" }, `${typeOf(field)}${optional ? ", optional" : ""}`);
}

/** The type of a field, in a word or two. */
function typeOf(field: Field): string {
  switch (field.kind) {
    case "text":
      return field.format || "text";
    case "number":
      return field.whole ? "whole number" : "number";
    case "choice":
      return field.options.every(({ value }) => typeof value === "boolean") ? "true or false" : "choice";
    case "union":
      return "one of several";
    case "json":
      return "JSON";
    default:
      return field.kind;
  }
}

function removeButton(place: Place): HTMLElement {
  const made = button("link", "remove", () => place.remove?.());
  made.setAttribute("aria-label", `remove ${brief(place.label, 80)}`);
  return made;
}

function wrongLine(id: string): HTMLElement {
  return h("p", { class: "wrong", id: `${id}-wrong`, hidden: true });
}

function textInput(draft: TextDraft | JsonDraft, place: Place): HTMLInputElement | HTMLTextAreaElement {
  const { field } = draft;
  const attributes = { autocomplete: "off", spellcheck: "false", autocapitalize: "off" };
  const isLong = field.kind === "json" || (field.kind === "text" && (field.long || /\n/.test(draft.text)));
  const without = place.optional ? "left out" : field.kind === "json" ? "JSON" : "";
  const made = isLong
    ? h("textarea", { ...attributes, rows: "3", class: field.kind === "json" ? "json" : "", dir: "auto" })
    : h("input", { ...attributes, ...inputAttributes(draft as TextDraft) });
  made.value = draft.text;
  made.placeholder = (field.kind === "text" && PLACEHOLDERS[field.format]) || without;
  return made;
}

function inputAttributes({ field, text }: TextDraft): Record<string, string> {
  if (field.kind === "number") return { type: "text", inputmode: field.whole ? "numeric" : "decimal" };
  const own = INPUTS[field.format];
  return own?.holds.test(text) ? { type: own.type, ...(own.type === "time" && { step: "1" }) } : { type: "text", dir: "auto" };
}

function choiceInput(draft: ChoiceDraft, place: Place): HTMLSelectElement {
  const made = h("select");
  const none = place.optional ? "left out" : "choose …";
  if (place.optional || draft.chosen < 0) made.append(h("option", { value: "-1" }, `– ${none}`));
  draft.field.options.forEach(({ label }, number) => made.append(h("option", { value: String(number) }, brief(label, 100))));
  made.value = String(draft.chosen);
  return made;
}

function some(child: Child): (Node | string)[] {
  return child ? [child] : [];
}
