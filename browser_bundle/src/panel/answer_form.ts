/** The answer to a question as choices or fields, by the schema of the question. */
import type { Answer } from "../run/person.ts";
import { h } from "../ui/elements.ts";
import type { Texts } from "./panel_texts.ts";
import { marked } from "./data_view.ts";

type Scalar = string | number | boolean;

interface Option {
  const: Scalar;
  title?: string;
  description?: string;
}

/** One value; core keeps of a schema only what is here (`webagent.agent.actions.talk.answer_form`). */
interface Field {
  type?: "string" | "number" | "integer" | "boolean";
  title?: string;
  description?: string;
  format?: string;
  oneOf?: Option[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
}

export interface FormSchema {
  title?: string;
  properties: Record<string, Field>;
  required?: string[];
}

/** An answer with values, and the same in words. */
type Given = Answer & { text: string; data: Record<string, Scalar> };

/** Buttons that answer at once, or fields that are read when they are sent. */
interface AnswerForm {
  element: HTMLElement;
  /** Undefined for buttons. */
  read?: () => Given;
}

/** Choices that are buttons or radio buttons; more of them are a list that unfolds. */
const MOST_BUTTONS = 8;
const INPUTS: Record<string, string> = { date: "date", time: "time", "date-time": "datetime-local", email: "email", uri: "url" };
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * @param choose Makes the button of a choice, which gives this answer.
 */
export function answerForm(schema: FormSchema, texts: Texts, choose: (content: (Node | string)[], answer: Given) => HTMLElement): AnswerForm {
  const fields = Object.entries(schema.properties).map(([name, field]) => new FormField(name, field, schema.required?.includes(name) ?? false, texts));
  const [only] = fields;
  if (fields.length === 1 && only && only.options.length > 0 && only.options.length <= MOST_BUTTONS) {
    const buttons = only.options.map((option) =>
      choose(content(option, texts), { yes: true, data: { [only.name]: option.const }, text: shown(option, texts) }),
    );
    const group = h("div", { class: only.isBoolean ? "row" : "choices", role: "group", "aria-labelledby": "request-asked" }, ...buttons);
    return { element: group };
  }
  fields[0]?.control.setAttribute("id", "answer");
  const read = (): Given => {
    const data: Record<string, Scalar> = {};
    const said: string[] = [];
    for (const field of fields) {
      const value = field.value;
      if (value === undefined) continue;
      data[field.name] = value;
      said.push(fields.length > 1 ? `${field.label}: ${field.said}` : field.said);
    }
    return { yes: true, data, text: said.join("; ") };
  };
  return { element: h("div", { class: "fields" }, ...fields.map(({ element }) => element)), read };
}

class FormField {
  readonly element: HTMLElement;
  /** Takes the focus. */
  readonly control: HTMLElement;
  readonly options: Option[];
  readonly label: string;
  #texts: Texts;
  #field: Field;

  constructor(
    readonly name: string,
    field: Field,
    required: boolean,
    texts: Texts,
  ) {
    const { type, oneOf, title = name, description } = field;
    this.#field = field;
    this.#texts = texts;
    this.label = title;
    this.options = oneOf ?? (type === "boolean" ? [{ const: true }, { const: false }] : []);
    const label = marked(title, texts);
    const about = description && h("span", { class: "quiet" }, ...marked(description, texts));
    if (this.options.length > 0 && this.options.length <= MOST_BUTTONS) {
      const radios = this.options.map((option, place) =>
        h("label", {}, h("input", { type: "radio", name, value: String(place), required }), h("span", {}, ...content(option, texts))),
      );
      this.element = h("fieldset", {}, h("legend", {}, ...label), about, ...radios);
      this.control = radios[0]?.firstElementChild as HTMLElement;
      return;
    }
    this.control = this.options.length > 0 ? this.#list(required) : this.#input(required);
    this.element = h("label", { class: "field" }, h("span", {}, ...label), about, this.control);
  }

  get isBoolean(): boolean {
    return this.#field.type === "boolean";
  }

  /** The value as it is answered; undefined if it was left out. */
  get value(): Scalar | undefined {
    const { type } = this.#field;
    const given = this.#given;
    if (given === "") return undefined;
    if (this.options.length > 0) return this.options[Number(given)]?.const;
    return type === "number" || type === "integer" ? Number(given) : given;
  }

  /** The value in words. */
  get said(): string {
    const value = this.value ?? "";
    const option = this.options.find((each) => each.const === value);
    return option ? shown(option, this.#texts) : localized(value, this.#texts);
  }

  get #given(): string {
    const radio = this.element.querySelector<HTMLInputElement>("[type=radio]");
    if (radio) return this.element.querySelector<HTMLInputElement>("[type=radio]:checked")?.value ?? "";
    return (this.control as HTMLInputElement | HTMLSelectElement).value.trim();
  }

  #list(required: boolean): HTMLElement {
    const items = this.options.map((option, place) => h("option", { value: String(place) }, shown(option, this.#texts)));
    return h("select", { required }, h("option", { value: "" }, "–"), ...items);
  }

  #input(required: boolean): HTMLElement {
    const { type, format = "", minimum, maximum, multipleOf, minLength, maxLength } = this.#field;
    const number = type === "number" || type === "integer";
    const bounds = { min: minimum, max: maximum, minlength: minLength, maxlength: maxLength };
    const known = Object.entries(bounds).flatMap(([name, bound]) => (bound === undefined ? [] : [[name, String(bound)] as const]));
    return h("input", {
      type: number ? "number" : (INPUTS[format] ?? "text"),
      dir: "auto",
      autocomplete: "off",
      required,
      ...(number && { step: String(multipleOf ?? (type === "integer" ? 1 : "any")) }),
      ...Object.fromEntries(known),
    });
  }
}

/** A choice on its button: its name, and its description below. */
function content(option: Option, texts: Texts): (Node | string)[] {
  const { description } = option;
  const name = marked(shown(option, texts), texts);
  return description ? [h("span", {}, ...name), h("span", { class: "quiet" }, ...marked(description, texts))] : name;
}

function shown({ title, const: value }: Option, texts: Texts): string {
  return localized(title ?? value, texts);
}

/** A value as people of the page's language write it. */
function localized(value: Scalar, texts: Texts): string {
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  const locale = pageLocale();
  if (typeof value === "number") return value.toLocaleString(locale);
  const time = MOMENT.exec(value)?.[1];
  // A day without an hour is one of the visitor's zone, not midnight in Greenwich.
  const moment = MOMENT.test(value) ? new Date(time ? value : `${value}T00:00`) : undefined;
  if (!moment || Number.isNaN(moment.getTime())) return value;
  return moment.toLocaleString(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric", ...(time && { hour: "numeric", minute: "2-digit" }) });
}

function pageLocale(): string | undefined {
  try {
    return Intl.getCanonicalLocales(document.documentElement.lang || navigator.language)[0];
  } catch {
    // A page may have any word there; then the browser's language counts.
    return undefined;
  }
}
