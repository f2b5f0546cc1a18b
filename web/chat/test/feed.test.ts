// The page's feed of notices: it comes back where it was, not too often, and not for nobody.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Feed, type End, type FeedOptions, type Hear } from "../src/server/feed";
import { poll } from "../../react/control/poll";

class Page extends EventTarget {
  hidden = false;

  show(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** A stream that the server has opened. */
interface Opened {
  path: string;
  signal: AbortSignal;
  say(text: string): Promise<void>;
  end(): Promise<void>;
}

const flush = () => vi.advanceTimersByTimeAsync(0);

/** A server, whose `next` answers are taken first: a status, or "away"; then it streams. */
function server() {
  const opened: Opened[] = [];
  const next: Array<number | "away" | "html"> = [];
  const open: FeedOptions["open"] = async (path, signal) => {
    const answer = next.shift();
    let to!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (control) => void (to = control) });
    let over = false;
    signal.addEventListener("abort", () => {
      if (!over) to.error(new DOMException("aborted", "AbortError"));
      over = true;
    });
    opened.push({
      path,
      signal,
      say: async (text) => {
        to.enqueue(new TextEncoder().encode(text));
        await flush();
      },
      end: async () => {
        over = true;
        to.close();
        await flush();
      },
    });
    if (answer === "away") throw new TypeError("failed to fetch");
    if (answer === "html") return new Response("<p>", { headers: { "Content-Type": "text/html" } });
    if (answer !== undefined) return new Response("{}", { status: answer });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  return { open, opened, next, last: () => opened.at(-1)! };
}

const notice = (kind: string) => ({ id: "n", kind, threadId: "t", namespace: "ns" });
const page = (cursor: string, ...kinds: string[]) => `id: ${cursor}\ndata: ${JSON.stringify({ items: kinds.map(notice) })}\n\n`;

function feedOf(options: Partial<FeedOptions> = {}) {
  const to = server();
  const seen = new Page();
  const feed = new Feed({ open: to.open, page: seen, random: () => 0.5, ...options });
  return { ...to, seen, feed };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("tells each watcher the kinds it wants, by one stream for all of them", async () => {
  const { feed, opened, last } = feedOf();
  const [one, other] = [vi.fn<Hear>(), vi.fn<Hear>()];
  feed.watch(["interrupt.opened"], one);
  feed.watch(["run.ended", "interrupt.opened"], other);
  await flush();
  expect(opened.map(({ path }) => path)).toEqual(["/notices?kind=interrupt.opened,run.ended"]);
  expect(feed.live).toBe(false);
  await last().say("id: c1\n\n");
  expect(feed.live).toBe(true);
  // What was read before the stream was there may be old.
  expect(one.mock.calls).toEqual([[undefined]]);
  await last().say(page("c2", "run.ended"));
  await last().say(page("c3", "interrupt.opened", "run.ended"));
  expect(one.mock.calls.slice(1)).toEqual([[[notice("interrupt.opened")]]]);
  expect(other.mock.calls.slice(1)).toEqual([[[notice("run.ended")]], [[notice("interrupt.opened"), notice("run.ended")]]]);
});

it("comes back where it was, and has nobody look then", async () => {
  const { feed, opened, last } = feedOf();
  const hear = vi.fn<Hear>();
  feed.watch(["run.ended"], hear);
  await flush();
  await last().say(page("c=1", "run.ended"));
  await last().end();
  expect(feed.live).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened.map(({ path }) => path)).toEqual(["/notices?kind=run.ended", "/notices?kind=run.ended&after=c%3D1"]);
  hear.mockClear();
  await last().say("id: c2\n\n");
  expect(feed.live).toBe(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(hear).not.toHaveBeenCalled();
});

it.each([
  ["it was away for long", async ({ seen }: ReturnType<typeof feedOf>) => {
    seen.show(true);
    await vi.advanceTimersByTimeAsync(61_000);
    seen.show(false);
    await flush();
  }],
  ["the store does not know the cursor", async ({ next, last }: ReturnType<typeof feedOf>) => {
    next.push(400);
    await last().end();
    await vi.advanceTimersByTimeAsync(4_000);
  }],
])("begins anew when %s, and has everybody look", async (_, happens) => {
  const all = feedOf();
  const hear = vi.fn<Hear>();
  all.feed.watch(["run.ended"], hear);
  await flush();
  await all.last().say("id: c1\n\n");
  hear.mockClear();
  await happens(all);
  expect(all.last().path).toBe("/notices?kind=run.ended");
  await all.last().say("id: c9\n\n");
  expect(hear.mock.calls).toEqual([[undefined]]);
});

it.each([`id: c1\ndata: {"items":[],"missed":true}\n\n`, "id: c1\ndata: no json\n\n"])("has everybody look when notices are missing: %j", async (text) => {
  const { feed, last } = feedOf();
  const hear = vi.fn<Hear>();
  feed.watch(["run.ended"], hear);
  await flush();
  await last().say(": here\n\n");
  hear.mockClear();
  await last().say(text);
  expect(hear.mock.calls).toEqual([[undefined]]);
});

it("waits longer and longer for a server that is away, and begins with short waits when a stream has held", async () => {
  const { feed, opened, next, last } = feedOf();
  feed.watch(["run.ended"], () => {});
  next.push("away", 503, "away", 429, 500, "away", "away");
  await flush();
  for (const [i, wait] of [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
    expect(opened.length).toBe(i + 1);
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(opened.length).toBe(i + 1);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(opened.length).toBe(8);
  await last().say("id: c1\n\n");
  await vi.advanceTimersByTimeAsync(6_000);
  await last().end();
  await vi.advanceTimersByTimeAsync(500);
  expect(opened.length).toBe(9);
  // One that ends at once is no reason for haste.
  await last().end();
  await vi.advanceTimersByTimeAsync(999);
  expect(opened.length).toBe(9);
});

it("has its watchers look once when it is gone for a while", async () => {
  const { feed, next } = feedOf();
  const hear = vi.fn<Hear>();
  next.push("away", "away", "away", "away", "away", "away");
  feed.watch(["run.ended"], hear);
  await flush();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(hear).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(hear.mock.calls).toEqual([[undefined]]);
});

it("gives up a stream of which nothing comes", async () => {
  const { feed, opened, last } = feedOf();
  feed.watch(["run.ended"], () => {});
  await flush();
  await last().say("id: c1\n\n");
  for (let i = 0; i < 4; i++) {
    await vi.advanceTimersByTimeAsync(15_000);
    await last().say(": keep-alive\n\n");
  }
  expect(opened.length).toBe(1);
  await vi.advanceTimersByTimeAsync(45_000);
  expect([opened[0]!.signal.aborted, feed.live]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(last().path).toBe("/notices?kind=run.ended&after=c1");
});

it.each([[401, Infinity], [403, Infinity], [404, 300_000], [501, 300_000], ["html" as const, 300_000]])(
  "does not ask again soon where there are no notices to be had: %s",
  async (answer, ms) => {
    const { feed, opened, next, seen } = feedOf();
    feed.watch(["run.ended"], () => {});
    next.push(answer);
    await flush();
    await vi.advanceTimersByTimeAsync(299_000);
    expect(opened.length).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(opened.length).toBe(ms === Infinity ? 1 : 2);
    if (ms !== Infinity) return;
    seen.show(true);
    seen.show(false);
    await flush();
    expect(opened.length).toBe(1);
    feed.restart();
    await flush();
    expect(opened.length).toBe(2);
  },
);

it.each([401, 403])("has its watchers look at once when it is not let in any more: %d", async (status) => {
  const { feed, next, opened, last } = feedOf();
  const hear = vi.fn<Hear>();
  feed.watch(["run.ended"], hear);
  await flush();
  await last().say("id: c1\n\n");
  hear.mockClear();
  next.push(status);
  await last().end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([opened.length, feed.live, hear.mock.calls]).toEqual([2, false, [[undefined]]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hear).toHaveBeenCalledTimes(1);
});

it("begins anew for somebody else", async () => {
  const { feed, opened, last } = feedOf();
  feed.watch(["run.ended"], () => {});
  await flush();
  await last().say("id: c1\n\n");
  feed.restart();
  await flush();
  expect(opened[0]!.signal.aborted).toBe(true);
  expect(last().path).toBe("/notices?kind=run.ended");
});

it("holds no stream while the page is hidden or nobody watches, and goes on where it was", async () => {
  const { feed, seen, opened, last } = feedOf();
  const unwatch = feed.watch(["run.ended"], () => {});
  await flush();
  await last().say("id: c1\n\n");
  seen.show(true);
  expect(opened[0]!.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(opened.length).toBe(1);
  seen.show(false);
  await flush();
  expect(last().path).toBe("/notices?kind=run.ended&after=c1");
  unwatch();
  await flush();
  expect(last().signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(opened.length).toBe(2);
});

it("goes on for those who want to hear while the page is hidden, and in the place of a hidden one", async () => {
  const places: boolean[] = [];
  const place: FeedOptions["place"] = (stream, hidden) => {
    places.push(hidden);
    return stream();
  };
  const { feed, seen, opened, last } = feedOf({ place });
  const [unseen, other] = [vi.fn<Hear>(), vi.fn<Hear>()];
  feed.watch(["interrupt.opened"], unseen, { unseen: true });
  feed.watch(["interrupt.opened", "run.ended"], other);
  await flush();
  await last().say("id: c1\n\n");
  seen.show(true);
  await flush();
  expect(opened.map(({ path, signal }) => [path, signal.aborted])).toEqual([
    ["/notices?kind=interrupt.opened,run.ended", true],
    ["/notices?kind=interrupt.opened&after=c1", false],
  ]);
  await last().say(page("c2", "interrupt.opened"));
  expect(unseen.mock.lastCall).toEqual([[notice("interrupt.opened")]]);
  seen.show(false);
  await flush();
  expect(last().path).toBe("/notices?kind=interrupt.opened,run.ended&after=c2");
  expect(places).toEqual([false, true, false]);
});

it("does without where other tabs hold the streams, and tries again", async () => {
  let free = false;
  const { feed, opened } = feedOf({ place: (stream: () => Promise<End>) => (free ? stream() : Promise.resolve(undefined)) });
  feed.watch(["run.ended"], () => {});
  await vi.advanceTimersByTimeAsync(2_500);
  expect(opened.length).toBe(0);
  free = true;
  await vi.advanceTimersByTimeAsync(4_000);
  expect(opened.length).toBe(1);
});

it("tries again where asking for a place fails", async () => {
  let fails = true;
  const place = async (stream: () => Promise<End>) => {
    if (fails) throw new DOMException("no", "SecurityError");
    return stream();
  };
  const { feed, opened, seen } = feedOf({ place });
  feed.watch(["run.ended"], () => {});
  await vi.advanceTimersByTimeAsync(400);
  expect(opened.length).toBe(0);
  seen.show(true);
  seen.show(false);
  await flush();
  fails = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened.length).toBe(1);
});

it("makes few readings of a flood of notices, the last of them after its end", async () => {
  const { feed, last } = feedOf();
  const asked: number[] = [];
  const ask = vi.fn(async () => {
    asked.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  const { soon, end } = poll(ask, 60_000, new Page());
  feed.watch(["run.ended"], () => soon());
  await flush();
  await last().say("id: c0\n\n");
  await vi.advanceTimersByTimeAsync(2_000);
  ask.mockClear();
  await last().say(page("c1", "run.ended"));
  await vi.advanceTimersByTimeAsync(150);
  expect(ask).toHaveBeenCalledTimes(1);
  for (let i = 0; i < 1_000; i++) {
    await last().say(page(`c${i}`, "run.ended"));
    await vi.advanceTimersByTimeAsync(2);
  }
  const over = performance.now();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ask.mock.calls.length).toBeLessThanOrEqual(7);
  expect(asked.at(-1)).toBeGreaterThan(over);
  end();
});

it("opens no stream that is not wanted any more when its place is had", async () => {
  let granted!: () => void;
  const had = new Promise<void>((done) => (granted = done));
  const { feed, opened, last } = feedOf({ place: async (stream) => (await had, stream()) });
  feed.watch(["run.ended"], () => undefined);
  await flush();
  feed.restart();
  granted();
  await flush();
  await last().say("id: c1\n\n");
  expect([feed.live, opened.length]).toEqual([true, 1]);
});
