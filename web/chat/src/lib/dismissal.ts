import { useState } from "react";

/** Whether a notice is put away in this browser, and the way to put it away. The composer then has the keyboard: the button that was pressed is gone. */
export function useDismissal(key: string): readonly [away: boolean, dismiss: () => void] {
  const [away, putAway] = useState(() => {
    try {
      return localStorage.getItem(key) === "dismissed";
    } catch {
      return false;
    }
  });
  const dismiss = () => {
    putAway(true);
    try {
      localStorage.setItem(key, "dismissed");
    } catch {
      // It is away until the reload.
    }
    document.querySelector<HTMLElement>('[data-testid="composer"]')?.focus();
  };
  return [away, dismiss];
}
