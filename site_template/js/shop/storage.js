// Web storage that never throws: a browser may refuse it (private window, blocked
// cookies), and may return anything. The shop then works from memory.

function store(getArea) {
  const memory = new Map();
  return {
    read(key) {
      try {
        return JSON.parse(getArea().getItem(key)) ?? null;
      } catch {
        return memory.get(key) ?? null;
      }
    },
    write(key, value) {
      memory.set(key, value);
      try {
        getArea().setItem(key, JSON.stringify(value));
      } catch {
        // Kept in memory: good until the next page.
      }
    },
    remove(key) {
      memory.delete(key);
      try {
        getArea().removeItem(key);
      } catch {
        // Nothing was stored there.
      }
    },
  };
}

export const local = store(() => localStorage);
export const session = store(() => sessionStorage);
