// Asking for the same again and again, while somebody looks.

/** A page that can be out of sight; the document is one. */
export interface Seen extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly hidden: boolean;
}

/** What does not change is asked for more and more seldom, up to so many times the time between two calls. */
const SELDOM = 4;
const SLOWER = 1.5;

/**
 * Calls `ask` now and `everyMs` after each answer, one call at a time and none while the page is hidden, until the
 * returned function is called. While it answers `same` it is called less often, and what takes long to answer is given
 * as long a rest. A page that comes into sight again asks at once, unless an answer is on its way. `ask` does not reject.
 */
export function poll(ask: () => Promise<"same" | void>, everyMs: number, page: Seen): () => void {
  let over = false;
  let asking = false;
  let factor = 1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    clearTimeout(timer);
    if (over || asking || page.hidden) return;
    asking = true;
    const began = performance.now();
    const answer = await ask();
    asking = false;
    factor = answer === "same" ? Math.min(SELDOM, factor * SLOWER) : 1;
    const rest = Math.min(SELDOM * everyMs, Math.floor(performance.now() - began));
    if (!over) timer = setTimeout(look, Math.max(everyMs * factor, rest));
  };
  const seen = () => {
    factor = 1;
    void look();
  };
  page.addEventListener("visibilitychange", seen);
  void look();
  return () => {
    over = true;
    clearTimeout(timer);
    page.removeEventListener("visibilitychange", seen);
  };
}
