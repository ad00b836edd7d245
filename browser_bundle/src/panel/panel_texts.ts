/** All texts of the panel. A site translates them with `window.webagentTexts`. */

const ENGLISH = {
  title: "Assistant",
  open: "Open the assistant",
  minimise: "Minimise",
  close: "Close",
  close_running: "Stop and close",
  new_goal: "New conversation",
  conversation: "Conversation",
  greeting: "What would you like to do here?",
  greeting_more: "I use this site’s own functions, and ask before I change anything.",
  goal: "What should be done",
  goal_hint: "For example: find …, add …, show me …",
  start: "Start",
  stop: "Stop",
  starting: "Starting …",
  working: "Working …",
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
  allow_once: "Allow once",
  allow_session: "Allow for this session",
  refuse: "Don’t allow",
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
  from_result: "from the result of {of}",
  from_page: "from the page",
  from_agent: "chosen by the agent",
  said_yes: "You agreed",
  said_no: "You said no",
  allowed: "Allowed: {what}",
  refused: "Not allowed: {what}",
  gave_file: "You gave a file",
  hidden_answer: "••••••",
  arguments: "With",
  result: "Result",
  error: "What went wrong",
  no_value: "Nothing was returned.",
  show_all: "Show all",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  went_to: "Went to {url}",
  retrying: "Trying again in {seconds} s: {reason}",
  interrupted: "It did not go on here: the page was left, or another tab has it.",
  not_started: "It did not start: {reason}",
  finished: "Finished.",
  not_finished: "Not finished.",
  stopped: "Stopped.",
  not_done: "Not done, as you wished.",
  details: "Details",
  steps: "Steps",
  time: "Time",
  tokens: "Tokens",
  cost: "Cost",
  model: "Model",
  cost_unknown: "unknown",
  no_model: "none – nothing is sent to a model",
  sent: "What the model is sent",
  sent_nothing: "Nothing so far.",
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

export type Texts = Record<keyof typeof ENGLISH, string>;

declare global {
  /** The panel's texts in the site's language; missing ones stay English. */
  var webagentTexts: Partial<Texts> | undefined;
}

/** The texts to use: the site's own where it has them. */
export function currentTexts(): Texts {
  const texts: Texts = { ...ENGLISH };
  const given: Partial<Record<string, unknown>> = globalThis.webagentTexts ?? {};
  for (const key of Object.keys(ENGLISH) as (keyof Texts)[]) {
    const text = given[key];
    if (typeof text === "string") texts[key] = text;
  }
  return texts;
}

/** Replace placeholders such as `{tool}` in a text. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
