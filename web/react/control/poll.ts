// Asking for the same again and again, while somebody looks.

/** A page that can be out of sight; the document is one. */
export interface Seen extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly hidden: boolean;
}

/** What does not change is asked for more and more seldom, up to so many times the time between two calls. */
const SELDOM = 4;
const SLOWER = 1.5;

/** How long is waited after news: more may come with it, in milliseconds. */
const SETTLE_MS = 100;
/** The time between two calls that news brings, at least; news that changes no answer makes it longer, up to the most. */
const APART_MS = 500;
const APART_MOST_MS = 5_000;

export interface Poll {
  /** No call begins after it. */
  end(): void;
  /** Something may have changed: asks soon, once for however much news comes until then. */
  soon(): void;
}

/**
 * Calls `ask` now and `everyMs` after each answer, one call at a time and none while the page is hidden, until it is
 * ended. While it answers `same` it is called less often, and what takes long to answer is given as long a rest. A page
 * that comes into sight again asks at once, unless an answer is on its way. `ask` does not reject. Where `steadyMs`
 * answers a time, that is the time after this answer, same or not: calls are made by news, and these make up for lost ones.
 */
export function poll(ask: () => Promise<"same" | void>, everyMs: number, page: Seen, steadyMs: () => number | undefined = () => undefined): Poll {
  let over = false;
  let asking = false;
  /** There is news that no call has been made for. */
  let news = false;
  let factor = 1;
  let sames = 0;
  let began = -Infinity;
  let took = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = () => Math.min(SELDOM * (steadyMs() ?? everyMs), took);
  const arm = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(look, ms);
  };
  const armSoon = () => {
    const apart = Math.min(APART_MOST_MS, APART_MS * 2 ** Math.max(0, sames - 1));
    arm(Math.max(SETTLE_MS, began + apart - performance.now(), began + took + rest() - performance.now()));
  };
  const look = async () => {
    clearTimeout(timer);
    if (over || asking || page.hidden) return;
    asking = true;
    news = false;
    began = performance.now();
    const answer = await ask();
    asking = false;
    took = Math.floor(performance.now() - began);
    sames = answer === "same" ? sames + 1 : 0;
    factor = answer === "same" ? Math.min(SELDOM, factor * SLOWER) : 1;
    if (over) return;
    if (news) armSoon();
    else arm(Math.max(steadyMs() ?? everyMs * factor, rest()));
  };
  const seen = () => {
    factor = 1;
    void look();
  };
  page.addEventListener("visibilitychange", seen);
  void look();
  return {
    end: () => {
      over = true;
      clearTimeout(timer);
      page.removeEventListener("visibilitychange", seen);
    },
    soon: () => {
      if (over || news || page.hidden) return;
      news = true;
      if (!asking) armSoon();
    },
  };
}
