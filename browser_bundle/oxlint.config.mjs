/** Rules of the linter, and the layers of `src` as imports that are not allowed. */
import path from "node:path";
import { defineConfig } from "oxlint";

/**
 * Folders of `src`, the highest layer first. A folder imports from lower layers; folders of one layer
 * do not import each other. Imports of types count. `dom/*` is a folder without its subfolders, `*`
 * holds the entries.
 */
const LAYERS = [
  ["*"],
  ["dev", "inspector/*"],
  ["live", "inspector/form"],
  ["page", "panel"],
  ["run"],
  ["boot"],
  ["tools"],
  ["components", "dom/*", "modelcontext/*", "sandbox/*", "llm", "logs", "ui"],
  ["dom/actions", "dom/screenshot", "modelcontext/forms", "modelcontext/frames", "sandbox/transform"],
  ["dom/touch", "modelcontext/realm"],
  ["dom/read"],
  ["base"],
];

const folderOf = (room) => (room === "*" ? "" : room.replace(/\/\*$/, ""));
const isFlat = (room) => room.endsWith("*");

/** How a file of one folder writes the path of another. */
function specifier(from, to) {
  const way = path.posix.relative(folderOf(from), folderOf(to)) || ".";
  const start = (way.startsWith(".") ? way : `./${way}`).replaceAll(".", "\\.");
  return `^${start}/${isFlat(to) ? "[^/]+$" : ""}`;
}

const layers = LAYERS.flatMap((layer, at) =>
  layer.map((room) => {
    const forbidden = LAYERS.slice(0, at + 1).flat().filter((other) => other !== room);
    const patterns = forbidden.map((other) => ({
      regex: specifier(room, other),
      message: `\`src/${folderOf(room)}\` is not above \`src/${folderOf(other)}\` in the layers of oxlint.config.ts.`,
    }));
    const files = [path.posix.join("src", folderOf(room), isFlat(room) ? "*.ts" : "**")];
    return { files, rules: { "eslint/no-restricted-imports": ["error", { patterns }] } };
  }),
);

export default defineConfig({
  plugins: ["import", "oxc", "typescript", "unicorn"],
  categories: { correctness: "error" },
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
    "typescript/no-unnecessary-type-assertion": "error",
    "eslint/no-unused-vars": [
      "error",
      { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
    ],
    // Members of prototypes are taken out on purpose, to be called past what a page has put over them.
    "typescript/unbound-method": "off",
    "typescript/no-base-to-string": "off",
    "typescript/restrict-template-expressions": "off",
    // The text of pages has control characters, and these expressions are there to find them.
    "eslint/no-control-regex": "off",
    "eslint/no-misleading-character-class": "off",
    // Spread strings count characters; copies let a loop take out of what it walks through.
    "typescript/no-misused-spread": "off",
    "unicorn/no-useless-spread": "off",
    // It takes a member that only `??=` reads for unused.
    "eslint/no-unused-private-class-members": "off",
  },
  overrides: [
    ...layers,
    // `test(…)` returns a promise that nobody awaits; programs under test are run from strings.
    { files: ["test/**"], rules: { "typescript/no-floating-promises": "off", "eslint/no-eval": "off", "typescript/no-implied-eval": "off" } },
  ],
});
