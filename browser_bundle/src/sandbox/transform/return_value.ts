/** Makes a program return its last expression. */
import { child, children, list, type Node } from "./syntax_nodes.ts";
import type { Edits } from "./text_edits.ts";

const OWN_RETURNS = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ObjectMethod",
  "ClassMethod",
  "ClassPrivateMethod",
  "ClassDeclaration",
  "ClassExpression",
]);

/** Return the value of the program's last statement, unless the program returns something itself. */
export function returnLast(program: Node, edits: Edits): void {
  const body = list(program, "body").filter((statement) => statement.type !== "EmptyStatement");
  // In a program that is only a string, the parser takes it for a directive.
  const [last] = body.length ? body.slice(-1) : list(program, "directives").slice(-1);
  if (!last || returns(program)) return;
  if (body.length === 1 && isBareFunction(child(last, "expression"))) {
    const { start, end } = child(last, "expression") as Node;
    edits.insert(start, "return (");
    edits.insert(end, ")()");
    return;
  }
  giveValue(last, edits);
}

/** Whether a program is only `async () => { … }`; such a function is meant to be called. */
function isBareFunction(node: Node | undefined): boolean {
  const isFunction = node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";
  return isFunction && list(node, "params").length === 0 && node["generator"] !== true;
}

function returns(node: Node): boolean {
  if (node.type === "ReturnStatement") return true;
  if (OWN_RETURNS.has(node.type)) return false;
  for (const below of children(node)) if (returns(below)) return true;
  return false;
}

function giveValue(statement: Node, edits: Edits): void {
  switch (statement.type) {
    case "Directive":
    case "ExpressionStatement": {
      const inner = child(statement, "expression") ?? child(statement, "value");
      if (!inner) return;
      edits.insert(statement.start, "return (");
      const extra = inner["extra"] as { parenthesized?: boolean } | undefined;
      edits.insert(extra?.parenthesized ? endOf(statement, edits) : inner.end, ")");
      return;
    }
    case "BlockStatement": {
      const last = list(statement, "body").at(-1);
      if (last) giveValue(last, edits);
      return;
    }
    case "IfStatement":
    case "TryStatement": {
      for (const field of ["consequent", "alternate", "block"]) {
        const branch = child(statement, field);
        if (branch) giveValue(branch, edits);
      }
      const caught = child(statement, "handler");
      const handler = caught && child(caught, "body");
      if (handler) giveValue(handler, edits);
    }
  }
}

/** Where a statement ends, without its semicolon. */
function endOf(statement: Node, edits: Edits): number {
  return edits.at(statement.end - 1) === ";" ? statement.end - 1 : statement.end;
}
