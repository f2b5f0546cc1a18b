// Lists that come in pages.

import { useState } from "react";
import { usePolled, type Page, type Polled, type News } from "./api";

/** Where one is in a list, and the ways on and back; undefined where there is none. */
export interface Place {
  /** From 1. */
  page: number;
  back?: () => void;
  on?: () => void;
}

/** One page of a list that hands out cursors, asked again every so often, or soon after news of it. `path` has a query already. */
export function usePages<T>(path: string, everyMs: number, news?: News): Polled<Page<T>> & { place: Place } {
  const [turned, turn] = useState<{ path: string; cursors: string[] }>({ path, cursors: [] });
  const cursors = turned.path === path ? turned.cursors : [];
  const cursor = cursors.at(-1);
  const polled = usePolled<Page<T>>(cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path, everyMs, news);
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

/** The same of a list that counts: one more than a page is asked for, which tells whether there is another. */
export function useCountedPages<T>(path: string, size: number, everyMs: number): Polled<T[]> & { place: Place } {
  const [turned, turn] = useState({ path, page: 0 });
  const page = turned.path === path ? turned.page : 0;
  const { data, ...rest } = usePolled<Page<T>>(`${path}&limit=${size + 1}&offset=${page * size}`, everyMs);
  return {
    ...rest,
    data: data?.items.slice(0, size),
    place: {
      page: page + 1,
      back: page > 0 ? () => turn({ path, page: page - 1 }) : undefined,
      on: data && data.items.length > size ? () => turn({ path, page: page + 1 }) : undefined,
    },
  };
}
