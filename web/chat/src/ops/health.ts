// What is not well, in words, and the part of the view that shows it.

import { failedPart, span, targetState, type TargetInfo, type UpstreamInfo, type WorkInfo } from "./backlogs";
import type { NodeInfo, StoreInfo } from "./nodes";

/** What is known of the server's health. A member is left out if it has not been read, or may not be. */
export interface Known {
  store?: StoreInfo;
  nodes?: readonly Pick<NodeInfo, "state" | "storeAvailable">[];
  counts?: Record<string, number>;
  upstreams?: readonly Pick<UpstreamInfo, "name" | "requests" | "failed">[];
  targets?: readonly TargetInfo[];
  work?: readonly WorkInfo[];
}

export interface Finding {
  words: string;
  /** The part that shows it. */
  href: string;
}

/** What nothing found means, by how the questions about it were answered: "" if nothing is missing. */
export function missing(asked: readonly { data?: unknown; error?: unknown }[]): "looking" | "stale" | "part" | "" {
  if (asked.some(({ data, error }) => data === undefined && error === undefined)) return "looking";
  if (asked.some(({ data, error }) => data !== undefined && error !== undefined)) return "stale";
  return asked.some(({ data }) => data === undefined) ? "part" : "";
}

/** A run that has waited longer for a worker is not well. */
const WAITS_MS = 60_000;

const many = (n: number, one: string, more: string) => (n === 1 ? `1 ${one}` : `${n} ${more}`);

/** What an operator should look at, the worst first. */
export function findings({ store, nodes = [], counts = {}, upstreams = [], targets = [], work = [] }: Known): Finding[] {
  const found: Finding[] = [];
  const find = (href: string, words: string) => found.push({ href, words });
  if (store && !store.available) find("/ops/servers", "The store does not answer");
  else if (store?.partial) find("/ops/servers", "Some of the store's servers do not answer");
  const silent = nodes.filter(({ state }) => state === "silent").length;
  if (silent > 0) find("/ops/servers", many(silent, "server is silent", "servers are silent"));
  const away = nodes.filter((one) => one.state === "serving" && !one.storeAvailable).length;
  if (away > 0 && store?.available) find("/ops/servers", many(away, "server does not reach the store", "servers do not reach the store"));
  for (const { agent, waiting, oldestMs } of work) {
    if (waiting > 0 && oldestMs >= WAITS_MS) find("/ops/runs", `${many(waiting, "run", "runs")} of ${agent || "the default agent"} ${waiting === 1 ? "waits" : "wait"} for a worker, the oldest for ${span(oldestMs)}`);
  }
  const dead = counts.dead_letter ?? 0;
  if (dead > 0) find("/ops/dead-letters", many(dead, "dead letter waits for a decision", "dead letters wait for a decision"));
  for (const one of upstreams) {
    if (one.failed > 0) find("/ops/upstreams", `${failedPart(one)} of the requests to ${one.name} failed in the last five minutes`);
  }
  for (const target of targets) {
    const state = targetState(target);
    if (state === "disabled" || state === "full" || state === "failing") find("/ops/webhooks", `The webhook target ${target.name} is ${state}`);
    const lost = target.owed?.dead ?? 0;
    if (lost > 0) find("/ops/webhooks", `${many(lost, "webhook", "webhooks")} to ${target.name} ${lost === 1 ? "was" : "were"} given up`);
  }
  const risks = store?.servers.flatMap(({ warnings }) => warnings).length ?? 0;
  if (risks > 0) find("/ops/servers", many(risks, "setting of the store may lose data", "settings of the store may lose data"));
  return found;
}
