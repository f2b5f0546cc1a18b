// A key presses a button: at once, or behind the person's own way to what the button decides.

import type { Spot } from "../../../react/lib/guard";
import { ACTS, spotOf } from "../../../react/lib/Guarded";

/** How often it is looked whether what is waited for has come, in milliseconds. */
const LOOK_MS = 50;

/**
 * Presses a button for a key. One that comes too soon behind the person's own way to what the button decides waits for that to
 * be seen, unless the person does anything else meanwhile; otherwise it is the guard that takes it, or says that it was too soon.
 */
export function pressed(button: HTMLElement): void {
  const spot = button.dataset.edits === undefined ? spotOf(button) : undefined;
  const press = () => button.click();
  if (spot) whenSeen(spot, press, others);
  else press();
}

/** `others` tells of the next thing that the person does, until the returned function is called. */
export function whenSeen(spot: Spot, press: () => void, others: (act: () => void) => () => void): void {
  if (spot.left() === undefined) return press();
  let timer: ReturnType<typeof setTimeout>;
  const end = others(() => {
    clearTimeout(timer);
    end();
    spot.refuse();
  });
  const look = () => {
    const left = spot.left();
    if (left !== undefined) {
      timer = setTimeout(look, Math.min(Math.ceil(left), LOOK_MS));
      return;
    }
    end();
    press();
  };
  look();
}

function others(act: () => void): () => void {
  const over = new AbortController();
  // The key itself is on its way still.
  setTimeout(() => {
    if (!over.signal.aborted) for (const what of ACTS) window.addEventListener(what, act, { capture: true, signal: over.signal });
  });
  return () => over.abort();
}
