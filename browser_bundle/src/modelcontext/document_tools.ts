/** One document: its tools, its `modelContext`, and whether it may have any. */
import { DocumentTree, type DocumentPort, type FindPeer } from "./frames/document_tree.ts";
import { Permission } from "./frames/permissions_policy.ts";
import { ToolMap, type ListedTool } from "./realm/tool_map.ts";
import { hasOpenDomain, TaskQueue, type Realm } from "./realm/window_realm.ts";
import type { ToolEventConstructor } from "./tool_events.ts";

/** The classes of one realm. */
interface Interfaces {
  readonly activated: ToolEventConstructor;
  readonly cancelled: ToolEventConstructor;
  /** Makes the object that the page sees. */
  context(owner: DocumentTools): EventTarget;
}

export class DocumentTools implements DocumentPort {
  readonly realm: Realm;
  readonly tools: ToolMap;
  readonly tree: DocumentTree;
  readonly context: EventTarget;
  /** The permission of the document; undefined when no window shows it. */
  readonly permission: Permission | undefined;
  readonly #document: Document;
  readonly #interfaces: Interfaces;
  readonly #tasks: TaskQueue;

  constructor(document: Document, realm: Realm, interfaces: Interfaces, peer: FindPeer) {
    this.realm = realm;
    this.#document = document;
    this.#interfaces = interfaces;
    this.#tasks = new TaskQueue(realm);
    this.tree = new DocumentTree(this, peer);
    this.tools = new ToolMap(
      () => this.problem() === null,
      (exposedTo) => this.tree.announce(exposedTo),
    );
    this.context = interfaces.context(this);
    if (!this.active) return;
    this.tree.enter();
    const parent = realm.parent === realm ? undefined : peer(realm.parent);
    this.permission = new Permission(realm, this.tree.exchange, parent?.permission);
  }

  /** Whether a window shows the document. */
  get active(): boolean {
    const { defaultView } = this.#document;
    // In Firefox a window that is used again is still the view of its earlier document, too.
    return defaultView === this.realm && this.realm.document === this.#document && !defaultView.closed;
  }

  /** Whether the document may have tools, for all that is known, and is known to be allowed. */
  get usable(): boolean {
    return this.problem() === null && this.permission?.granted === true;
  }

  /** What other documents of the same origin see of the tools. */
  get listed(): readonly ListedTool[] {
    return this.usable ? this.tools.list(null) : [];
  }

  /** Why the document cannot have tools, or null; a permission that is asked for is no problem. */
  problem(): DOMException | null {
    const { DOMException } = this.realm;
    if (!this.active) return new DOMException("The document is not active.", "InvalidStateError");
    if (hasOpenDomain(this.realm)) {
      return new DOMException(
        "document.modelContext cannot be used when document.domain is enabled.",
        "SecurityError",
      );
    }
    return this.permission?.granted === false ? this.#denied() : null;
  }

  /** The problem, as a promise while the parent is asked for its permission. */
  gate(): DOMException | null | Promise<DOMException | null> {
    const problem = this.problem();
    if (problem || this.permission?.granted) return problem;
    return this.settled().then((granted) => this.problem() ?? (granted ? null : this.#denied()));
  }

  /** Whether the document may have tools, once its parent has said. */
  settled(): Promise<boolean> {
    return this.permission?.settled() ?? Promise.resolve(false);
  }

  /** Runs the task after what runs now and what was queued before. */
  queue(task: () => void): void {
    this.#tasks.add(task);
  }

  /** Tells the page, in a task, that tools that it can see have changed. */
  fireToolChange(): void {
    this.#tasks.add(() => {
      if (this.usable) this.context.dispatchEvent(new this.realm.Event("toolchange"));
    });
  }

  /** Tells the page that a tool runs, once what its function did at first is done. */
  fireActivated(toolName: string): void {
    this.#tasks.addEnding(() => this.#fire(this.#interfaces.activated, "toolactivated", toolName));
  }

  fireCancelled(toolName: string): void {
    this.#fire(this.#interfaces.cancelled, "toolcancel", toolName);
  }

  #fire(ToolEvent: ToolEventConstructor, type: string, toolName: string): void {
    if (this.active) this.context.dispatchEvent(new ToolEvent(type, { toolName }));
  }

  #denied(): DOMException {
    return new this.realm.DOMException(
      'Tools are not allowed in this frame: it needs `allow="tools"`.',
      "NotAllowedError",
    );
  }
}
