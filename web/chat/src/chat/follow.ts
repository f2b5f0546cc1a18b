// The end of a conversation stays in sight while its reader is there, and a reader of older text is left alone.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { scrolledByPage } from "../../../react/lib/Guarded";

/** Closer to the end than this is at the end, in pixels. */
const NEAR = 8;

/** Where a page is scrolled to, in pixels. */
export interface Scrolled {
  top: number;
  /** Of the window. */
  seen: number;
  /** Of all there is. */
  height: number;
}

/** Whether the end is followed after a scroll from one place to another. What shrinks moves the page without anybody's doing. */
export function followsAfter(follows: boolean, from: Scrolled, to: Scrolled): boolean {
  if (to.height - to.top - to.seen <= NEAR) return true;
  return follows && !(to.top < from.top && to.height >= from.height);
}

function scrolled(): Scrolled {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
  return { top: scrollTop, seen: clientHeight, height: scrollHeight };
}

/** A question that begins above the composer: who sees it needs no way to it, and nothing may lie over it. */
function seesQuestion(content: HTMLElement | null): boolean {
  const question = content?.querySelector(".questions");
  if (!question) return false;
  const composer = content?.parentElement?.querySelector(".composer");
  return question.getBoundingClientRect().top < (composer?.getBoundingClientRect().top || innerHeight);
}

export interface Follow {
  /** The reader is elsewhere, and sees no question. */
  away: boolean;
  /** Goes to the end, and stays there. */
  jump: () => void;
}

/** Follows the end of what grows in the window. `told`: there is something to follow. */
export function useFollow(content: RefObject<HTMLElement | null>, told: boolean): Follow {
  const follows = useRef(true);
  const last = useRef<Scrolled>({ top: 0, seen: 0, height: 0 });
  const [away, setAway] = useState(false);
  const toEnd = useCallback(() => {
    if (!follows.current) return;
    const { top, seen, height } = scrolled();
    if (height - top - seen <= 0) return;
    scrollTo({ top: height, behavior: "instant" });
    last.current = scrolled();
    scrolledByPage();
  }, []);
  const look = useCallback(() => setAway(!follows.current && !seesQuestion(content.current)), [content]);
  useEffect(() => {
    const moved = () => {
      const now = scrolled();
      follows.current = followsAfter(follows.current, last.current, now);
      last.current = now;
      look();
    };
    const opens = (event: MouseEvent) => {
      if (!(event.target instanceof Element && event.target.closest("summary, [aria-expanded]"))) return;
      // Whoever opens something reads it from its beginning.
      follows.current = false;
      requestAnimationFrame(moved);
    };
    addEventListener("scroll", moved, { passive: true });
    addEventListener("click", opens, { capture: true });
    return () => {
      removeEventListener("scroll", moved);
      removeEventListener("click", opens, { capture: true });
    };
  }, [look]);
  useLayoutEffect(() => {
    if (told) toEnd();
  });
  useEffect(() => {
    if (!told || !content.current) return;
    // What is loaded or drawn later grows without the page's being rendered.
    const changed = () => {
      toEnd();
      look();
    };
    const grown = new ResizeObserver(changed);
    grown.observe(content.current);
    addEventListener("resize", changed);
    return () => {
      grown.disconnect();
      removeEventListener("resize", changed);
    };
  }, [told, content, toEnd, look]);
  const jump = useCallback(() => {
    follows.current = true;
    setAway(false);
    toEnd();
  }, [toEnd]);
  return { away: told && away, jump };
}
