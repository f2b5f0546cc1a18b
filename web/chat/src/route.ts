// The page's places. Moving between them keeps the tab, and with it what is only in memory.

import { type MouseEvent, useEffect, useState } from "react";

const MOVED = "aguiws:moved";

/** Goes to a place of the page without loading it anew. */
export function go(href: string): void {
  history.pushState(null, "", href);
  dispatchEvent(new Event(MOVED));
}

/** The path of the address, followed. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const moved = () => setPath(location.pathname);
    addEventListener("popstate", moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  return path;
}

/** For a link inside the page: a plain click moves, any other does what links do. */
export function onLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(event.currentTarget.href);
}

export function threadHref(threadId: string): string {
  return `/?thread=${encodeURIComponent(threadId)}`;
}

export { MOVED };
