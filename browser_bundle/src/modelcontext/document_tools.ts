/** A document's tools, its `modelContext`, and whether it may have tools. */
import { DocumentTree, type DocumentPort, type FindPeer } from "./frames/document_tree.ts";
import { Permission } from "./frames/permissions_policy.ts";
import { ToolMap, type ListedTool } from "./realm/tool_map.ts";
import { hasOpenDomain, TaskQueue, type Realm } from "./realm/window_realm.ts";
import type { ToolEventConstructor } from "./tool_events.ts";

/** The classes of one realm. */
interface Interfaces {
  readonly activated: ToolEventConstructor;
  readonly cancelled: ToolEventConstructor;
  /** Creates the object that the page sees. */
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
    // In Firefox a reused window is still the view of its earlier document, too.
    return defaultView === this.realm && this.realm.document === this.#document && !defaultView.closed;
  }

  /** Whether the document may have tools, and its permission is known. */
  get usable(): boolean {
    return this.problem() === null && this.permission?.granted === true;
  }

  /** The tools as other documents of the same origin see them. */
  get listed(): readonly ListedTool[] {
    return this.usable ? this.tools.list(null) : [];
  }

  /** Why the document cannot have tools, or null; a pending permission is not a problem. */
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

  /** The problem; a promise of it while the permission is pending. */
  gate(): DOMException | null | Promise<DOMException | null> {
    const problem = this.problem();
    if (problem || this.permission?.granted) return problem;
    return this.settled().then((granted) => this.problem() ?? (granted ? null : this.#denied()));
  }

  /** Whether the document may have tools, once its parent has answered. */
  settled(): Promise<boolean> {
    return this.permission?.settled() ?? Promise.resolve(false);
  }

  /** Runs the task after the current code and all earlier tasks. */
  queue(task: () => void): void {
    this.#tasks.add(task);
  }

  /** Fires `toolchange` in a task: tools that the page can see have changed. */
  fireToolChange(): void {
    this.#tasks.add(() => {
      if (this.usable) this.context.dispatchEvent(new this.realm.Event("toolchange"));
    });
  }

  /** Fires `toolactivated`, after the synchronous part of the tool's function. */
  fireActivated(toolName: string): void {
    this.#tasks.addEnding(() => this.#fire(this.#interfaces.activated, "toolactivated", toolName));
  }

  fireCancelled(toolName: string): void {
    this.#fire(this.#interfaces.cancelled, "toolcancel", toolName);
  }

  /** Fires `toolcancel` at the window alone: browsers that reported a reset did so there. */
  fireReset(toolName: string): void {
    this.realm.dispatchEvent(new this.#interfaces.cancelled("toolcancel", { toolName }));
  }

  #fire(ToolEvent: ToolEventConstructor, type: string, toolName: string): void {
    // Earlier browsers fired them at the window.
    for (const target of [this.context, this.realm]) {
      if (this.active) target.dispatchEvent(new ToolEvent(type, { toolName }));
    }
  }

  #denied(): DOMException {
    return new this.realm.DOMException(
      'Tools are not allowed in this frame: it needs `allow="tools"`.',
      "NotAllowedError",
    );
  }
}
