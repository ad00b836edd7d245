/** Asks the server to open a file in the editor of whoever runs it. */

export interface Place {
  /** The manifest's name, or the path of a file that is served. */
  path: string;
  line: number;
  column: number;
}

/** Opens a place; says why not in one sentence, or nothing. */
export type OpenEditor = (place: Place) => Promise<string | undefined>;

/** @param live URL of the live channel, which holds the token of the page. */
export function editorBehind(live: string): OpenEditor {
  const url = new URL("editor", live);
  const token = new URL(live).searchParams.get("token") ?? "";
  return async (place) => {
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "x-webagent-token": token },
        body: JSON.stringify(place),
      });
      return answer.ok ? undefined : (await answer.text()).trim();
    } catch {
      return "the server does not answer - it opens the editor - start it again";
    }
  };
}
