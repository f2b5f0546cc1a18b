import { expect, it, vi } from "vitest";
import { coverage, failedOfAll, findings, isEverybody, missing, named, replaced, seesOthers, type Known } from "../src/ops/health";
import type { NodeInfo } from "../src/ops/nodes";

const words = (known: Known) => findings(known).map(({ words, href }) => `${words} ${href ?? "nowhere"}`);
const server = { latencyMs: 1, replicas: 0, commandsPerSecond: 0 };
const well: Known = {
  store: { available: true, servers: [{ ...server, warnings: [] }] },
  nodes: [{ state: "serving", storeAvailable: true }, { state: "draining", storeAvailable: true }],
  counts: { acked: 7, dead_letter: 0 },
  upstreams: [{ name: "weather", requests: 9, failed: 0 }],
  targets: [{ name: "crm", url: "https://crm.example", owed: { waiting: 2, failed: 1, dead: 0, most: 9 } }],
  work: [{ agent: "", waiting: 3, lag: 0, pending: 0, oldestMs: 59_000 }],
  failed: { n: 0, more: false, whose: "" },
};

it("finds nothing where all is well, or where nothing is known", () => {
  expect(words(well)).toEqual([]);
  expect(words({})).toEqual([]);
});

it.each<[keyof Known, Known, string]>([
  ["store", { store: { available: false, servers: [] } }, "The store does not answer /ops/servers"],
  ["store", { store: { available: true, partial: true, servers: [] } }, "Some of the store's servers do not answer /ops/servers"],
  ["store", { store: { available: true, servers: [{ ...server, warnings: [{ setting: "appendonly", value: "no", problem: "x" }] }] } }, "1 setting of the store may lose data /ops/servers"],
  ["nodes", { nodes: [{ state: "silent", storeAvailable: true }, { state: "silent", storeAvailable: true }] }, "2 servers are silent /ops/servers"],
  ["nodes", { nodes: [{ state: "serving", storeAvailable: false }] }, "1 server does not reach the store /ops/servers"],
  ["counts", { counts: { dead_letter: 3 } }, "3 dead letters wait for a decision /ops/dead-letters"],
  ["failed", { failed: { n: 1, more: false, whose: "" } }, "1 run failed in the last hour /ops/runs?result=error&since=hour"],
  ["failed", { failed: { n: 200, more: true, whose: "" } }, "At least 200 runs failed in the last hour /ops/runs?result=error&since=hour"],
  ["failed", { failed: { n: 2, more: false, whose: "tenant" }, everybody: { failed: 2, withinMs: 3_600_000 } }, "2 runs failed in the last hour /ops/runs?result=error&since=hour&whose=tenant"],
  ["everybody", { everybody: { failed: 2, withinMs: 300_000 } }, "2 runs of all tenants failed in the last 5 min nowhere"],
  ["upstreams", { upstreams: [{ name: "weather", requests: 10, failed: 2 }] }, "20 % of the requests to weather failed in the last five minutes /ops/upstreams"],
  ["targets", { targets: [{ name: "crm", url: "", goneAt: "2030-01-31T14:02:00Z" }] }, "The webhook target crm is disabled /ops/webhooks"],
  ["targets", { targets: [{ name: "crm", url: "", owed: { waiting: 1, failed: 1, failingSince: "2030-01-31T14:02:00Z", dead: 0, most: 9 } }] }, "The webhook target crm is failing /ops/webhooks"],
  ["targets", { targets: [{ name: "crm", url: "", owed: { waiting: 9, failed: 0, dead: 0, most: 9 } }] }, "The webhook target crm is full /ops/webhooks"],
  ["targets", { targets: [{ name: "crm", url: "", owed: { waiting: 0, failed: 0, dead: 1, most: 9 } }] }, "1 webhook to crm was given up /ops/webhooks"],
  ["work", { work: [{ agent: "", waiting: 2, lag: 0, pending: 0, oldestMs: 180_000 }] }, "2 runs of the default agent wait for a worker, the oldest for 3 min nowhere"],
])("says what is not well with %s", (_, change, want) => {
  expect(words({ ...well, ...change })).toEqual([want]);
});

it.each<[string, Array<[state: NodeInfo["state"], startedMinAgo: number, heardMinAgo: number]>, string[], number | undefined]>([
  ["one is gone", [["serving", 60, 0], ["silent", 60, 5]], ["1 server is silent"], undefined],
  ["another has started since", [["serving", 60, 0], ["silent", 60, 5], ["serving", 4, 0]], [], 5],
  ["both were killed and started twice", [["silent", 60, 9], ["silent", 60, 9.1], ["silent", 8, 5], ["silent", 8, 5], ["serving", 4, 0], ["serving", 4, 0]], [], 5],
  ["both were killed and one started", [["silent", 60, 9], ["silent", 60, 9.1], ["serving", 4, 0]], ["1 server is silent"], undefined],
  ["none serves", [["silent", 60, 9], ["silent", 8, 5]], ["1 server is silent"], undefined],
  ["the other leaves", [["silent", 60, 9], ["draining", 60, 0]], ["1 server is silent"], undefined],
])("tells servers that are lost from those that others have replaced: %s", (_, all, found, lastAgo) => {
  const NOW = Date.UTC(2030, 0, 31, 14);
  vi.useFakeTimers({ now: NOW });
  const ago = (minutes: number) => NOW - minutes * 60_000;
  const nodes = all.map(([state, started, heard]) => ({ state, storeAvailable: true, startedAt: new Date(ago(started)).toISOString(), heardMs: NOW - ago(heard) }));
  expect(findings({ nodes }).map(({ words }) => words)).toEqual(found);
  const at = lastAgo && new Date(ago(lastAgo)).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit" });
  expect(replaced(nodes)?.match(/\d\d:\d\d( [AP]M)?/)?.[0]).toBe(at);
  vi.useRealTimers();
});

it("says what failed of all tenants in less than an hour, which may be of others", () => {
  expect(words({ failed: { n: 2, more: false, whose: "tenant" }, everybody: { failed: 1, withinMs: 300_000 } })).toEqual([
    "2 runs failed in the last hour /ops/runs?result=error&since=hour&whose=tenant",
    "1 run of all tenants failed in the last 5 min nowhere",
  ]);
});

it("does not call well what it has not read, or not lately", () => {
  const read = { data: 1 }, refused = { error: 403 };
  expect(missing([read, read])).toBe("");
  expect([missing([read, refused]), missing([read, false])]).toEqual(["part", "part"]);
  expect(missing([read, {}, refused])).toBe("looking");
  expect(missing([read, { data: 1, error: "unreachable" }, refused])).toBe("stale");
});

it("knows how many runs failed of whom", () => {
  expect(isEverybody({ user: "local", tenant: "local" })).toBe(true);
  expect(isEverybody({ user: "ann", tenant: "local" })).toBe(false);
  expect(seesOthers({ user: "ann", tenant: "acme", scopes: ["admin"] })).toBe(true);
  expect(seesOthers({ user: "ann", tenant: "acme", scopes: ["read", "approver", "metrics"] })).toBe(false);
  expect(seesOthers({ user: "local", tenant: "local", scopes: ["admin"] })).toBe(false);
  expect(seesOthers(undefined)).toBe(false);
  const node: NodeInfo = { node: "n", state: "serving", heardMs: 0, agents: [], sockets: 0, streams: 0, runs: 0, maxRuns: 1, memoryBytes: 1, storeAvailable: true, storeCalls: 0, storeErrors: 0 };
  expect(failedOfAll([node])).toBeUndefined();
  expect(failedOfAll([{ ...node, everyMs: 5_000, rates: { failed: [0, 2] } }, { ...node, everyMs: 5_000, rates: { failed: [1] } }])).toEqual({ failed: 3, withinMs: 10_000 });
});

it("says what it has looked at, and whose runs", () => {
  expect(coverage({ everybody: { failed: 0, withinMs: 300_000 } }, false)).toBe("the runs of all tenants in the last 5 min");
  expect(coverage(well, true)).toBe("the runs of the last hour, dead letters, what waits for workers, the store, 2 servers, 1 upstream, and 1 webhook target");
  const { failed } = well;
  expect(coverage({ failed }, false)).toBe("your own runs of the last hour");
  expect(coverage({ failed: { n: 0, more: false, whose: "tenant" } }, false)).toBe("everybody's runs of the last hour");
  expect(coverage({ upstreams: [], targets: [] }, false)).toBe("");
  expect(coverage({}, false)).toBe("");
});

it("names everybody's runs for whoever sees them, and what has failed before all others", () => {
  const none = { n: 0, more: false, whose: "tenant" };
  expect(named(true, true, none)).toBe("everybody's");
  expect(named(true, true, { ...none, n: 1 })).toBe("failures");
  expect(named(true, false, { ...none, n: 1, whose: "" })).toBe("own");
  expect([named(true, true, undefined), named(false, false, none), named(false, true, none)]).toEqual([undefined, undefined, undefined]);
});
