/** Fills in fields one by one, as a person does, and submits their form. */
import { isWebagentError, WebagentError } from "../../base/errors.ts";
import { accessOf, HIDDEN, IGNORE, isIgnored, isMasked, isSecret, READONLY } from "../../base/agent_access.ts";
import { nameOf } from "../read/accessible_names.ts";
import { isEditable, roleOf } from "../read/aria_roles.ts";
import { isDisabled, isReadonly } from "../read/element_states.ts";
import { all, attr, is, isConnected, query, renderedParent, shadowOf, tagOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { denied, invalidArguments, type FormEntry, type Reply, type UploadedFile } from "../read/protocol.ts";
import { attach, enterText, transferOf } from "../touch/field_entry.ts";
import { fieldsOf, groupOf } from "../touch/form_fields.ts";
import { submitButtonOf, submitFrom, SubmitGuard } from "../touch/form_submission.ts";
import { hitPointOf, permit } from "../touch/hit_test.ts";
import { chooseFromList, chooseOptions } from "../touch/list_choice.ts";
import { bestMatches } from "../read/page_text.ts";
import { outcomeOf, settle, type NavigationWatch } from "../touch/outcome.ts";
import { clickAt, dropFiles } from "../touch/pointer.ts";

const MOST_ENTRIES = 200;
const KINDS = ["text", "select", "index", "check", "files"] as const;

export function enterData(
  page: PageState,
  { form_data, submit, allow_origin }: { form_data: FormEntry[]; submit?: boolean; allow_origin?: string[] },
): Promise<Reply> {
  const entries = checked(form_data);
  const guard = new SubmitGuard(page, allow_origin);
  const judge = (field: Element, entry: FormEntry): boolean => {
    const secret = entry.secret === true || isSecret(field);
    guard.check(field, secret, submitButtonOf(field), submit === true);
    return secret;
  };
  const enter = outcomeOf.bind(null, page, async (view, departure) => {
    for (const entry of entries) for (const field of knownFieldsOf(page, view, entry)) judge(field, entry);
    const done: string[] = [];
    let last: Element | null = null;
    let now = view;
    for (const entry of entries) {
      try {
        [last, now] = await fill(page, now, entry, departure, done, async (field) =>
          guard.beforeTyping(field, judge(field, entry)),
        );
      } catch (error) {
        throw done.length > 0 && isWebagentError(error) ? after(error, done) : error;
      }
      if (departure.leaves) break;
    }
    if (submit && last && !departure.leaves) done.push(await submitFrom(page, last, guard));
    return { did: done.join(", ") };
  });
  return guard.around(enter);
}

/** Puts files into a file field, or drops them where the page takes them. */
export function upload(
  page: PageState,
  { pp_id, files, allow_origin }: { pp_id: number; files: UploadedFile[]; allow_origin?: string[] },
): Promise<Reply> {
  if (!Array.isArray(files) || files.length === 0) throw invalidArguments("there are no files to upload", undefined, "files");
  const guard = new SubmitGuard(page, allow_origin);
  const put = outcomeOf.bind(null, page, async (view) => {
    const element = page.element(pp_id);
    const name = page.show(element);
    const spot = hitPointOf(page, view, element);
    const field = fileFieldFor(element);
    if (field && isDisabled(field)) throw denied(`the file field of ${name} is disabled`, "fill in what it waits for first");
    await guard.beforeTyping(field ?? element, false);
    if (field) {
      permit(page, field);
      attach(page, field, files);
    } else if (!dropFiles(spot, transferOf(element, files))) {
      throw denied(`${name} takes no files`, "name a file field, its label, or the place where files are dropped", "pp_id");
    }
    const names = files.map((file) => `\`${seen(element, file.name)}\``).join(", ");
    return { did: `${field ? "put" : "dropped"} ${names} ${field ? "into" : "onto"} \`${name}\`` };
  });
  return guard.around(put);
}

const FILE_FIELD = "input[type=file i]";

/** The file field of an element: itself, that of its label, or the only one in it or in a box around it. */
function fileFieldFor(element: Element): Element | null {
  if (is(element, FILE_FIELD)) return element;
  const control = tagOf(element) === "label" ? (element as HTMLLabelElement).control : null;
  if (control && is(control, FILE_FIELD)) return isIgnored(control) ? null : control;
  let box: Element | null = element;
  for (let steps = 0; box && steps < 4; box = renderedParent(box), steps += 1) {
    const found = all(shadowOf(box) ?? box, FILE_FIELD);
    if (found.length > 0) return found.length === 1 ? (found[0] as Element) : null;
    if (tagOf(box) === "form") return null;
  }
  return null;
}

/** The fields of an entry; none if they are not there yet. */
function knownFieldsOf(page: PageState, view: View, entry: FormEntry): Element[] {
  try {
    return fieldsOf(page, view, entry);
  } catch {
    return [];
  }
}

/** The entries, each with one value; all are checked before the first is filled in. */
function checked(form_data: unknown): FormEntry[] {
  if (!Array.isArray(form_data) || form_data.length === 0)
    throw invalidArguments("`form_data` is not a list of entries", undefined, "form_data");
  if (form_data.length > MOST_ENTRIES)
    throw invalidArguments(`\`form_data\` has more than ${MOST_ENTRIES} entries`, undefined, "form_data");
  return form_data.map((entry: FormEntry, index) => {
    const path = `form_data[${index}]`;
    const given = KINDS.filter((kind) => entry?.[kind] !== undefined && entry[kind] !== null);
    if (given.length !== 1)
      throw invalidArguments(
        `entry ${index + 1} has ${given.length || "no"} values`,
        `give one of ${KINDS.map((kind) => `\`${kind}\``).join(", ")}`,
        path,
      );
    const kept = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)) as FormEntry;
    if (kept.pp_id === undefined && kept.label === undefined && kept.name === undefined) {
      throw invalidArguments(`entry ${index + 1} does not say which field it is for`, "give `pp_id`, `label` or `name`", path);
    }
    if (kept.select !== undefined) kept.select = [kept.select].flat().map(String);
    return kept;
  });
}

/** Fills in an entry; returns the field and the new state of the page. */
async function fill(
  page: PageState,
  view: View,
  entry: FormEntry,
  departure: NavigationWatch,
  done: string[],
  beforeTyping: (field: Element) => Promise<void>,
): Promise<[Element, View]> {
  let now = view;
  let fields: Element[];
  try {
    fields = fieldsOf(page, now, entry);
  } catch (error) {
    if (done.length === 0) throw error;
    // An earlier entry may have made this field appear.
    await settle(page, departure);
    now = page.read();
    fields = fieldsOf(page, now, entry);
  }
  const field = fields[0] as Element;
  const role = roleOf(field);
  const name = nameOf(field, role).text || attr(field, "name") || role;
  await beforeTyping(field);
  // A custom field may be replaced after each value; the first name is reported.
  done.push(await put(page, now, fields, field, role, entry, departure, name));
  await new Promise((resolve) => setTimeout(resolve));
  return [isConnected(field) ? field : (fields.find(isConnected) ?? field), now];
}

async function put(
  page: PageState,
  view: View,
  fields: readonly Element[],
  field: Element,
  role: string,
  entry: FormEntry,
  departure: NavigationWatch,
  name: string,
): Promise<string> {
  if (/^(radio|menuitemradio)$/.test(role)) return pick(page, view, fields, entry, name);
  if (entry.files !== undefined) {
    permitEntry(page, view, field);
    attach(page, field, entry.files);
    return `put ${entry.files.map((file) => `\`${seen(field, file.name)}\``).join(", ") || "no file"} into \`${name}\``;
  }
  permitEntry(page, view, field);
  if (/^(checkbox|switch|menuitemcheckbox)$/.test(role))
    return check(page, view, field, yesOrNo(page, field, entry), name);
  if (tagOf(field) === "select") {
    const wanted = entry.select ?? entry.index ?? (entry.text === undefined ? undefined : [entry.text]);
    if (wanted === undefined)
      throw invalidArguments(`${page.show(field)} is chosen from`, "give `select` or `index`", "form_data");
    return `chose \`${seen(field, chooseOptions(page, field as HTMLSelectElement, wanted))}\` in \`${name}\``;
  }
  const texts = entry.select ?? (entry.text === undefined ? undefined : [entry.text]);
  const writable = /^(input|textarea)$/.test(tagOf(field)) || isEditable(field);
  if (
    texts &&
    (role === "listbox" || (role === "combobox" && (!writable || (entry.select && tagOf(field) !== "input"))))
  ) {
    return `chose \`${await chooseFromList(page, view, field, texts, departure)}\` in \`${name}\``;
  }
  if (entry.select !== undefined && role === "combobox" && !(field as HTMLInputElement).list) {
    enterText(page, field, entry.select[0] ?? "");
    await settle(page, departure);
    return `chose \`${await chooseFromList(page, page.read(), field, entry.select, departure)}\` in \`${name}\``;
  }
  const text = entry.text ?? entry.select?.[0];
  if (text === undefined) throw invalidArguments(`${page.show(field)} takes text`, "give `text`", "form_data");
  enterText(page, field, String(text));
  return text === ""
    ? `emptied \`${name}\``
    : `entered \`${entry.secret ? HIDDEN : seen(field, String(text).slice(0, 200))}\` into \`${name}\``;
}

const seen = (field: Element, value: string): string => (isMasked(field) ? HIDDEN : value);

/** Refuses fields that a person could not fill in. */
function permitEntry(page: PageState, view: View, field: Element): void {
  hitPointOf(page, view, field);
  if (isReadonly(field))
    throw denied(`${page.show(field)} is read-only`, "the page sets it itself: change what it depends on");
  if (isEditable(field) && query(field, "[data-agent]").some((inner) => accessOf(inner) & (IGNORE | READONLY)))
    throw denied(`${page.show(field)} holds what the site closed to agents`, "leave it as it is");
}

function yesOrNo(page: PageState, field: Element, { check, text }: FormEntry): boolean {
  if (typeof check === "boolean") return check;
  if (/^(true|yes|on)$/i.test(text ?? "")) return true;
  if (/^(false|no|off)$/i.test(text ?? "")) return false;
  throw invalidArguments(`${page.show(field)} is checked or not`, "give `check` as true or false", "form_data");
}

function check(page: PageState, view: View, field: Element, wanted: boolean, name: string): string {
  const isOn = (): boolean =>
    tagOf(field) === "input" ? (field as HTMLInputElement).checked : attr(field, "aria-checked") === "true";
  const did = `${wanted ? "checked" : "unchecked"} \`${name}\``;
  if (isOn() === wanted && !(field as HTMLInputElement).indeterminate) return did;
  clickAt(hitPointOf(page, view, field));
  if (tagOf(field) === "input" && isConnected(field) && isOn() !== wanted) {
    throw denied(`${page.show(field)} did not stay ${wanted ? "checked" : "unchecked"}: the page has undone it`);
  }
  return did;
}

/** Picks a radio button of a group: the one that was named, or the one with a text. */
function pick(page: PageState, view: View, fields: readonly Element[], entry: FormEntry, name: string): string {
  let radio = fields[0] as Element;
  const words = entry.text ?? entry.select?.[0];
  const group = fields.length > 1 ? [...fields] : groupOf(radio);
  if (words !== undefined) {
    const found = bestMatches(group, words, (other) => [nameOf(other, "radio").text, attr(other, "value")], isMasked(radio));
    const names = group
      .map((other) => page.show(other))
      .slice(0, 15)
      .join(", ");
    if (found.length !== 1 || !found[0])
      throw invalidArguments(`${found.length || "no"} buttons of this group fit \`${words}\``, `they are ${names}`, "form_data");
    radio = found[0];
  } else if (entry.index !== undefined) {
    const at = group[entry.index];
    if (!at) throw invalidArguments(`the group has no button \`${entry.index}\``, `count from 0 to ${group.length - 1}`, "index");
    radio = at;
  } else if (entry.check !== true || fields.length > 1) {
    const names = group
      .map((other) => page.show(other))
      .slice(0, 15)
      .join(", ");
    throw invalidArguments(`one button of \`${name}\` has to be picked`, `give \`select\` with one of ${names}`, "form_data");
  }
  check(page, view, radio, true, name);
  return `picked \`${nameOf(radio, "radio").text || seen(radio, attr(radio, "value") ?? "")}\``;
}

/** The error, with a note of what was filled in before it. */
function after(error: WebagentError, done: readonly string[]): WebagentError {
  return new WebagentError({
    ...error.toJSON(),
    help: `${error.help ? `${error.help}; ` : ""}before that: ${done.join(", ")}`,
  });
}
