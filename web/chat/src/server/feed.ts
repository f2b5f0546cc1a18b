// Notices as the server tells them, for as long as somebody here wants them.

import { Backoff } from "../../../client/backoff";
import type { Seen } from "../../../react/control/poll";
import { Blocks, type Block } from "./sse";

export interface Notice {
  kind: string;
  threadId: string;
  namespace: string;
  /** The server's id of the run. */
  run?: string;
  how?: string;
}

/** Hears notices of its kinds; undefined says that some may have been missed: look at what is. */
export type Hear = (notices?: readonly Notice[]) => void;

export interface FeedOptions {
  /** Asks the control API for a path. */
  open: (path: string, signal: AbortSignal) => Promise<Response>;
  page: Seen;
  /**
   * Holds one of the few streams that a browser's tabs may have open, while `stream` is under way. Where there is none to
   * be had, it calls nothing and answers undefined; one that rejects is asked again like a stream that is lost. `hidden`:
   * it is for a page that nobody looks at.
   */
  place?: (stream: () => Promise<End>, hidden: boolean) => Promise<End | undefined>;
  /** Source of randomness in [0, 1). Default Math.random. */
  random?: () => number;
}

/** A stream of which nothing comes for so long is dead: the server gives a sign of life every 15 s by default, in milliseconds. */
const SILENCE_MS = 45_000;

/** Bounds of the waits between two attempts, in milliseconds. */
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };

/** A stream that has held for so long has not failed at its beginning, in milliseconds. */
const STEADY_MS = 5_000;

/** What went on for longer than this without the page is looked at as it is now, and not told notice by notice, in milliseconds. */
const STALE_MS = 60_000;

/** A feed that is gone for so long has its watchers look for themselves, in milliseconds. */
const MISSED_MS = 5_000;

/** When a server is asked again that has no notices to tell, in milliseconds. */
const UNABLE_MS = 300_000;

interface Watcher {
  kinds: readonly string[];
  /** It wants to hear while nobody looks at the page, too. */
  unseen: boolean;
}

/** What becomes of a stream that is over: come back, come back much later, or never as the same person. */
export type End = "again" | "later" | "never";

/**
 * One stream for all that watch. It is lost and comes back at the place where it was; it is closed while nobody watches,
 * and while the page is hidden it is for those who watch then. Notices may come twice, since they are only a reason to look.
 */
export class Feed {
  private readonly watchers = new Map<Hear, Watcher>();
  private kinds = "";
  private hidden = false;
  private stop?: AbortController;
  private over?: Promise<void>;
  private meeting?: ReturnType<typeof setTimeout>;
  private missing?: ReturnType<typeof setTimeout>;
  private cursor?: { after: string; at: number };
  private refused = false;
  private told = false;

  constructor(private readonly options: FeedOptions) {
    options.page.addEventListener("visibilitychange", () => this.meet());
  }

  /** Whether notices come as they are made. */
  get live(): boolean {
    return this.told;
  }

  /** Tells notices of these kinds until the returned function is called; `unseen`: also while the page is hidden. */
  watch(kinds: readonly string[], hear: Hear, { unseen = false } = {}): () => void {
    const own: Hear = (notices) => hear(notices);
    this.watchers.set(own, { kinds, unseen });
    this.later();
    return () => {
      this.watchers.delete(own);
      this.later();
    };
  }

  /** Somebody else is signed in: what was told before is none of theirs. */
  restart(): void {
    this.refused = false;
    this.cursor = undefined;
    this.close();
    this.later();
  }

  /** Places of the page come and go together. */
  private later(): void {
    clearTimeout(this.meeting);
    this.meeting = setTimeout(() => this.meet(), 0);
  }

  /** Opens and closes as is wanted. */
  private meet(): void {
    const { hidden } = this.options.page;
    const heard = [...this.watchers.values()].filter(({ unseen }) => unseen || !hidden);
    const kinds = [...new Set(heard.flatMap((one) => one.kinds))].sort().join();
    const wanted = kinds !== "" && !this.refused;
    if (this.stop && wanted && kinds === this.kinds && hidden === this.hidden) return;
    this.close();
    if (!wanted) return;
    this.kinds = kinds;
    this.hidden = hidden;
    const stop = new AbortController();
    this.stop = stop;
    const before = this.over;
    this.over = (async () => {
      await before;
      await this.keep(kinds, stop);
    })();
  }

  private close(): void {
    this.stop?.abort();
    this.stop = undefined;
    this.told = false;
    clearTimeout(this.missing);
    this.missing = undefined;
  }

  private async keep(kinds: string, { signal }: AbortController): Promise<void> {
    const backoff = new Backoff({ ...BACKOFF, random: this.options.random });
    const place = this.options.place ?? ((stream) => stream());
    const { hidden } = this;
    while (!signal.aborted) {
      const began = performance.now();
      const end = await place(() => this.stream(kinds, signal), hidden).catch((): End => "again");
      if (signal.aborted) return;
      this.lost();
      if (end === "never") {
        this.refused = true;
        this.close();
        // Each finds out for itself that it is not let in any more, or that only this is refused.
        this.tell();
        return;
      }
      if (performance.now() - began > STEADY_MS) backoff.reset();
      await pause(end === "later" ? UNABLE_MS : backoff.next(), signal);
    }
  }

  private lost(): void {
    this.told = false;
    this.missing ??= setTimeout(() => this.tell(), MISSED_MS);
  }

  /** One stream, from its opening to its end. */
  private async stream(kinds: string, outer: AbortSignal): Promise<End> {
    // A place may be had only when the stream is not wanted any more.
    if (outer.aborted) return "again";
    const after = this.cursor && Date.now() - this.cursor.at < STALE_MS ? this.cursor.after : undefined;
    this.cursor = after === undefined ? undefined : this.cursor;
    const inner = new AbortController();
    const abort = () => inner.abort();
    outer.addEventListener("abort", abort);
    let silence = setTimeout(abort, SILENCE_MS);
    try {
      const response = await this.options.open(`/notices?kind=${kinds}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`, inner.signal);
      if (!response.ok || !response.headers.get("Content-Type")?.startsWith("text/event-stream") || !response.body) {
        await response.body?.cancel();
        // A cursor may be of a store that is not there any more.
        if (response.status === 400 && after !== undefined) this.cursor = undefined;
        return endOf(response.status, after !== undefined);
      }
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const blocks = new Blocks();
      for (let fresh = true; ; fresh = false) {
        const { done, value } = await reader.read();
        if (outer.aborted || done) return "again";
        clearTimeout(silence);
        silence = setTimeout(abort, SILENCE_MS);
        if (this.cursor) this.cursor.at = Date.now();
        if (fresh) this.found(after !== undefined);
        for (const block of blocks.take(value)) this.take(block);
      }
    } catch {
      return "again";
    } finally {
      clearTimeout(silence);
      outer.removeEventListener("abort", abort);
      inner.abort();
    }
  }

  /** The stream is there. `resumed`: it goes on where the last one was, so that nothing is missing. */
  private found(resumed: boolean): void {
    clearTimeout(this.missing);
    this.missing = undefined;
    this.told = true;
    if (!resumed) this.tell();
  }

  private take({ id, data }: Block): void {
    if (id) this.cursor = { after: id, at: Date.now() };
    if (data === undefined) return;
    let page: { items?: Notice[]; missed?: boolean };
    try {
      page = JSON.parse(data) as typeof page;
    } catch {
      page = { missed: true };
    }
    if (page.missed || !Array.isArray(page.items)) this.tell();
    else this.tell(page.items);
  }

  private tell(notices?: readonly Notice[]): void {
    for (const [hear, { kinds }] of [...this.watchers]) {
      const own = notices?.filter(({ kind }) => kinds.includes(kind));
      if (own?.length !== 0) hear(own);
    }
  }
}

function endOf(status: number, resumed: boolean): End {
  if (status === 401 || status === 403) return "never";
  if (status === 400 && resumed) return "again";
  return status >= 500 && status !== 501 ? "again" : status === 429 || status === 408 ? "again" : "later";
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
