// The list and what is asked are two screens where there is no room for both: the browser's way back leads from one to the other.

import { useEffect, useRef } from "react";
import type { InboxItem } from "../server/api";
import { keyOf } from "./asked";
import type { Picked } from "./picking";

/** What is asked on the screen of now, as the browser's history has it. */
const here = (): string | undefined => (history.state as { question?: string } | null)?.question;

/** `alone`: what is picked has the whole screen. */
export function useScreens(items: readonly InboxItem[], picked: Picked, alone: boolean, beside: boolean): void {
  const shown = alone ? picked.key : undefined;
  const last = useRef({ items, picked, shown });
  last.current = { items, picked, shown };
  const come = () => {
    const { items, picked, shown } = last.current;
    const item = items.find((one) => keyOf(one) === here());
    if (item && shown !== here()) picked.pick(item, "click");
    return item !== undefined;
  };
  useEffect(() => {
    if (beside) return;
    const moved = () => {
      if (!come() && last.current.shown !== undefined) last.current.picked.leave();
    };
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, [beside]);
  const listed = items.length > 0;
  useEffect(() => {
    // Whoever comes back to the place comes back to what was asked there, if it is open still.
    if (listed && !beside && here() !== undefined && !come()) history.replaceState(null, "");
  }, [listed]);
  const before = useRef(shown);
  useEffect(() => {
    const was = before.current;
    before.current = shown;
    if (shown === was || beside) return;
    if (shown === undefined) {
      if (here() !== undefined) history.back();
    } else if (here() === undefined) history.pushState({ question: shown }, "");
    else history.replaceState({ question: shown }, "");
  }, [shown]);
}
