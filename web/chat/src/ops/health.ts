// What is not well, in words, and the part of the view that shows it.

import { failedPart, span, targetState, type TargetInfo, type UpstreamInfo, type WorkInfo } from "./backlogs";
import { at } from "../lib/base";
import { together, type NodeInfo, type StoreInfo } from "./nodes";
import { AGES, runsHref } from "./runfilters";
import type { Me } from "../server/who";
import { locale } from "../words";
import { ops } from "../words/ops";

type Server = Pick<NodeInfo, "state" | "storeAvailable" | "startedAt"> & Partial<Pick<NodeInfo, "heardMs">>;

/** What is known of the server's health. A member is left out if it has not been read, or may not be. */
export interface Known {
  store?: StoreInfo;
  nodes?: readonly Server[];
  counts?: Record<string, number>;
  upstreams?: readonly Pick<UpstreamInfo, "name" | "requests" | "failed">[];
  targets?: readonly TargetInfo[];
  work?: readonly WorkInfo[];
  /** How many runs of the last hour have failed, and whether there are more. `whose` is as filters have it. */
  failed?: { n: number; more: boolean; whose: string };
  /** How many runs of all tenants have failed, and within how many milliseconds. */
  everybody?: { failed: number; withinMs: number };
}

/** A server that tells no users apart takes everybody for this one, whose own runs are then all. */
export const isEverybody = ({ user, tenant }: { user: string; tenant: string }) => user === "local" && tenant === "local";

/** Whether somebody sees the runs of others in the tenant. */
export const seesOthers = (me: Pick<Me, "user" | "tenant" | "scopes"> | undefined) => me !== undefined && me.scopes.includes("admin") && !isEverybody(me);

/** Which runs the overview names: what has failed of everybody's, or else the latest, everybody's if the person sees them; undefined: that is not known yet, or none may be read. */
export function named(runs: boolean, others: boolean, failed: Known["failed"]): "failures" | "everybody's" | "own" | undefined {
  if (!runs || (others && !failed)) return undefined;
  if (!others) return "own";
  return failed!.n > 0 ? "failures" : "everybody's";
}

/** What servers tell of the failed runs of all tenants; undefined if they tell nothing. */
export function failedOfAll(nodes: readonly NodeInfo[]): Known["everybody"] {
  const series = together(nodes, "failed");
  const everyMs = nodes.find((one) => one.everyMs)?.everyMs;
  return series.length > 0 && everyMs ? { failed: series.reduce((all, n) => all + n, 0), withinMs: series.length * everyMs } : undefined;
}

export interface Finding {
  words: string;
  /** The part that shows it, if there is one. */
  href?: string;
}

/** What nothing found means, by how the questions about it were answered: "" if nothing is missing. `false` is what the person may not ask. */
export function missing(wanted: readonly (false | { data?: unknown; error?: unknown })[]): "looking" | "stale" | "part" | "" {
  const asked = wanted.filter((one) => one !== false);
  if (asked.some(({ data, error }) => data === undefined && error === undefined)) return "looking";
  if (asked.some(({ data, error }) => data !== undefined && error !== undefined)) return "stale";
  return asked.length < wanted.length || asked.some(({ data }) => data === undefined) ? "part" : "";
}

/** What was looked at, in words; empty while nothing was. `whole`: one's own runs are all. */
export function coverage({ failed, everybody, counts, work, store, nodes, upstreams, targets }: Known, whole: boolean): string {
  const { covered } = ops;
  const parts = [
    failed && (failed.whose ? covered.failedOfTenant : whole ? covered.failed : covered.failedOfOwn),
    everybody && covered.everybody(span(everybody.withinMs)),
    counts && covered.counts,
    work && covered.work,
    store && covered.store,
    nodes && covered.nodes(nodes.length),
    upstreams?.length && covered.upstreams(upstreams.length),
    targets?.length && covered.targets(targets.length),
  ];
  return new Intl.ListFormat(locale).format(parts.filter((one) => typeof one === "string"));
}

/** The list of the runs of the last hour that failed. */
export const failedHref = ({ whose }: Pick<NonNullable<Known["failed"]>, "whose">) => runsHref({ result: "error", since: "hour", whose });

/** A run that has waited longer for a worker is not well. */
const WAITS_MS = 60_000;

/** How many servers serve less than there were when one of them fell silent. */
function lacking(nodes: readonly Server[]): number {
  const silent = nodes.filter(({ state }) => state === "silent");
  const now = Date.now();
  const wasThere = ({ heardMs = 0 }: Server) => ({ state, startedAt, heardMs: told = 0 }: Server) =>
    (startedAt === undefined || Date.parse(startedAt) <= now - heardMs) && (state === "serving" || (state === "silent" && told <= heardMs));
  const before = Math.max(0, ...silent.map((one) => nodes.filter(wasThere(one)).length));
  return Math.min(silent.length, Math.max(0, before - nodes.filter(({ state }) => state === "serving").length));
}

/** What an operator may want to know though all is well: servers were lost, and as many serve as before. */
export function replaced(nodes: readonly Server[] = []): string | undefined {
  const silent = nodes.filter(({ state }) => state === "silent");
  if (silent.length === 0 || lacking(nodes) > 0) return undefined;
  const last = Date.now() - Math.min(...silent.map(({ heardMs = 0 }) => heardMs));
  return ops.replaced(silent.length, new Date(last).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" }));
}

/** What an operator should look at, the worst first. */
export function findings({ store, nodes = [], counts = {}, upstreams = [], targets = [], work = [], failed, everybody }: Known): Finding[] {
  const found: Finding[] = [];
  const find = (href: string | undefined, words: string) => found.push({ href, words });
  if (store && !store.available) find(at("/ops/servers"), ops.finds.storeAway);
  else if (store?.partial) find(at("/ops/servers"), ops.finds.storePartial);
  const silent = lacking(nodes);
  if (silent > 0) find(at("/ops/servers"), ops.finds.silent(silent));
  const away = nodes.filter((one) => one.state === "serving" && !one.storeAvailable).length;
  if (away > 0 && store?.available) find(at("/ops/servers"), ops.finds.noStore(away));
  for (const { agent, waiting, oldestMs } of work) {
    if (waiting > 0 && oldestMs >= WAITS_MS) find(undefined, ops.finds.waits(waiting, agent || ops.finds.defaultAgent, span(oldestMs)));
  }
  const dead = counts.dead_letter ?? 0;
  if (dead > 0) find(at("/ops/dead-letters"), ops.finds.dead(dead));
  if (failed && failed.n > 0) find(failedHref(failed), ops.finds.failed(failed.n, failed.more));
  // The hour's own are among them only if they reach as far back.
  const own = everybody && everybody.withinMs >= AGES.hour! ? (failed?.n ?? 0) : 0;
  if (everybody && everybody.failed > own) find(undefined, ops.finds.failedOfAll(everybody.failed, span(everybody.withinMs)));
  for (const one of upstreams) {
    if (one.failed > 0) find(at("/ops/upstreams"), ops.finds.upstream(failedPart(one), one.name));
  }
  for (const target of targets) {
    const state = targetState(target);
    if (state === "disabled" || state === "full" || state === "failing") find(at("/ops/webhooks"), ops.finds.target(target.name, ops.targetStates[state]));
    const lost = target.owed?.dead ?? 0;
    if (lost > 0) find(at("/ops/webhooks"), ops.finds.givenUp(lost, target.name));
  }
  const risks = store?.servers.flatMap(({ warnings }) => warnings).length ?? 0;
  if (risks > 0) find(at("/ops/servers"), ops.finds.risks(risks));
  return found;
}
