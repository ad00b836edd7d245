/** Rules of the linter: those of the page's sources that do not name its folders. */
import { defineConfig } from "oxlint";

export default defineConfig({
  plugins: ["import", "oxc", "typescript", "unicorn"],
  categories: { correctness: "error" },
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
    "typescript/no-unnecessary-type-assertion": "error",
    "typescript/no-base-to-string": "off",
    "typescript/restrict-template-expressions": "off",
  },
  overrides: [
    // `test(…)` returns a promise that nobody awaits.
    { files: ["*/test/**"], rules: { "typescript/no-floating-promises": "off" } },
  ],
});
