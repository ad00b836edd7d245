"""Rules about sections: which of them are tools, and what belongs into one."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

SECTIONS = (
    Rule(
        "implicit-tool",
        Severity.WARNING,
        "A section is a tool only because its heading looks like a function.",
        "A section is a tool when it has `### Params`, `### Output` or `### Sample Code`. A heading "
        "such as `getCart` is taken for one as well, but that is a guess.",
        "# Shop\n\n## getCart\nWhat is in the cart.\n",
        "# Shop\n\n## getCart\nWhat is in the cart.\n\n### Params\n",
    ),
    Rule(
        "note-looks-like-tool",
        Severity.WARNING,
        "A section is a note, but looks like a tool.",
        "Agents read notes and cannot call them. The heading is the name of a function, the text "
        "shows a call, or there is a list like that of parameters, but no `### Params`.",
        "# Shop\n\n## search\nFind products.\n",
        "# Shop\n\n## search\nFind products.\n\n### Params\n",
    ),
    Rule(
        "nested-tool",
        Severity.WARNING,
        "A subsection has the name of a function.",
        "Tools are sections of the second level (`##`). A function below another heading is text of "
        "that section, and cannot be called.",
        "# Shop\n\n## The cart\n\n### getCart\nWhat is in the cart.\n",
        "# Shop\n\n## getCart\nWhat is in the cart.\n\n### Params\n",
    ),
    Rule(
        "missing-description",
        Severity.WARNING,
        "A tool does not say what it does.",
        "A model chooses tools by their description; with a name alone it has to guess.",
        "# Shop\n\n## search\n\n### Params\n",
        "# Shop\n\n## search\nFind products by words of their name.\n\n### Params\n",
    ),
    Rule(
        "missing-output",
        Severity.INFO,
        "A tool does not say what it returns.",
        "Its result is declared as `any`, so a program that uses the result has to guess its shape.",
        "# Shop\n\n## search\nFind products.\n\n### Params\n",
        "# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n"
        "```typescript\nArray<{ id: string; name: string }>\n```\n",
    ),
    Rule(
        "unknown-subsection",
        Severity.INFO,
        "A tool has a subsection that has no meaning of its own.",
        "It is kept as a note of the tool. If it was meant as one of the known subsections, its "
        "content is not used.",
        "# Shop\n\n## search\nFind.\n\n### Paramters\n- `q` (string): Words.\n\n### Output\n`void`\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `q` (string): Words.\n\n### Output\n`void`\n",
    ),
    Rule(
        "duplicate-subsection",
        Severity.WARNING,
        "A tool has a subsection twice.",
        "Both are read, but other readers of the format may take only one.",
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (string): A.\n\n### Params\n- `b` (string): B.\n",
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (string): A.\n- `b` (string): B.\n",
    ),
    Rule(
        "misplaced-text",
        Severity.INFO,
        "Text stands where only parameters, a type or code belong.",
        "It is shown as part of the tool's description, out of the place where it was written.",
        "# Shop\n\n## pay\nPay.\n\n### Params\nOnly when signed in.\n\n- `a` (string): A.\n",
        "# Shop\n\n## pay\nPay. Only when signed in.\n\n### Params\n- `a` (string): A.\n",
    ),
    Rule(
        "misplaced-version",
        Severity.WARNING,
        "A line like `*Version: 1.2*` does not stand directly below the title.",
        "Only there is it the version of the manifest; elsewhere it is text, and the version stays "
        "`0.1`.",
        "# Shop\n\nGroceries.\n\n*Version: 1.2*\n\n## pay\nPay.\n\n### Params\n",
        "# Shop\n\n*Version: 1.2*\n\nGroceries.\n\n## pay\nPay.\n\n### Params\n",
    ),
    Rule(
        "nested-too-deep",
        Severity.WARNING,
        "A parameter has fields in more than six levels, or a list or quote stands in a hundred.",
        "What is nested deeper is read as text, so that any file is read in reasonable time: a "
        "field is then part of the description of the one around it.",
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (object): A.\n"
        + "".join(
            f"{'  ' * depth}- `{name}` (object): Part.\n" for depth, name in enumerate("bcdefgh", 1)
        ),
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (A): A.\n\n"
        "## Types\n\n```typescript\ninterface A { b: string }\n```\n",
    ),
    Rule(
        "unknown-behavior",
        Severity.WARNING,
        "A bullet under `### Behavior` says nothing that is known.",
        "What a tool does to the world decides whether a person is asked before it is called; a "
        "misspelt line decides nothing.",
        "# Shop\n\n## pay\nPay.\n\n### Params\n\n### Behavior\n- effect: dangerous\n",
        "# Shop\n\n## pay\nPay.\n\n### Params\n\n### Behavior\n- effect: irreversible\n",
    ),
    Rule(
        "large-tool",
        Severity.WARNING,
        "A tool takes more than 2,000 tokens of a model's context, by estimate.",
        "All of it is sent with every request, and the more there is, the worse a model follows it.",
        "# Shop\n\n## pay\n" + "All there is to say about payments. " * 300 + "\n\n### Params\n",
        "# Shop\n\n## pay\nPay for what is in the cart.\n\n### Params\n",
    ),
    Rule(
        "comment-closing",
        Severity.INFO,
        "A text holds `*/`, which ends a comment in TypeScript.",
        "Agents are shown texts in the comments of declarations; there it is written `*\\/`.",
        "# Shop\n\n## accept\nTakes `*/*` or a type.\n\n### Params\n",
        "# Shop\n\n## accept\nTakes any type, or one.\n\n### Params\n",
    ),
)
