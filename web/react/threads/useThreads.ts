// The list of chats: its latest page, which is kept up to date, and on request those behind it.

import { useCallback, useRef, useState } from "react";
import type { Control, ControlError } from "../control/control.js";
import { usePolled, type News } from "../control/polled.js";
import type { Page, ThreadInfo } from "../control/types.js";
import { useBeforePaint } from "../lib/beforepaint.js";

/** How many chats come at a time. */
const PAGE = 50;

/** How often the list is asked for where no notices come, in milliseconds. */
const EVERY_MS = 5_000;

/** What was fetched behind the latest page. */
interface Earlier {
  items: ThreadInfo[];
  /** Where more of it is; undefined: that was all. */
  next?: string;
}

export interface Threads {
  /** Latest first; undefined: nobody has said yet. */
  items?: ThreadInfo[] | undefined;
  error?: ControlError | undefined;
  /** Fetches some more, and answers the first of them; undefined where there are no more. */
  more?: (() => Promise<ThreadInfo | undefined>) | undefined;
  /** Some are on their way. */
  fetching: boolean;
  /** Why the last ones did not come. */
  fault?: string | undefined;
  /** Asks for all of them again. */
  refresh: () => void;
}

/** The chats of the caller's namespace. `news` says when to look again. */
export function useThreads(control: Control, news?: News): Threads {
  const { data, error, refresh: again } = usePolled<Page<ThreadInfo>>(control, `/threads?limit=${PAGE}`, EVERY_MS, news);
  const [earlier, setEarlier] = useState<Earlier>();
  const [fetching, setFetching] = useState(false);
  const [fault, setFault] = useState<string>();
  const items = data && [...data.items, ...behind(data.items, earlier?.items ?? [])];
  const now = useRef({ data, shown: 0, busy: false });
  now.current.shown = earlier ? (items?.length ?? 0) : 0;
  useBeforePaint(() => {
    const was = now.current.data;
    now.current.data = data;
    if (was && data && was !== data) setEarlier((held) => held && follow(was.items, data, held));
  }, [data]);

  const fetch = async (cursor?: string): Promise<Page<ThreadInfo>> => control.call("GET", `/threads?limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  const busy = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    if (now.current.busy) return;
    now.current.busy = true;
    setFetching(true);
    setFault(undefined);
    try {
      return await act();
    } catch (reason) {
      setFault(reason instanceof Error ? reason.message : String(reason));
    } finally {
      now.current.busy = false;
      setFetching(false);
    }
  };

  const cursor = earlier ? earlier.next : data?.next;
  const more = cursor
    ? () =>
        busy(async () => {
          // From now on what leaves the latest page is kept, so that nothing is between the two.
          setEarlier((held) => held ?? { items: [], next: cursor });
          const page = await fetch(cursor);
          setEarlier((held) => held && { items: [...held.items, ...behind(held.items, page.items)], next: page.next });
          return page.items[0];
        })
    : undefined;
  const refresh = useCallback(() => {
    again();
    const { shown } = now.current;
    if (shown === 0) return;
    void busy(async () => {
      // The latest page, too, as it changes meanwhile.
      let page = await fetch();
      const all = page.items;
      while (page.next && all.length < shown) {
        page = await fetch(page.next);
        all.push(...page.items);
      }
      setEarlier({ items: all, next: page.next });
    });
  }, [again]);
  return { items, error, more, fetching, fault, refresh };
}

/** Those of a list that another has not. */
function behind(listed: readonly ThreadInfo[], others: readonly ThreadInfo[]): ThreadInfo[] {
  const ids = new Set(listed.map(({ threadId }) => threadId));
  return others.filter(({ threadId }) => !ids.has(threadId));
}

/**
 * What stands behind the latest page when that is another one: what it has pushed out, too, and nothing that it has
 * lost. Nothing where nothing of what it was is left, as nobody knows then what lies between.
 */
export function follow(was: readonly ThreadInfo[], latest: Page<ThreadInfo>, earlier: Earlier): Earlier | undefined {
  const floor = latest.items.at(-1)?.updatedAt;
  if (!latest.next || floor === undefined) return undefined;
  const out = behind(latest.items, was);
  if (out.length === was.length) return undefined;
  const pushed = out.filter(({ updatedAt = "" }) => Date.parse(updatedAt) <= Date.parse(floor));
  return { ...earlier, items: [...pushed, ...behind(out, earlier.items)] };
}
