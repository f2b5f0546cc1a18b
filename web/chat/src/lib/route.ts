// The page's places. Moving between them keeps the tab, and with it what is only in memory.

import { type MouseEvent, useEffect, useState } from "react";
import { at, base } from "./base";

const MOVED = "aguiws:moved";

/** Goes to a place of the page without loading it anew. */
export function go(href: string): void {
  history.pushState(null, "", href);
  dispatchEvent(new Event(MOVED));
}

/** Goes there in the place of where one is, so that the way back does not lead here again. */
export function goInstead(href: string): void {
  history.replaceState(null, "", href);
  dispatchEvent(new Event(MOVED));
}

/** Calls `moved` after every change of the address, until the returned function is called. */
export function whenMoved(moved: () => void): () => void {
  addEventListener("popstate", moved);
  addEventListener(MOVED, moved);
  return () => {
    removeEventListener("popstate", moved);
    removeEventListener(MOVED, moved);
  };
}

/** The place of the address, such as "/inbox". */
export const place = (): string => location.pathname.slice(base().length);

/** The place of the address, followed. */
export function usePlace(): string {
  const [here, setHere] = useState(place);
  useEffect(() => whenMoved(() => setHere(place())), []);
  return here;
}

/** Whether a click on a link asks for nothing but to go there: not for another tab, for example. */
export const isPlain = (event: MouseEvent<HTMLAnchorElement>): boolean =>
  !(event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);

/** For a link inside the page: a plain click moves, any other does what links do. */
export function onLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (!isPlain(event)) return;
  event.preventDefault();
  go(event.currentTarget.href);
}

/** The place of a thread. With a namespace it may be somebody else's, which the page finds out there. */
export function threadHref(threadId: string, namespace?: string): string {
  return at(`/?thread=${encodeURIComponent(threadId)}${namespace ? `&namespace=${encodeURIComponent(namespace)}` : ""}`);
}
