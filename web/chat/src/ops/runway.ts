// What happened to a run, from what is on record of it.

import type { DecisionInfo, RunInfo } from "../server/api";
import { span } from "./backlogs";
import { decimal } from "./nodes";
import { nameOfId } from "./runnames";
import { failureOf, isLate, runDetail, runState } from "./runstates";
import { exactly } from "../lib/exactly";
import { locale } from "../words";
import { ops } from "../words/ops";

/** A run with its times. */
export interface RunOnRecord extends RunInfo {
  started?: boolean;
  availableAt?: string;
  leaseUntil?: string;
  completedAt?: string;
}

export interface Station {
  /** Left out where it is not on record. */
  at?: string;
  words: string;
  detail?: string;
  tone: string;
}

/** What is on record of a run, in the order in which it was. */
export function wayOf(run: RunOnRecord, decisions: readonly DecisionInfo[] = []): Station[] {
  const way: Station[] = [];
  for (const one of decisions) {
    if (one.answeredBy?.id === run.id) way.push({ at: one.at, words: ops.beganBy[one.status](who(one)), detail: about(one), tone: "" });
  }
  way.push({ at: run.createdAt, words: run.parentRunId ? ops.stations.behind(run.parentRunId) : ops.stations.enqueued, tone: "" });
  if (run.availableAt && Date.parse(run.availableAt) > Date.parse(run.createdAt)) way.push({ at: run.availableAt, words: ops.stations.available, tone: "" });
  const begins = way.at(-1)!;
  if (run.takeovers) way.push({ words: ops.stations.takenOver(run.takeovers), tone: "busy" });
  // When it has started is not on record, so the one before it says so.
  if (run.started && run.attempts <= 1) Object.assign(begins, { words: ops.stations.andBegun(begins.words), tone: "busy" });
  else if (run.started) way.push({ words: ops.stations.attempts(run.attempts), tone: "busy" });
  else if (run.attempts > 0) way.push({ words: ops.stations.taken(run.attempts), tone: "busy" });
  const { words, tone } = runState(run);
  if (run.state === "queued" || run.state === "claimed") {
    const holder = run.state === "claimed" && run.claimedBy ? ops.stations.byNode(run.claimedBy) : undefined;
    way.push({ at: run.updatedAt, words, detail: [holder, run.leaseUntil && run.state === "claimed" ? ops.stations.lease(exactly(run.leaseUntil)) : undefined, run.error].filter(Boolean).join(" · "), tone });
  } else {
    const carrier = run.claimedBy ? ops.stations.onNode(run.claimedBy) : undefined;
    way.push({ at: run.completedAt ?? run.updatedAt, words, detail: [failureOf(run) ? undefined : runDetail(run), carrier].filter(Boolean).join(" · "), tone });
  }
  for (const one of decisions) {
    if (one.askedBy?.id === run.id) way.push({ at: one.at, words: ops.askedThen[one.status](who(one)), detail: about(one), tone: one.status === "resolved" ? "done" : "" });
  }
  if (run.continuedAs) way.push({ words: run.state === "dead_letter" ? ops.stations.requeued : ops.stations.continued, detail: ops.stations.asRun(nameOfId(run.continuedAs)), tone: "" });
  return way;
}

const who = ({ user }: DecisionInfo) => user || ops.somebody;

const about = ({ tool, message }: DecisionInfo) => tool ?? message;

/** What clocks here show at a time, whose day is known: "14:05:09". */
export const secondWords = (time: string) => new Date(time).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** How long a run was worked on, or has been so far; empty if nobody knows, or nobody works on it. */
export function workedWords(run: RunOnRecord, now = Date.now()): string {
  if (run.state === "queued") return "";
  return between(run.createdAt, run.state === "claimed" ? new Date(now).toISOString() : (run.completedAt ?? run.updatedAt));
}

/** Since when a run waits for a worker, an answer or a time; undefined: it does not. */
export function waitsSince(run: RunOnRecord, now = Date.now()): string | undefined {
  if (run.state === "queued") return run.createdAt;
  return run.waits && !isLate(run, now) ? (run.completedAt ?? run.updatedAt) : undefined;
}

/** How long a run has waited, or was worked on. */
export function lengthWords(run: RunOnRecord, now = Date.now()): string {
  const since = waitsSince(run, now);
  // A clock that is slow has seen nothing of it yet.
  return since === undefined ? workedWords(run, now) : ops.waitsFor(span(Math.max(1_000, now - Date.parse(since))));
}

/** How long it was from one station to another that has a time: "1.2 s", "3 min". */
export function between(from: string | undefined, to: string | undefined): string {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isNaN(ms) || ms < 0 ? "" : lasting(ms);
}

/** A length of time: "< 1 ms", "1.2 s", "3 min". */
export function lasting(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${decimal(ms / 1_000)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} ${ops.units.minute}` : `${Math.round(ms / 3_600_000)} ${ops.units.hour}`;
}
