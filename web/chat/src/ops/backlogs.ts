// What waits for workers, for targets and for people, in words.

import type { InboxItem, Page } from "../server/api";
import { decimal } from "./nodes";
import { ops } from "../words/ops";

/** What waits for the workers of an agent. */
export interface WorkInfo {
  /** Empty: the default one. */
  agent: string;
  waiting: number;
  lag: number;
  pending: number;
  oldestMs: number;
}

/** A target of webhooks. */
export interface TargetInfo {
  name: string;
  url: string;
  kinds?: string[];
  tenant?: string;
  /** When it said that it wants no more. */
  goneAt?: string;
  /** Not told of a target of all tenants to who sees one. */
  owed?: { waiting: number; failed: number; failingSince?: string; lastError?: string; dead: number; most: number };
}

/** An agent that another server serves, as this server has met it. */
export interface UpstreamInfo {
  name: string;
  url: string;
  inFlight: number;
  waiting: number;
  /** Of which requests and failed tell. */
  seconds: number;
  requests: number;
  failed: number;
  /** Left out while no event has come. */
  firstEventMs?: number;
  firstEventP95Ms?: number;
  repairs: Record<string, number>;
  lastError?: { code: string; at: string };
}

/** How many requests a minute: "0", "0.4", "12". */
export function perMinute({ requests, seconds }: Pick<UpstreamInfo, "requests" | "seconds">): string {
  const rate = (requests * 60) / Math.max(seconds, 1);
  return rate >= 10 || rate === 0 ? String(Math.round(rate)) : decimal(rate);
}

/** What part of the requests failed: "0 %", "12 %"; nothing where there were none. */
export function failedPart({ requests, failed }: Pick<UpstreamInfo, "requests" | "failed">): string {
  if (requests === 0) return "";
  const percent = (failed * 100) / requests;
  return `${percent > 0 && percent < 1 ? "< 1" : Math.round(percent)} %`;
}

export type UpstreamState = keyof typeof ops.upstreamStates;

/** How it goes with an upstream. */
export function upstreamState({ requests, failed }: Pick<UpstreamInfo, "requests" | "failed">): UpstreamState {
  if (requests === 0) return "idle";
  if (failed === 0) return "well";
  return failed >= requests ? "down" : "failing";
}

/** How long the first event took: "120 ms", "2.5 s", with the slow ones behind a stroke. */
export function firstEvent({ firstEventMs, firstEventP95Ms }: Pick<UpstreamInfo, "firstEventMs" | "firstEventP95Ms">): string {
  return [firstEventMs, firstEventP95Ms].filter((ms) => ms !== undefined).map((ms) => (ms < 1_000 ? `${ms} ms` : `${decimal(ms / 1_000)} s`)).join(" / ");
}

const UNITS: Array<[ms: number, unit: keyof typeof ops.units]> = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
];

/** A length of time: "now", "42 s", "3 min", "2 d". */
export function span(ms: number): string {
  for (const [step, unit] of UNITS) {
    if (ms >= step) return `${Math.floor(ms / step)} ${ops.units[unit]}`;
  }
  return ms < 1_000 ? ops.now : `${Math.floor(ms / 1_000)} s`;
}

/** How long the first of the inbox has waited: "3 min", "none"; nothing while that is not known. */
export function oldestWords(inbox: Page<Pick<InboxItem, "since">> | undefined, now = Date.now()): string {
  const first = inbox?.items[0];
  if (!first) return inbox && !inbox.partial ? ops.none : "";
  // A clock that is slow has seen nothing of it yet.
  return first.since ? span(Math.max(0, now - Date.parse(first.since))) : "";
}

export type TargetState = keyof typeof ops.targetStates;

/** How it goes with a target. */
export function targetState({ goneAt, owed }: TargetInfo): TargetState {
  if (goneAt) return "disabled";
  if (!owed) return "untold";
  if (owed.most > 0 && owed.waiting >= owed.most) return "full";
  if (owed.failingSince) return "failing";
  if (owed.failed > 0) return "trying";
  return owed.waiting > 0 ? "sending" : "done";
}
