// The few places for streams that all tabs of the page share in a browser.

import type { End } from "./feed";

/** So many of a browser's tabs hold a stream at once: over HTTP/1.1 they share six connections to a server. */
const STREAMS = 3;

/**
 * Streams in one of the places, and answers undefined where none is free; all tabs that nobody looks at have one place
 * between them, which those that are looked at leave to the last. Where the browser has no locks, or lets the page
 * have none, every tab has a place.
 */
export async function placed(locks: Pick<LockManager, "request"> | undefined, stream: () => Promise<End>, hidden = false): Promise<End | undefined> {
  if (!locks) return stream();
  let streaming: Promise<End> | undefined;
  try {
    for (let n = hidden ? STREAMS - 1 : 0; n < STREAMS && !streaming; n++) {
      await locks.request(`aguiws:notices:${n}`, { ifAvailable: true }, (lock) => (streaming = lock ? stream() : undefined));
    }
  } catch {
    streaming ??= stream();
  }
  return streaming;
}
