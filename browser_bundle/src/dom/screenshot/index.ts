/** Takes pictures of pages without a driver. */
import { denied } from "../touch/refusal.ts";

export function capture(_target: Element): never {
  throw denied("no pictures are taken here");
}
