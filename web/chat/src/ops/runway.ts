// The way of a run through its states, from what is on record of it.

import type { DecisionInfo, RunInfo } from "../server/api";
import { runDetail, runState } from "./runstates";

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
    if (one.answeredBy?.id === run.id) way.push({ at: one.at, words: `${who(one)} ${did(one)} what was asked, which began it`, detail: about(one), tone: "" });
  }
  way.push({ at: run.createdAt, words: run.parentRunId ? `enqueued behind ${run.parentRunId}` : "enqueued", tone: "" });
  if (run.availableAt && Date.parse(run.availableAt) > Date.parse(run.createdAt)) way.push({ at: run.availableAt, words: "may be taken from then on", tone: "" });
  if (run.takeovers) way.push({ words: run.takeovers === 1 ? "taken over once, from a node that was lost or drained" : `taken over ${run.takeovers} times, from nodes that were lost or drained`, tone: "busy" });
  if (run.started) way.push({ words: run.attempts > 1 ? `begun, ${run.attempts} attempts since it last recorded something` : "begun", tone: "busy" });
  else if (run.attempts > 0) way.push({ words: run.attempts === 1 ? "taken by a worker once" : `taken by workers ${run.attempts} times`, tone: "busy" });
  const { words, tone } = runState(run);
  if (run.state === "queued" || run.state === "claimed") {
    const holder = run.state === "claimed" && run.claimedBy ? `by node ${run.claimedBy}` : undefined;
    way.push({ at: run.updatedAt, words, detail: [holder, run.leaseUntil && run.state === "claimed" ? `its lease holds until ${new Date(run.leaseUntil).toLocaleTimeString()}` : undefined, run.error].filter(Boolean).join("; "), tone });
  } else {
    const carrier = run.claimedBy ? `on node ${run.claimedBy}` : undefined;
    way.push({ at: run.completedAt ?? run.updatedAt, words, detail: [runDetail(run), run.wrote?.text, carrier].filter(Boolean).join("; "), tone });
  }
  if (run.continuedAs) way.push({ words: run.state === "dead_letter" ? "requeued" : "continued", detail: `as run ${run.continuedAs}`, tone: "" });
  for (const one of decisions) {
    if (one.askedBy?.id === run.id) way.push({ at: one.at, words: `${who(one)} ${did(one)} what it asked`, detail: about(one), tone: one.status === "resolved" ? "done" : "" });
  }
  return way;
}

const who = ({ user, status }: DecisionInfo) => (status === "expired" ? "nobody" : user || "somebody");

const did = ({ status }: DecisionInfo) => ({ resolved: "answered", cancelled: "cancelled", expired: "answered in time" })[status];

const about = ({ tool, message }: DecisionInfo) => tool ?? message;

/** How long a run took from its input on, or has taken so far; empty if nobody knows. */
export function tookWords(run: RunOnRecord, now = Date.now()): string {
  const live = run.state === "queued" || run.state === "claimed";
  return between(run.createdAt, live ? new Date(now).toISOString() : (run.completedAt ?? run.updatedAt));
}

/** How long it was from one station to another that has a time: "1.2 s", "3 min". */
export function between(from: string | undefined, to: string | undefined): string {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  if (Number.isNaN(ms) || ms < 0) return "";
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
