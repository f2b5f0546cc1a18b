// Answers of the control API that are asked for again while somebody looks at the page.

import { useCallback, useEffect, useRef, useState } from "react";
import { ControlError, type Control } from "./control.js";
import { poll, type Seen } from "./poll.js";

export interface Polled<T> {
  data?: T;
  error?: ControlError;
  /** Asks again at once. */
  refresh: () => void;
}

/** An answer that takes longer than this is missed, in milliseconds. */
const SLOW_MS = 4_000;

/** What says that an answer may have changed. */
export interface News {
  /** Whether it would say so now. */
  live(): boolean;
  /** Calls `told` whenever it does, until the returned function is called. */
  watch(told: () => void): () => void;
  /** How often is asked where it does, as some may be lost or never told, in milliseconds. Default a minute. */
  safetyMs?: number;
  /** It is wanted while nobody looks at the page, too. */
  unseen?: boolean;
  /** What was answered last, by path: whoever looks again is shown that until there is news. Whoever gives it empties it for another person. */
  kept?: Map<string, Kept>;
}

/** An answer, and the tag by which it is not sent again. */
export interface Kept {
  data: unknown;
  tag?: string | undefined;
}

const SAFETY_MS = 60_000;

/** How often a page that nobody looks at asks without news, in milliseconds. */
const UNSEEN_MS = 60_000;

/** The document to whom it is all the same whether somebody looks; who comes back still asks at once. */
const UNSEEN: Seen = {
  hidden: false,
  addEventListener: (...heard: Parameters<Document["addEventListener"]>) => document.addEventListener(...heard),
  removeEventListener: (...heard: Parameters<Document["removeEventListener"]>) => document.removeEventListener(...heard),
};

/** What a path becomes when it is asked for. */
export type PathAt = (path: string, now: number) => string;

const AS_IS: PathAt = (path) => path;

/**
 * What a path answers, asked again every so often while the page is looked at, or wanted unseen, or soon after news of it.
 * `at` puts in what is another at each call. Without a path, nothing is asked.
 */
export function usePolled<T>(control: Control, path: string | undefined, everyMs: number, news?: News, at: PathAt = AS_IS): Polled<T> {
  const [answer, setAnswer] = useState<{ path: string | undefined; data?: T; error?: ControlError }>(() => ({ path, ...keptOf<T>(news, path) }));
  const [asked, askAgain] = useState(0);
  const refresh = useCallback(() => askAgain((n) => n + 1), []);
  const etag = useRef<{ path: string | undefined; tag?: string | undefined }>(undefined);
  etag.current ??= { path, tag: keptOf(news, path)?.tag };
  useEffect(() => {
    if (path === undefined) return;
    let over = false;
    let failing = false;
    let unwait = () => {};
    if (etag.current!.path !== path) etag.current = { path };
    const held = etag.current!;
    const failed = (error: ControlError) => setAnswer((now) => ({ path, data: now.path === path ? now.data : undefined, error }));
    const ask = async (): Promise<"same" | void> => {
      const slow = setTimeout(() => {
        if (!over) failed(new ControlError(0, "slow", control.words.noAnswerYet));
      }, SLOW_MS);
      try {
        const got = await control.send("GET", at(path, Date.now()), undefined, held.tag);
        if (over) return;
        failing = false;
        if (got.status === 304) {
          setAnswer((now) => (now.error ? { ...now, error: undefined } : now));
          return "same";
        } else {
          held.tag = got.etag;
          news?.kept?.set(path, { data: got.body, tag: got.etag });
          setAnswer({ path, data: got.body as T });
        }
      } catch (error) {
        if (over) return;
        failing = true;
        // Who is not let in asks again when it is somebody else, or when they are.
        if (error instanceof ControlError && error.status === 401) {
          asking.end();
          unwait = control.whenLetIn(refresh);
        }
        failed(error instanceof ControlError ? error : new ControlError(0, "client", String(error)));
      } finally {
        clearTimeout(slow);
      }
    };
    const asking = poll(ask, everyMs, news?.unseen ? UNSEEN : document, () => {
      if (news?.live() && !failing) return news.safetyMs ?? SAFETY_MS;
      return document.hidden ? UNSEEN_MS : undefined;
    });
    const unwatch = news?.watch(asking.soon);
    return () => {
      over = true;
      unwatch?.();
      unwait();
      asking.end();
    };
  }, [control, path, everyMs, news, at, asked, refresh]);
  return { ...(answer.path === path ? { data: answer.data, error: answer.error } : {}), refresh };
}

function keptOf<T>(news: News | undefined, path: string | undefined): { data: T; tag?: string | undefined } | undefined {
  return path === undefined ? undefined : (news?.kept?.get(path) as { data: T; tag?: string | undefined } | undefined);
}
