/** The tools of all frames, in the order of registration. */
import { composedName, keyOf, keyText, type Key } from "./definition.ts";
import type { SerializableToolDefinition } from "./public.d.ts";

/** A tool and the frame that offers it. */
export interface Entry {
  /** Number of the frame, in the order of arrival. */
  frame: number;
  origin: string;
  tool: SerializableToolDefinition;
}

/** A tool that was removed. */
export interface Removal extends Key {
  frame: number;
}

/** The removal of an entry. */
export function removalOf({ frame, tool }: Entry): Removal {
  return { frame, ...keyOf(tool) };
}

export class Catalogue {
  /** A `Map` keeps the position of a key that is set again, so a replaced tool keeps its age. */
  #entries = new Map<string, Entry>();

  add(entry: Entry): void {
    this.#entries.set(textOf(entry.frame, entry.tool), entry);
  }

  /** Remove a tool; false when it was not there. */
  remove({ frame, ...key }: Removal): boolean {
    return this.#entries.delete(textOf(frame, key));
  }

  get(frame: number, key: Key): Entry | undefined {
    return this.#entries.get(textOf(frame, key));
  }

  /** All tools, or those of one frame, the oldest first. */
  entries(frame?: number): Entry[] {
    const all = [...this.#entries.values()];
    return frame === undefined ? all : all.filter((entry) => entry.frame === frame);
  }

  /** Each component and name once, as a frame would call it: its own tool, else the oldest. */
  list(own: number): SerializableToolDefinition[] {
    const seen = new Map<string, Entry>();
    for (const entry of this.#entries.values()) {
      const text = keyText(entry.tool);
      if (entry.frame === own || !seen.has(text)) seen.set(text, entry);
    }
    const named = [...seen].map(
      ([text, { tool }]) => [`${composedName(tool)} ${text}`, tool] as const,
    );
    return named.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tool]) => tool);
  }

  /**
   * The tool that a frame means by a name, bare or composed.
   *
   * The frame's own tool comes first, else the oldest one decides the frame, so that no frame can
   * displace the tool of another. Within a frame the composed name takes precedence over the bare one.
   */
  find(name: string, own: number): Entry | undefined {
    const matches = this.entries().filter(
      ({ tool }) => tool.name === name || composedName(tool) === name,
    );
    const frame = (matches.find((entry) => entry.frame === own) ?? matches[0])?.frame;
    const there = matches.filter((entry) => entry.frame === frame);
    return there.find(({ tool }) => composedName(tool) === name) ?? there[0];
  }
}

function textOf(frame: number, key: Key): string {
  return `${frame}/${keyText(key)}`;
}
