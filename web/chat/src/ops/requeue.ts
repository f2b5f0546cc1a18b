// Requeueing many dead letters, one after the other, and telling of each what became of it.

import type { RunInfo } from "../server/api";
import { runDetail } from "./runstates";
import { ops } from "../words/ops";

export interface Requeued {
  run: RunInfo;
  /** Why it was not; left out where it was. */
  fault?: string;
}

/** What is about to be requeued, by why it died: "3 × worker_lost". */
export function causes(runs: readonly RunInfo[]): string[] {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const why = (runDetail(run).split(":", 1)[0] ?? "").trim() || ops.noCause;
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([why, n]) => `${n} × ${why}`);
}

/** Requeues all of them. One that is refused keeps none of the others; `told` hears of each at once. */
export async function requeueAll(
  runs: readonly RunInfo[],
  send: (method: string, path: string) => Promise<unknown>,
  words: (failed: unknown) => string,
  told: (done: Requeued[]) => void,
): Promise<Requeued[]> {
  const done: Requeued[] = [];
  for (const run of runs) {
    try {
      await send("POST", `/threads/${encodeURIComponent(run.threadId)}/runs/${encodeURIComponent(run.id)}/requeue?namespace=${encodeURIComponent(run.namespace)}`);
      done.push({ run });
    } catch (failed) {
      done.push({ run, fault: words(failed) });
    }
    told([...done]);
  }
  return done;
}
