/** Memory that a program has given back to the heap, and its old contents. */
import { heapEnd, type WasmModule } from "./emscripten.ts";

/** Bytes that are asked for at first; the end of the heap moves by twice as much at most. */
const MOST = 1 << 17;
const LEAST = 16;

/** Overwrite what is free in the heap with zeros, so that no image of the memory holds it. */
export function clearFreed(module: WasmModule): void {
  const taken: number[] = [];
  for (let size = MOST; size >= LEAST; size >>>= 1) {
    for (;;) {
      const end = heapEnd(module);
      const place = module._malloc(size);
      taken.push(place);
      if (heapEnd(module) !== end) break;
      module.HEAPU8.fill(0, place, place + size);
    }
  }
  for (const place of taken) module._free(place);
}
