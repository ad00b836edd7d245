/** The arguments of a call, as a form made from the schema or as JSON. */
import { h } from "../../ui/elements.ts";
import { Tabs } from "../../ui/tabs.ts";
import { keep, kept } from "../../ui/widgets.ts";
import {
  draftFrom, draftOf, problemsOf, valueOf, type Draft, type JsonDraft, type Problem,
} from "./argument_drafts.ts";
import { ArgumentEditor } from "./argument_editor.ts";
import { fieldOf, jsonField, type Schema } from "./schema_fields.ts";

const FORM = 0;
const JSON_TEXT = 1;

/** The chosen way to enter arguments, for all tools. */
let liked = kept("arguments", FORM);

export class ArgumentForm {
  readonly element: HTMLElement;
  #schema: Schema;
  #form: Draft;
  #json: JsonDraft;
  #mode = liked;
  #editor: ArgumentEditor | undefined;
  #changed: () => void;

  constructor(schema: Schema, changed: () => void, value?: Record<string, unknown>) {
    this.#schema = schema;
    this.#changed = changed;
    const field = fieldOf(schema);
    this.#form = value ? draftFrom(field, value) : draftOf(field, true);
    this.#json = draftFrom(jsonField(""), this.#formValue()) as JsonDraft;
    const tabs = new Tabs(
      "Form of the arguments",
      [
        { label: "Form", content: () => this.#edit(this.#form) },
        { label: "JSON", content: () => this.#edit(this.#json) },
      ],
      this.#mode,
      (mode) => this.#turn(mode),
    );
    this.element = h("div", { class: "arguments" }, tabs.element);
  }

  /** The arguments so far; undefined while they are not an object. */
  get value(): Record<string, unknown> | undefined {
    const value = this.#mode === FORM ? this.#formValue() : valueOf(this.#json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  }

  /** Whether the arguments are valid; problems are shown, and the first one gets the focus. */
  check(): boolean {
    const draft = this.#mode === FORM ? this.#form : this.#json;
    const problems: Problem[] = problemsOf(draft);
    if (problems.length === 0 && this.value === undefined) {
      problems.push({ path: "", message: "arguments are an object - write them in `{…}`", draft });
    }
    if (problems.length > 0) this.#editor?.show(problems);
    else this.#editor?.clear();
    return problems.length === 0;
  }

  /** Show an error of the page. */
  showAt(path: string, message: string): void {
    if (this.#mode === FORM) this.#editor?.showAt(path, message);
  }

  /** Whether the tool takes no arguments. */
  get isEmpty(): boolean {
    const draft = this.#form;
    return draft.kind === "object" && draft.members.length === 0 && !draft.field.others;
  }

  #formValue(): unknown {
    return valueOf(this.#form) ?? {};
  }

  #turn(mode: number): void {
    if (mode === JSON_TEXT) this.#json = draftFrom(jsonField(""), this.#formValue()) as JsonDraft;
    else if (this.value) this.#form = draftFrom(fieldOf(this.#schema), this.value);
    this.#mode = liked = mode;
    keep("arguments", mode);
    this.#changed();
  }

  #edit(draft: Draft): HTMLElement {
    this.#editor = new ArgumentEditor(draft, this.#changed);
    return this.#editor.element;
  }
}
