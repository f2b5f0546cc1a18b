import { expect, it } from "vitest";
import { asks, insteadOf, isThere, readable } from "../src/ops/parts";

const parts = (...scopes: string[]) => readable((scope) => scopes.includes(scope));

it("shows the parts that somebody may read, and no other", () => {
  expect(parts("read", "run", "approver", "admin")).toEqual(["overview", "runs", "dead-letters", "webhooks"]);
  expect(parts("admin", "tenants")).toEqual(["overview", "runs", "dead-letters", "servers", "upstreams", "webhooks"]);
  expect(parts("metrics")).toEqual(["overview", "servers", "upstreams"]);
  expect(parts("read", "approver", "tenants")).toEqual([]);
});

it("leads from a part that one may not read to one that one may", () => {
  expect(insteadOf("/ops/servers", parts("admin"))).toBe("/ops");
  expect(insteadOf("/ops/runs", parts("metrics"))).toBe("/ops");
  expect(insteadOf("/ops/servers", parts("metrics"))).toBeUndefined();
  // That there is no such page is said, to whom any is shown.
  expect(insteadOf("/ops/nothing", parts("admin"))).toBeUndefined();
});

it("asks the server for nothing that somebody may not be told", () => {
  const of = (...scopes: string[]) => Object.entries(asks((scope) => scopes.includes(scope))).flatMap(([what, may]) => (may ? what : [])).join();
  expect([of("admin"), of("admin", "tenants"), of("metrics"), of("metrics", "approver"), of("metrics", "read")]).toEqual(["deliveries,runs,waiting", "servers,deliveries,runs,waiting", "servers", "servers,waiting", "servers,waiting"]);
});

it("knows that somebody is there when the server has said who, or has answered where it does not say so", () => {
  const me = { user: "ann", tenant: "t", scopes: [] };
  expect([isThere(me, {}), isThere(undefined, {}), isThere(undefined, { data: {} }), isThere(undefined, { error: { status: 403 } })]).toEqual([true, false, true, true]);
});
