// What goes from a list keeps its place for a moment, so that nothing else comes under the hand that was just there.

import { useCallback, useRef, useState } from "react";

export interface Kept<T> {
  item: T;
  /** It is in the list no more. */
  gone: boolean;
}

/** The items, and between them, in the places they had, those that were shown and have gone. */
export function withGone<T>(shown: readonly Kept<T>[], items: readonly T[], keyOf: (item: T) => string): Kept<T>[] {
  const left = new Set(items.map(keyOf));
  const after = new Map<string | undefined, Kept<T>[]>();
  let anchor: string | undefined;
  for (const { item } of shown) {
    const key = keyOf(item);
    if (left.has(key)) anchor = key;
    else after.set(anchor, [...(after.get(anchor) ?? []), { item, gone: true }]);
  }
  const then = (key: string | undefined) => after.get(key) ?? [];
  return [...then(undefined), ...items.flatMap((item) => [{ item, gone: false }, ...then(keyOf(item))])];
}

/** A list with what has gone from it, and the way to let that go. Another `list` begins without any. */
export function useKept<T>(items: readonly T[], keyOf: (item: T) => string, list: string): [Kept<T>[], (key: string) => void] {
  const shown = useRef<{ list: string; kept: Kept<T>[] }>({ list, kept: [] });
  const [, redraw] = useState(0);
  const kept = withGone(shown.current.list === list ? shown.current.kept : [], items, keyOf);
  shown.current = { list, kept };
  const forget = useCallback(
    (key: string) => {
      shown.current.kept = shown.current.kept.filter(({ item, gone }) => !gone || keyOf(item) !== key);
      redraw((n) => n + 1);
    },
    [keyOf],
  );
  return [kept, forget];
}
