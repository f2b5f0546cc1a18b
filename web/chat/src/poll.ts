// Asking for the same again and again, while somebody looks.

/** A page that can be out of sight; the document is one. */
export interface Seen extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly hidden: boolean;
}

/**
 * Calls `ask` now and `everyMs` after each answer, one call at a time and none while the page is hidden, until the
 * returned function is called. A page that comes into sight again asks at once, unless an answer is on its way.
 * `ask` does not reject.
 */
export function poll(ask: () => Promise<void>, everyMs: number, page: Seen): () => void {
  let over = false;
  let asking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    clearTimeout(timer);
    if (over || asking || page.hidden) return;
    asking = true;
    await ask();
    asking = false;
    if (!over) timer = setTimeout(look, everyMs);
  };
  const seen = () => void look();
  page.addEventListener("visibilitychange", seen);
  void look();
  return () => {
    over = true;
    clearTimeout(timer);
    page.removeEventListener("visibilitychange", seen);
  };
}
