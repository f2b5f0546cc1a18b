// A thread's log, as far as a server retains it, for what is told only there.

import type { Position } from "../../../client";
import { at } from "../lib/base";
import { bearer } from "../server/session";

/** More of a log than this is not read, in characters. */
const CHARACTERS = 16 << 20;

/**
 * Calls `note` with the text of each event after a place up to a position. Not at all where the server does not retain what
 * comes after that place, or has no log to show: what is looked for is nothing to fail for.
 */
export async function readLog(threadId: string, after: number, { epoch, seq }: Position, note: (event: string) => void): Promise<void> {
  const token = bearer();
  const path = at(`/agui/threads/${encodeURIComponent(threadId)}/events?after=${encodeURIComponent(`${epoch}:${after}`)}`);
  try {
    const response = await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    const lines = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!lines) return;
    if (!response.ok || response.headers.get("Aguiws-Recovered") !== "true") {
      await lines.cancel();
      return;
    }
    let rest = "";
    let read = 0;
    for (let here = after; here < seq && read < CHARACTERS; ) {
      const { done, value } = await lines.read();
      if (done) break;
      read += value.length;
      const whole = (rest + value).split("\n");
      rest = whole.pop()!;
      for (const line of whole) {
        if (line.startsWith("id: ")) here = Number(line.slice(line.lastIndexOf(":") + 1));
        else if (line.startsWith("data: ")) note(line.slice(6));
      }
    }
    // In the middle of a run the log goes on, and others follow that.
    await lines.cancel();
  } catch {
    // What was found is found all the same.
  }
}
