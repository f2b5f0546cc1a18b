// How it stands with a chat, in a list of them.

import type { ThreadInfo } from "../server/api";
import { ago } from "../lib/time";

type Stands = Pick<ThreadInfo, "waiting" | "active" | "queued" | "failed" | "updatedAt">;

/** Whether its latest turn has failed, and nothing else goes on. */
export function hasFailed({ waiting, active, queued, failed }: Stands): boolean {
  return failed === true && !waiting && !active && queued === 0;
}

export function stands(thread: Stands): string {
  if (thread.waiting) return "waiting for you";
  if (thread.active) return "working";
  if (thread.queued > 0) return "queued";
  return hasFailed(thread) ? `failed ${ago(thread.updatedAt)}` : ago(thread.updatedAt);
}
