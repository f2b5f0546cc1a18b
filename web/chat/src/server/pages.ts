// Lists that come in pages.

import { useState } from "react";
import { usePolled, type Page, type News, type PathAt, type Polled } from "./api";

/** Where one is in a list, and the ways on and back; undefined where there is none. */
export interface Place {
  /** From 1. */
  page: number;
  back?: () => void;
  on?: () => void;
}

/** One page of a list that hands out cursors, asked again every so often, or soon after news of it. `path` has a query already, and `at` is as usePolled has it. */
export function usePages<T>(path: string, everyMs: number, news?: News, at?: PathAt): Polled<Page<T>> & { place: Place } {
  const [turned, turn] = useState<{ path: string; cursors: string[] }>({ path, cursors: [] });
  const cursors = turned.path === path ? turned.cursors : [];
  const cursor = cursors.at(-1);
  const polled = usePolled<Page<T>>(cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path, everyMs, news, at);
  const next = polled.data?.next;
  return {
    ...polled,
    place: {
      page: cursors.length + 1,
      back: cursors.length > 0 ? () => turn({ path, cursors: cursors.slice(0, -1) }) : undefined,
      on: next ? () => turn({ path, cursors: [...cursors, next] }) : undefined,
    },
  };
}
