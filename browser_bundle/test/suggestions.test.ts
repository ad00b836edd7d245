/** Suggestions of a manifest, in the cases that Python's check has too. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { suggestionsIn } from "../src/panel/suggestions.ts";

interface Case {
  what: string;
  text: string;
  greeting?: string;
  goals?: string[];
  problem?: string;
}

const cases = JSON.parse(readFileSync("../tests/cases/suggestions.json", "utf8")) as Case[];
const TOOLS = `
## searchBooks

Find books.

### Params

### Behavior

- title: Search the catalogue

## get_basket

### Output

\`string\`

## Good to know

- Prices are in pounds.

## getOrders

### Params

### Behavior

- requires login
`;

for (const { what, text, greeting = "", goals = [], problem } of cases) {
  test(`a section with ${what}`, () => {
    const found = suggestionsIn(`# Shop\n\n## Suggestions\n\n${text}\n\n## Terms\n\n- None`);
    assert.deepEqual(found, problem ? { greeting: "", goals: [] } : { greeting, goals });
  });
}

test("without a section they are the names of the tools", () => {
  assert.deepEqual(suggestionsIn(`# Shop\n${TOOLS}`), { greeting: "", goals: ["Search the catalogue", "Get basket"] });
  const unusable = "\n## Suggestions\n\n- Call `x`\n";
  assert.deepEqual(suggestionsIn(`# Shop\n${TOOLS}${unusable}`).goals, ["Search the catalogue", "Get basket"]);
});

test("code has no headings, and the title may be written in any way", () => {
  const code = "```md\n## Suggestions\n\n- Wrong\n```\n";
  assert.deepEqual(suggestionsIn(`# Shop\r\n\r\n${code}\r\n## **suggestions**\r\n\r\n- Right`).goals, ["Right"]);
  assert.deepEqual(suggestionsIn(`# Shop\n${code}`).goals, []);
});

test("hostile text takes linear time", () => {
  for (const part of ["#", "## ", "- ", "`", "~~~\n", "a\n", " \t", "## a\n### \n- title: "]) {
    suggestionsIn(`## Suggestions\n${part.repeat(300_000)}`);
  }
});
