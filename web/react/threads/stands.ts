// How it stands with a chat, in a list of them.

import type { ThreadInfo } from "../control/types.js";
import { CALL, TIMER } from "../forms/question.js";
import { ago, clock } from "../lib/time.js";
import { ENGLISH, type Strings } from "../lib/strings.js";

type Stands = Pick<ThreadInfo, "waiting" | "waitsOn" | "waitsUntil" | "expiresAt" | "active" | "queued" | "failed" | "updatedAt">;

/** Whether its latest turn has failed, and nothing else goes on. */
export function hasFailed({ waiting, active, queued, failed }: Stands): boolean {
  return failed === true && !waiting && !active && queued === 0;
}

/** Whether all that it asks is too late to be answered. */
export function hasExpired({ waiting, expiresAt }: Pick<ThreadInfo, "waiting" | "expiresAt">): boolean {
  return waiting && Date.parse(expiresAt ?? "") <= Date.now();
}

/** What is waited for by an interrupt that asks nobody. */
export function waitsFor(reason: string, until?: string, { list, locale }: Pick<Strings, "list" | "locale"> = ENGLISH): string {
  if (reason === CALL) return list.waitsForAgent;
  if (reason !== TIMER) return list.waitsForEvent;
  return until === undefined ? list.sleeps : list.sleepsUntil(clock(until, Date.now(), { locale }));
}

export function stands(thread: Stands, strings: Strings = ENGLISH): string {
  const { list } = strings;
  if (thread.waiting && thread.waitsOn !== undefined) return waitsFor(thread.waitsOn, thread.waitsUntil, strings);
  if (thread.waiting && !hasExpired(thread)) return list.waiting;
  if (thread.active) return list.working;
  if (thread.queued > 0) return list.queued;
  const when = ago(thread.updatedAt, Date.now(), strings);
  if (hasExpired(thread)) return list.expired(when);
  return hasFailed(thread) ? list.failed(when) : when;
}
