// The page's one feed of notices, and what its lists want to hear.

import { request, type Kept, type News } from "./api";
import { Feed } from "./feed";
import { placed } from "./places";
import { whenOver } from "./session";

let feed: Feed | undefined;

export function theFeed(): Feed {
  feed ??= new Feed({
    open: (path, signal) => request(path, { headers: { Accept: "text/event-stream" }, cache: "no-store", signal }),
    page: document,
    place: (stream, hidden) => placed(navigator.locks, stream, hidden),
  });
  whenOver(restart);
  return feed;
}

/** The lists of chats: a list that is drawn anew, beside another chat or in a wider window, is not empty meanwhile. */
const lists = new Map<string, Kept>();

const restart = () => {
  lists.clear();
  feed?.restart();
};

function newsOf(...kinds: string[]): News {
  return {
    live: () => theFeed().live,
    watch: (told) => theFeed().watch(kinds, () => told()),
  };
}

const OPEN = ["interrupt.opened", "interrupt.decided", "interrupt.expired", "interrupt.cancelled", "interrupt.reopened", "thread.deleted"];

/** How many threads wait. It is said in the title and the icon of a tab that is not looked at, too. */
export const ofCount: News = {
  live: () => theFeed().live,
  watch: (told) => theFeed().watch(OPEN, () => told(), { unseen: true }),
  unseen: true,
};

/** Which threads wait. */
export const ofWaiting = newsOf(...OPEN);

/** The same, for the list of chats. */
export const ofChatsWaiting: News = { ...ofWaiting, kept: lists };

/** Hears, whether or not the page is looked at, that threads have asked something. */
export function whenAsked(hear: () => void): () => void {
  return theFeed().watch(["interrupt.opened"], (notices) => notices && hear(), { unseen: true });
}

/** What waits, and what of it has been answered in part. Nothing tells that a time has come, and who looks at it. */
export const ofInbox: News = { ...newsOf(...OPEN, "interrupt.drafted"), safetyMs: 15_000 };

/** What has been decided. */
export const ofDecisions = newsOf("interrupt.decided", "interrupt.expired", "interrupt.cancelled");

/** Whether threads wait or work. Nothing tells of runs that are queued and of other titles. */
export const ofThreads: News = { ...newsOf(...OPEN, "run.started", "run.ended", "dispatch.dead"), safetyMs: 15_000, kept: lists };
