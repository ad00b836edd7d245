/** Code for a call, to copy: for the page, Python and a terminal. */
import type { Tool } from "./api_types.ts";

interface Snippet {
  /** The language, as tabs show it. */
  label: string;
  text: string;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Code for a call with these arguments, in every language. */
export function snippets(tool: Tool, given: Record<string, unknown>, site: string): Snippet[] {
  return [
    { label: "JavaScript", text: javascript(tool, given) },
    { label: "By name", text: `await webagent.invoke(${literal(tool.name)}, ${literal(given)});` },
    { label: "Python", text: python(tool, given, site) },
    { label: "Shell", text: shell(tool, given, site) },
    { label: "curl", text: curl(tool, given, site) },
  ];
}

function javascript(tool: Tool, given: Record<string, unknown>): string {
  const name = IDENTIFIER.test(tool.name) ? `global.${tool.name}` : `global[${literal(tool.name)}]`;
  const passed = tool.calling === "positional" ? inOrder(tool, given) : named(given);
  // In JavaScript this key would set the prototype instead of a member.
  return `const result = await ${name}(${passed.replaceAll(/(?<!\\)"__proto__":/g, '["__proto__"]:')});`;
}

function named(given: Record<string, unknown>): string {
  return Object.keys(given).length > 0 ? literal(given) : "";
}

/** Arguments by position, with `undefined` for gaps, up to the last given one. */
function inOrder(tool: Tool, given: Record<string, unknown>): string {
  const passed = tool.params.map(({ name }) => {
    const plain = name.replace(/^\.\.\./, "");
    if (!Object.hasOwn(given, plain)) return "undefined";
    const value = literal(given[plain]);
    return plain === name ? value : `...${value}`;
  });
  while (passed.at(-1) === "undefined") passed.pop();
  return passed.join(", ");
}

function python(tool: Tool, given: Record<string, unknown>, site: string): string {
  const program = `return await ${javascript(tool, given).slice("const result = await ".length)}`;
  return [
    "import asyncio",
    "",
    "from playwright.async_api import async_playwright",
    "from webagent import AgentClient",
    "",
    "",
    "async def main() -> None:",
    "    async with async_playwright() as playwright, AgentClient() as client:",
    "        browser = await playwright.chromium.launch()",
    "        page = await browser.new_page()",
    `        await page.goto(${literal(site)})`,
    `        await client.detect(${literal(site)})`,
    `        result = await client.run_code(page, ${literal(program)})`,
    "        print(result.value if result.ok else result.error)",
    "",
    "",
    "asyncio.run(main())",
  ].join("\n");
}

function shell(tool: Tool, given: Record<string, unknown>, site: string): string {
  const words = ["webagent-dev", "call", quoted(tool.name)];
  if (Object.keys(given).length > 0) words.push(quoted(literal(given)));
  // The command uses the open page of the site, whatever its path is by then.
  return [...words, "--site", quoted(new URL("/", site).href)].join(" ");
}

function curl(tool: Tool, given: Record<string, unknown>, site: string): string {
  const url = new URL("/__webagent__/api/pages/focused/call", site).href;
  const body = literal({ name: tool.name, arguments: given });
  return [
    `# the token is what \`webagent-dev token\` prints`,
    `curl ${quoted(url)} \\`,
    `  --header "Authorization: Bearer $WEBAGENT_TOKEN" \\`,
    `  --header 'Content-Type: application/json' \\`,
    `  --data ${quoted(body)}`,
  ].join("\n");
}

/** A value that is valid in JavaScript, Python strings and JSON alike, with hidden characters escaped. */
function literal(value: unknown): string {
  const text = spaced(JSON.stringify(value, null, 1) ?? "undefined");
  return text.replace(/[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** JSON in one line with a space after commas and colons; its strings have no line breaks. */
function spaced(json: string): string {
  return json
    .replace(/([[{])\n */g, "$1")
    .replace(/\n *([\]}])/g, "$1")
    .replace(/,\n */g, ", ");
}

/** A word of a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
