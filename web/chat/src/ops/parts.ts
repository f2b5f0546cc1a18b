// The parts of the operator's view, and who may read which.

import { at } from "../lib/base";

/** web.go serves the page at each. */
export const PARTS = ["overview", "runs", "dead-letters", "servers", "upstreams", "webhooks"] as const;

export type Part = (typeof PARTS)[number];

export const placeOf = (part: Part) => (part === "overview" ? "/ops" : `/ops/${part}`);

/** Those that somebody may read. `may` tells whether they have a scope. */
export function readable(may: (scope: string) => boolean): Part[] {
  const all = may("metrics") || (may("admin") && may("tenants"));
  return PARTS.filter((part) => (part === "servers" || part === "upstreams" ? all : may("admin") || (part === "overview" && all)));
}

/** Where somebody is led who may not read what is at a place; undefined: nowhere else. */
export function insteadOf(place: string, parts: readonly Part[]): string | undefined {
  const part = PARTS.find((one) => placeOf(one) === place);
  if (parts.length > 0 && (!part || parts.includes(part))) return undefined;
  return at(parts[0] ? placeOf(parts[0]) : "/inbox");
}
