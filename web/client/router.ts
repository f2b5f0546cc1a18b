// Which thread a frame is about. Threads share a socket without an envelope: what says so is the last ws.stream frame.

import type { Feed } from "./feed.js";
import type { ControlFrame, WireEvent } from "./frames.js";

/** Events that are in no log, until they have all come. */
interface Block {
  threadId: string;
  left: number;
  events: WireEvent[];
}

/** Router hands each event and each control frame of a socket to the feed of its thread; to none where nobody has one. */
export class Router {
  private readonly feeds = new Map<string, Feed>();
  private streamed?: string;
  private block?: Block;

  /** All feeds, as of the call. */
  all(): Feed[] {
    return [...this.feeds.values()];
  }

  /** The feed of a thread, made by `make` when there is none. */
  feed(threadId: string, make: () => Feed): Feed {
    let feed = this.feeds.get(threadId);
    if (!feed) {
      feed = make();
      this.feeds.set(threadId, feed);
    }
    return feed;
  }

  drop(feed: Feed): void {
    if (this.feeds.get(feed.threadId) === feed) this.feeds.delete(feed.threadId);
  }

  /** The socket is gone: nothing is streamed, and a block that has not come whole is none. */
  reset(): void {
    this.streamed = undefined;
    this.block = undefined;
  }

  event(event: WireEvent): void {
    const { block } = this;
    if (!block) {
      if (this.streamed !== undefined) this.feeds.get(this.streamed)?.counted(event);
      return;
    }
    block.events.push(event);
    if (--block.left > 0) return;
    this.block = undefined;
    this.feeds.get(block.threadId)?.uncounted(block.events);
  }

  control(frame: ControlFrame): void {
    switch (frame.type) {
      case "ws.pong":
        for (const [threadId, seq] of Object.entries(frame.positions ?? {})) this.feeds.get(threadId)?.writtenUpTo(seq);
        return;
      case "ws.stream":
        this.streamed = frame.threadId;
        this.feeds.get(frame.threadId)?.stream(frame);
        this.block = frame.uncounted ? { threadId: frame.threadId, left: frame.uncounted, events: [] } : undefined;
        return;
      case "ws.error":
        for (const feed of this.feeds.values()) if (feed.refusal(frame)) return;
        console.warn(`[aguiws] ${frame.code}: ${frame.message}`);
        return;
      default:
        if ("threadId" in frame) this.feeds.get(frame.threadId)?.control(frame);
    }
  }
}
