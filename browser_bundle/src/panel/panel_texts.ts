/** The texts of the panel: English is here, other languages are in `texts/`, and a site may add its own. */
import { loadChunk } from "../base/lazy_chunks.ts";
import { isPlainEnglish, type Forms } from "../run/site_texts.ts";
import type * as SiteTexts from "../run/site_texts.ts";

/** An English text with a number, whose plural has an `s` at the end. */
const some = (one: string): Forms => ({ one, other: `${one}s` });

const ENGLISH = {
  title: "Assistant",
  open: "Open the assistant",
  minimise: "Minimise",
  close: "Close",
  close_running: "Stop and close",
  move: "Move with the arrow keys, resize with Shift and the arrow keys",
  place_floating: "Float above the page",
  place_tall: "Full height",
  place_docked: "Dock at the side",
  new_goal: "New conversation",
  conversation: "Conversation",
  greeting: "What would you like to do here?",
  greeting_more: "I use this site’s own functions, and ask before I change anything.",
  goal: "What should be done",
  goal_hint: "Find …, add …, show …",
  start: "Start",
  stop: "Stop",
  starting: "Starting …",
  working: "Working …",
  progress: "Progress",
  waiting: "Waiting for your answer",
  you: "You",
  plan: "Plan",
  new_plan: "New plan",
  plan_question: "Shall I go ahead?",
  go_ahead: "Go ahead",
  change_plan: "Not like this",
  change_plan_why: "What should be different?",
  ask_approval: "May I do this?",
  ask_question: "A question for you",
  ask_file: "A file is needed",
  yes: "Yes",
  no: "No",
  own_words: "In my own words",
  let_me: "I’ll take over",
  go_on: "Go on",
  paused: "It is your turn",
  attended: "Please check the form on the page, and send it yourself.",
  took_over: "You took over.",
  went_on: "I went on.",
  allow_once: "Allow once",
  allow_session: "Allow for this session",
  allow_all: "Allow all {count}",
  refuse: "No",
  refuse_stop: "No, and stop",
  refuse_why: "Why not? The agent will take it into account.",
  back: "Back",
  answer: "Your answer",
  send: "Send",
  no_answer: "No answer",
  choose_file: "Choose a file",
  no_file: "No file",
  effect_read: "only reads",
  effect_write: "changes something",
  effect_irreversible: "cannot be undone",
  effect_unknown: "may change something",
  sends_to: "Sends this to {origin}",
  goes_to: "Leaves this site for {origin}",
  from_goal: "from your words",
  from_person: "from your answer",
  from_result: "from the result of “{of}”",
  from_page: "from the page",
  from_agent: "chosen by the agent",
  said_yes: "You agreed",
  said_no: "You said no",
  allowed: "Allowed: {what}",
  refused: "Not allowed: {what}",
  gave_file: "You chose a file",
  hidden_answer: "••••••",
  arguments: "With",
  result: "Result",
  error: "What went wrong",
  no_value: "Nothing was returned.",
  show_all: "Show all",
  show_on_page: "Show on the page",
  number: "Number",
  undo: "Undo",
  unread: "There is more to read.",
  read_on: "Read on",
  covered: "Part of the page is covering this request.",
  characters: some("{count} character"),
  items: some("{count} item"),
  calls: some("{count} call"),
  also_sent: "Also sent, but not shown on the page:",
  empty_text: "empty text",
  hidden_character: "a character that cannot be seen",
  blank_lines: some("… {count} blank line"),
  spaces: some("… {count} space"),
  accents: some("… {count} more accent"),
  lookalike: "`{word}`: letter {place} is {script} `{letter}` ({code})",
  similar: "`{name}` looks like `{other}`, which is another tool",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  went_to: "Went to “{page}”",
  retrying: "Trying again in {seconds} s …",
  switched: "A second model answers from now on.",
  interrupted: "This stopped here: the page was left, or another tab took over.",
  forgot: "You were signed out, so this conversation was cleared.",
  not_started: "The assistant could not start. Please try again.",
  fault_missing: "This page cannot do that any more.",
  fault_left: "The page was left before I was done.",
  fault_lost: "I had to start again, and lost this goal. What was done stays done.",
  fault_moved: "This page belongs to another site now.",
  fault_login: "You need to log in first.",
  fault_denied: "That is not possible at the moment.",
  fault_often: "Too many requests. Please wait a minute.",
  fault_slow: "It took too long.",
  fault_stuck: "I stopped, because I was not getting any further.",
  fault_site: "The site reported a problem.",
  fault_own: "Something went wrong on my side.",
  try_again: "Try again",
  try_without: "Try without a language model",
  do_it_myself: "I’ll do it myself",
  ask_otherwise: "Ask in other words",
  helpful: "Did this help?",
  thanks: "Thank you.",
  finished: "Finished.",
  not_finished: "Not finished.",
  stopped: "Stopped.",
  not_done: "Not done, as you wished.",
  details: "Details",
  steps: "Steps",
  time: "Time",
  tokens: "Tokens",
  tokens_used: some("{count} token"),
  cost: "Cost",
  model: "Model",
  cost_unknown: "unknown",
  no_model: "none – nothing is sent to a model",
  sent: "What the model is sent",
  sent_nothing: "Nothing so far.",
  allowed_title: "Allowed for this session",
  allowed_nothing: "Nothing.",
  take_back: "Take back",
  assistants: "Your own assistant",
  assistants_how: "An assistant that you use elsewhere can use this page, too: give it this address, and allow it tools here.",
  copy: "Copy",
  disconnect: "Disconnect",
  disconnect_all: "Disconnect all",
  did_last: "What it did last",
  save_transcript: "Save the transcript",
  as_markdown: "to read (Markdown)",
  as_json: "as data (JSON)",
  action_call_tool: "Use {tool}",
  action_execute_js: "Run a small program",
  action_goto_url: "Open a page",
  action_click_link: "Follow a link",
  action_click: "Click",
  action_enter_data: "Fill in",
  action_click_link_on: "Follow the link `{name}`",
  action_click_on: "Click `{name}`",
  action_enter_data_on: "Fill in `{name}`",
  action_hover: "Point at something",
  action_drag: "Drag something",
  action_press_key: "Press a key",
  action_press_key_on: "Press a key on `{name}`",
  action_answer_dialog: "Answer a dialog",
  action_upload: "Upload files",
  action_upload_on: "Upload files to `{name}`",
  action_scroll: "Scroll",
  action_wait: "Wait",
  action_read_file: "Read a file",
  action_search: "Search the site",
  action_find_code: "Look for code",
  action_navigation_outline: "Look at the menu",
  action_section_outline: "Look at the sections",
  action_form_details: "Look at a form",
  action_table_details: "Look at a table",
  action_get_summary: "Look at the page",
  action_take_screenshot: "Take a picture",
};

export type Texts = { [Key in keyof typeof ENGLISH]: (typeof ENGLISH)[Key] extends string ? string : Forms };

export type Translation = SiteTexts.Translation<Texts>;

let translation: Translation = { texts: ENGLISH, locale: "en", attributes: { lang: "en", dir: "" } };

/** Load the texts in the language of the page, with those of its site; plain English needs no file. */
export async function loadTexts(): Promise<void> {
  if (isPlainEnglish()) return;
  translation = await (await loadPart<typeof SiteTexts>("texts")).translated(ENGLISH);
}

/** Load a script of the bundle from the place of this one. */
export const loadPart = <Module>(name: string): Promise<Module> => loadChunk(new URL("./", import.meta.url).href, name);

/** The texts in use. */
export const currentTexts = (): Texts => translation.texts;

/** The same with their language: as a locale for numbers, and as attributes of what shows them. */
export const currentTranslation = (): Translation => translation;

/** Use the texts of the panel in a script of its own, which has this module a second time. */
export function useTranslation(current: Translation): void {
  translation = current;
}

/** Replace placeholders such as `{tool}` in a text; numbers are written as in its language. */
export function fill(text: string | Forms, values: Record<string, string | number>): string {
  const { locale } = translation;
  const form = typeof text === "string" ? text : (text[new Intl.PluralRules(locale).select(Number(values["count"]))] ?? text.other);
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => values[name]?.toLocaleString(locale) ?? whole);
}
