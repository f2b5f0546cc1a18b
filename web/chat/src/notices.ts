// The page's one feed of notices, and what its lists want to hear.

import { request, type News } from "./api";
import { Feed, type End } from "./feed";
import { whenOver } from "./session";

/** So many of a browser's tabs hold a stream at once: over HTTP/1.1 they share six connections to a server. */
const STREAMS = 3;

/** Holds one of the places that all tabs of the page share; where the browser has no locks, every tab has one. */
async function place(stream: () => Promise<End>): Promise<End | undefined> {
  if (!navigator.locks) return stream();
  for (let n = 0; n < STREAMS; n++) {
    let had = false;
    const end = await navigator.locks.request(`aguiws:notices:${n}`, { ifAvailable: true }, (lock) => {
      had = lock !== null;
      return had ? stream() : undefined;
    });
    if (had) return end;
  }
  return undefined;
}

let feed: Feed | undefined;

function theFeed(): Feed {
  feed ??= new Feed({
    open: (path, signal) => request(path, { headers: { Accept: "text/event-stream" }, cache: "no-store", signal }),
    page: document,
    place,
  });
  whenOver(restart);
  return feed;
}

const restart = () => feed?.restart();

function newsOf(...kinds: string[]): News {
  return {
    live: () => theFeed().live,
    watch: (told) => theFeed().watch(kinds, () => told()),
  };
}

const OPEN = ["interrupt.opened", "interrupt.decided", "interrupt.expired", "interrupt.cancelled", "interrupt.reopened", "thread.deleted"];

/** How many threads wait. */
export const ofWaiting = newsOf(...OPEN);

/** What waits, and what of it has been answered in part. */
export const ofInbox = newsOf(...OPEN, "interrupt.drafted");

/** What has been decided. */
export const ofDecisions = newsOf("interrupt.decided", "interrupt.expired", "interrupt.cancelled");

/** Whether threads wait or work. */
export const ofThreads = newsOf(...OPEN, "run.started", "run.ended", "dispatch.dead");
