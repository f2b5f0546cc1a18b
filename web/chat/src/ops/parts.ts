// The parts of the operator's view, and who may read which.

import { at } from "../lib/base";
import type { Me } from "../server/who";

/** web.go serves the page at each. */
export const PARTS = ["overview", "runs", "dead-letters", "servers", "upstreams", "webhooks"] as const;

export type Part = (typeof PARTS)[number];

export const placeOf = (part: Part) => (part === "overview" ? "/ops" : `/ops/${part}`);

type May = (scope: string) => boolean;

const seesServers = (may: May): boolean => may("metrics") || (may("admin") && may("tenants"));

/** What the overview may ask the server for: what goes on in servers and the store, deliveries and webhooks, runs, and what waits for answers. */
export const asks = (may: May) => ({
  servers: seesServers(may),
  deliveries: may("admin"),
  // Whoever reads a list of runs here can go to each.
  runs: readable(may).includes("runs"),
  waiting: may("admin") || may("read") || may("approver"),
});

export type Asks = ReturnType<typeof asks>;

/** Those that somebody may read. `may` tells whether they have a scope. */
export function readable(may: May): Part[] {
  const all = seesServers(may);
  return PARTS.filter((part) => (part === "servers" || part === "upstreams" ? all : may("admin") || (part === "overview" && all)));
}

/** Whether the server has said who is there, or, if it says so of nobody, has answered them: nothing else is asked for them before. */
export const isThere = (me: Me | undefined, { data, error }: { data?: object; error?: object }): boolean => me !== undefined || data !== undefined || error !== undefined;

/** Where somebody is led who may read other parts than the one at a place; undefined: nowhere else. */
export function insteadOf(place: string, parts: readonly Part[]): string | undefined {
  const part = PARTS.find((one) => placeOf(one) === place);
  if (parts.length === 0 || !part || parts.includes(part)) return undefined;
  return at(placeOf(parts[0]!));
}
