// What nodes and the store tell of themselves, in words and sums.

import { locale } from "../words";
import { ops } from "../words/ops";

export interface NodeInfo {
  node: string;
  host?: string;
  pid?: number;
  state: "serving" | "draining" | "silent";
  /** How long ago it told this. */
  heardMs: number;
  self?: boolean;
  version?: string;
  startedAt?: string;
  agents: string[];
  sockets: number;
  streams: number;
  runs: number;
  maxRuns: number;
  memoryBytes: number;
  storeAvailable: boolean;
  storeCalls: number;
  storeErrors: number;
  /** Left out while there are no calls. */
  storeMs?: number;
  storeP95Ms?: number;
  /** What one number of the rates counts. */
  everyMs?: number;
  /** By what is counted, the latest last. */
  rates?: Record<string, number[]>;
}

export interface StoreInfo {
  available: boolean;
  embedded?: boolean;
  at?: string;
  partial?: boolean;
  servers: Array<{
    address?: string;
    version?: string;
    latencyMs: number;
    uptimeMs?: number;
    memoryBytes?: number;
    memoryLimitBytes?: number;
    clients?: number;
    replicas: number;
    commandsPerSecond: number;
    warnings: Array<{ setting: string; value: string; problem: string }>;
  }>;
}

/** What is shown of the rates, in this order. */
export const RATES = ["inputs", "runs", "failed", "asked", "events"] as const;

export type Rate = (typeof RATES)[number];

/** What a node is called: its machine and process, as its start says them; one of another version by its id. */
export const nodeName = ({ node, host, pid }: Pick<NodeInfo, "node" | "host" | "pid">): string => [host, pid ?? node.slice(0, 6)].filter(Boolean).join(" ");

/** A rate of all nodes together, the latest last. Nodes that have told for less long, or are silent, add to what they can. */
export function together(nodes: readonly NodeInfo[], rate: Rate): number[] {
  const series = nodes.filter(({ state }) => state !== "silent").map(({ rates }) => rates?.[rate] ?? []);
  const length = Math.max(0, ...series.map((one) => one.length));
  return Array.from({ length }, (_, i) => series.reduce((sum, one) => sum + (one[one.length - length + i] ?? 0), 0));
}

/** A number with one decimal: "0.4". */
export function decimal(n: number): string {
  return n.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** A count as it is spoken of: "0", "0.4", "2", "12", "1,200". */
export function countWords(n: number): string {
  if (Number.isInteger(n) || n >= 10) return Math.round(n).toLocaleString(locale);
  return decimal(n);
}

/** A time of milliseconds: "< 1 ms", "4 ms", "2.5 s". */
export function took(ms: number | undefined): string {
  if (ms === undefined) return "";
  if (ms < 1) return "< 1 ms";
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${decimal(ms / 1_000)} s`;
}

const TONES: Record<NodeInfo["state"], string> = { serving: "done", draining: "asked", silent: "late" };

/** How it goes with a node: in a word, and its tone. */
export function nodeState({ state, storeAvailable }: Pick<NodeInfo, "state" | "storeAvailable">): { words: string; tone: string } {
  if (state === "serving" && !storeAvailable) return { words: ops.nodeStates.away, tone: "late" };
  return { words: ops.nodeStates[state] ?? state, tone: TONES[state] ?? "" };
}

/** What a node does, and what is to be done about it. */
export function nodeAbout({ state, storeAvailable }: Pick<NodeInfo, "state" | "storeAvailable">): string {
  return state === "serving" && !storeAvailable ? ops.nodeAbout.away : (ops.nodeAbout[state] ?? "");
}

/** How much of what it may do a node does: "0%", "< 1%", "42%". */
export function loadWords(runs: number, maxRuns: number): string {
  if (maxRuns <= 0) return "";
  const part = runs / maxRuns;
  const words = (n: number) => n.toLocaleString(locale, { style: "percent", maximumFractionDigits: 0 });
  return part > 0 && part < 0.01 ? `< ${words(0.01)}` : words(part);
}

/** The points of a line through a series within a box; one that has no height lies at the bottom. */
export function line(series: readonly number[], width: number, height: number): string {
  const most = Math.max(...series, 0);
  const step = series.length > 1 ? width / (series.length - 1) : 0;
  return series.map((n, i) => `${round(i * step)},${round(most === 0 ? height : height - (n / most) * height)}`).join(" ");
}

const round = (n: number) => Math.round(n * 10) / 10;
