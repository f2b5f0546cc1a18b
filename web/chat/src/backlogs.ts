// What waits for workers and for targets, in words.

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
  owed?: { waiting: number; failed: number; failingSince?: string; dead: number; most: number };
}

const UNITS: Array<[ms: number, unit: string]> = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** A length of time: "now", "42 s", "3 min", "2 d". */
export function span(ms: number): string {
  for (const [step, unit] of UNITS) {
    if (ms >= step) return `${Math.floor(ms / step)} ${unit}`;
  }
  return ms < 1_000 ? "now" : `${Math.floor(ms / 1_000)} s`;
}

export type TargetState = "disabled" | "full" | "failing" | "trying again" | "sending" | "up to date" | "not told";

/** How it goes with a target. */
export function targetState({ goneAt, owed }: TargetInfo): TargetState {
  if (goneAt) return "disabled";
  if (!owed) return "not told";
  if (owed.most > 0 && owed.waiting >= owed.most) return "full";
  if (owed.failingSince) return "failing";
  if (owed.failed > 0) return "trying again";
  return owed.waiting > 0 ? "sending" : "up to date";
}
