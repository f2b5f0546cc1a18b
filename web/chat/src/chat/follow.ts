// What is sent is brought to the top of the window, and its answer grows below it without moving what is read. Whoever goes
// to the end of a conversation has it stay in sight, and a reader of older text is left alone.

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

/**
 * Whether the end is followed after a scroll from one place to another. What shrinks moves the page without anybody's doing.
 * `reserved`: so high is the page with nothing but room at its end, which is nothing to follow; lengths are rounded, and no
 * line is lower than what is near.
 */
export function followsAfter(follows: boolean, from: Scrolled, to: Scrolled, reserved = 0): boolean {
  if (to.height <= reserved + NEAR) return false;
  if (to.height - to.top - to.seen <= NEAR) return true;
  return follows && !(to.top < from.top && to.height >= from.height);
}

/** How much of a message that was sent is in sight, of the room for it and its answer. */
const SHOWN = 0.4;

/** How far to scroll until a message that was sent stands at the top of the room, or the end of a long one, and how high what is below its beginning has to be for that. */
export function brought(room: { top: number; height: number }, message: { top: number; height: number }): { by: number; below: number } {
  const hidden = Math.max(0, message.height - room.height * SHOWN);
  return { by: message.top + hidden - room.top, below: hidden + room.height };
}

function scrolled(): Scrolled {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
  return { top: scrollTop, seen: clientHeight, height: scrollHeight };
}

const composerTop = (content: HTMLElement) => content.parentElement?.querySelector(".composer")?.getBoundingClientRect().top || innerHeight;

/** A question that begins above the composer: who sees it needs no way to it, and nothing may lie over it. */
function seesQuestion(content: HTMLElement): boolean {
  const question = content.querySelector(".questions");
  return question !== null && question.getBoundingClientRect().top < composerTop(content);
}

/** Whether the last of what is told is above the composer, whatever room is below it. */
function seesEnd(content: HTMLElement): boolean {
  const last = [...content.children].findLast((child) => child.getBoundingClientRect().height > 0);
  return !last || last.getBoundingClientRect().bottom <= composerTop(content) + NEAR;
}

/** A message that was sent from here, or is on its way. */
const SENT = '[data-testid="message"][data-role="user"], .outgoing.user';

const nameOf = ({ dataset }: HTMLElement) => dataset.messageId ?? dataset.runId;

interface Brought {
  /** The last that was sent before it. */
  before?: string;
  /** The message, once the conversation has it. */
  id?: string;
  /** Nobody has scrolled since. */
  held: boolean;
  /** How high the page is with nothing but room at its end. */
  reserved: number;
}

export interface Follow {
  /** The reader is elsewhere, and sees no question. */
  away: boolean;
  /** Goes to the end, and stays there. */
  jump: () => void;
  /** Brings what is sent now, or the message with this id, to the top: what is said below it moves nothing that is read. */
  sent: (id?: string) => void;
}

/** Follows the end of what grows in the window. `told`: there is something to follow. */
export function useFollow(content: RefObject<HTMLElement | null>, told: boolean): Follow {
  const follows = useRef(true);
  const last = useRef<Scrolled>({ top: 0, seen: 0, height: 0 });
  const now = useRef<Brought>(undefined);
  const [away, setAway] = useState(false);
  const bring = useCallback(() => {
    const [main, what] = [content.current, now.current];
    if (!main || !what?.held) return;
    const message = [...main.querySelectorAll<HTMLElement>(SENT)].findLast((one) => (what.id === undefined ? true : nameOf(one) === what.id));
    if (!message || nameOf(message) === what.before) return;
    what.id ??= message.dataset.messageId;
    const top = (document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0) + parseFloat(getComputedStyle(main).paddingTop);
    const { y, height } = message.getBoundingClientRect();
    const { by, below } = brought({ top, height: composerTop(main) - top }, { top: y, height });
    main.style.minHeight = `${Math.ceil(y - main.getBoundingClientRect().top + below)}px`;
    if (Math.abs(by) >= 1) {
      scrollBy({ top: by, behavior: "instant" });
      scrolledByPage();
    }
    last.current = scrolled();
    what.reserved = Math.max(what.reserved, last.current.top + last.current.seen);
  }, [content]);
  const toEnd = useCallback(() => {
    if (!follows.current) return;
    const { top, seen, height } = scrolled();
    if (height - top - seen <= 0) return;
    scrollTo({ top: height, behavior: "instant" });
    last.current = scrolled();
    scrolledByPage();
  }, []);
  const look = useCallback(() => {
    const main = content.current;
    setAway(!follows.current && main !== null && !seesEnd(main) && !seesQuestion(main));
  }, [content]);
  useEffect(() => {
    const moved = () => {
      const to = scrolled();
      if (now.current && Math.abs(to.top - last.current.top) > 1) now.current.held = false;
      follows.current = followsAfter(follows.current, last.current, to, now.current?.reserved);
      last.current = to;
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
    if (!told) return;
    bring();
    toEnd();
  });
  useEffect(() => {
    if (!told || !content.current) return;
    // What is loaded or drawn later grows without the page's being rendered.
    const changed = () => {
      bring();
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
  }, [told, content, bring, toEnd, look]);
  const jump = useCallback(() => {
    follows.current = true;
    setAway(false);
    toEnd();
  }, [toEnd]);
  const sent = useCallback(
    (id?: string) => {
      const before = id === undefined ? [...(content.current?.querySelectorAll<HTMLElement>(SENT) ?? [])].at(-1) : undefined;
      now.current = { before: before && nameOf(before), id, held: true, reserved: 0 };
      follows.current = false;
      bring();
    },
    [content, bring],
  );
  return { away: told && away, jump, sent };
}
