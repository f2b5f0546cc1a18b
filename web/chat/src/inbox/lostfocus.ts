// What was answered is gone, and its buttons with it.

import { type RefObject, useEffect, useRef } from "react";

/** Leads a focus that was on what has gone from a list to its heading, if something was said here about it and nothing follows on it. */
export function useLostFocus(heading: RefObject<HTMLHeadingElement | null>, length: number, said: readonly unknown[], alone: boolean): void {
  const count = useRef(0);
  useEffect(() => {
    const more = length > count.current;
    count.current = length;
    if (more || !alone) return;
    if (said.length > 0 && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [length, said]);
}
