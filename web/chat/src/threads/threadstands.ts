// How it stands with a chat, in a list of them.

import type { ThreadInfo } from "../server/api";
import { CALL, TIMER } from "../forms/answers";
import { ago, clock } from "../lib/time";

type Stands = Pick<ThreadInfo, "waiting" | "waitsOn" | "waitsUntil" | "active" | "queued" | "failed" | "updatedAt">;

/** Whether its latest turn has failed, and nothing else goes on. */
export function hasFailed({ waiting, active, queued, failed }: Stands): boolean {
  return failed === true && !waiting && !active && queued === 0;
}

/** What is waited for by an interrupt that asks nobody. */
export function waitsFor(reason: string, until?: string): string {
  if (reason === CALL) return "waits for another agent";
  if (reason !== TIMER) return "waits for an event";
  return until === undefined ? "sleeps" : `sleeps until ${clock(until)}`;
}

export function stands(thread: Stands): string {
  if (thread.waiting && thread.waitsOn !== undefined) return waitsFor(thread.waitsOn, thread.waitsUntil);
  if (thread.waiting) return "waiting for you";
  if (thread.active) return "working";
  if (thread.queued > 0) return "queued";
  return hasFailed(thread) ? `failed ${ago(thread.updatedAt)}` : ago(thread.updatedAt);
}
