/** The nodes of a parsed program, loosely typed for a walk over all of them. */

export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const NO_CHILDREN = new Set(["loc", "extra", "errors", "tokens", "comments"]);

/** Whether a value is a node. */
function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The nodes directly below a node, in the order of its fields. */
export function* children(node: Node): Generator<Node> {
  for (const [field, value] of Object.entries(node)) {
    if (NO_CHILDREN.has(field) || field.endsWith("Comments")) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) yield item;
    } else if (isNode(value)) {
      yield value;
    }
  }
}

/** A node in a field that has one. */
export function child(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

/** The nodes of a field that has a list. */
export function list(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}
