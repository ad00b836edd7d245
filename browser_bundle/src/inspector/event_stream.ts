/** Reads `text/event-stream` (HTML, section 9.2.6) as far as our server writes it. */

export interface StreamEvent {
  name: string;
  data: string;
}

export class EventStreamReader {
  #rest = "";

  /** Take what has come; return the events that are whole now. */
  take(chunk: string): StreamEvent[] {
    // A CR at the very end may be half of a CRLF: it waits for what follows.
    const text = this.#rest + chunk;
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    const blocks = whole.replace(/\r\n?/g, "\n").split("\n\n");
    this.#rest = (blocks.pop() ?? "") + text.slice(whole.length);
    return blocks.map(eventOf).filter((event) => event !== undefined);
  }
}

function eventOf(block: string): StreamEvent | undefined {
  let name = "message";
  const data: string[] = [];
  for (const one of block.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(one) ?? [];
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length > 0 ? { name, data: data.join("\n") } : undefined;
}
