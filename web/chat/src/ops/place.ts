// What of the operator's view stands in its address, behind its path.

import { useEffect, useState } from "react";
import { go, goInstead, whenMoved } from "../lib/route";

/** The query of the address, followed. */
export function useQuery(): URLSearchParams {
  const [text, setText] = useState(location.search);
  useEffect(() => whenMoved(() => setText(location.search)), []);
  return new URLSearchParams(text);
}

const hrefWith = (change: (query: URLSearchParams) => void): string => {
  const query = new URLSearchParams(location.search);
  change(query);
  return query.size > 0 ? `${location.pathname}?${query}` : location.pathname;
};

/** The place at which that one is looked at. */
export const chosenHref = (id: string) => hrefWith((query) => query.set("run", id));

/** The one that is looked at, by its id, and how another is chosen. The way back leads from it to the list. `local`: the address has nothing of it, and this one is looked at from the beginning. */
export function useChosen(local?: string): [string | undefined, (id: string | undefined) => void] {
  const [own, setOwn] = useState(local);
  const run = useQuery().get("run") ?? undefined;
  if (local !== undefined) return [own, setOwn];
  const choose = (id: string | undefined) => {
    if (id === undefined && history.state === OPENED) return history.back();
    const href = hrefWith((query) => (id === undefined ? query.delete("run") : query.set("run", id)));
    if (run !== undefined || id === undefined) {
      const { state } = history as { state: unknown };
      goInstead(href);
      if (id !== undefined) history.replaceState(state, "");
      return;
    }
    go(href);
    history.replaceState(OPENED, "");
  };
  return [run, choose];
}

/** What the history has of a place to which the list has led. */
const OPENED = "run";
