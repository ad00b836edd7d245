interface Scheduler {
  yield(): Promise<void>;
}

/** Let the page do something else before more is done, where the browser can. */
export async function pause(): Promise<void> {
  await (globalThis as { scheduler?: Scheduler }).scheduler?.yield();
}
