/** Scripts that are loaded late export what their users expect; `tsc` checks these types. */
import type { MainThreadScript, WorkerScript } from "../src/boot/runtime.ts";
import type { Camera, Picture } from "../src/dom/read/protocol.ts";
import type { PanelScript } from "../src/run/person.ts";

type Exports<Module extends Script, Script> = Module;

export type Boot = Exports<typeof import("../src/boot/main_thread.ts"), MainThreadScript>;
export type Far = Exports<typeof import("../src/boot/worker_client.ts"), WorkerScript>;
export type Marks = Exports<
  typeof import("../src/dom/screenshot/marks.ts"),
  { addMarks(data: string, text: string): Promise<Picture> }
>;
export type Panel = Exports<typeof import("../src/panel/panel.ts"), PanelScript>;
export type Screenshot = Exports<typeof import("../src/dom/screenshot/index.ts"), Camera>;
