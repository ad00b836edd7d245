/** The numbers of elements: given at first sight, kept as long as the element lives, never given again. */
export class Numbers {
  readonly #numbers = new WeakMap<Element, number>();
  readonly #elements = new Map<number, WeakRef<Element>>();
  #last = 0;

  /** The element's number; a new one if it has none. */
  of(element: Element): number {
    const known = this.#numbers.get(element);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(element, this.#last);
    this.#elements.set(this.#last, new WeakRef(element));
    return this.#last;
  }

  /** The element of a number, also when it was taken out of the page; undefined when nothing is left of it. */
  element(number: number): Element | undefined {
    const element = this.#elements.get(number)?.deref();
    if (!element) this.#elements.delete(number);
    return element;
  }

  /** Whether the number was ever given. */
  wasGiven(number: number): boolean {
    return Number.isInteger(number) && number > 0 && number <= this.#last;
  }
}
