// What can still be answered, and what is due soon.

import { expect, it } from "vitest";
import { isLate, nearOf } from "../src/inbox/late";
import type { InboxItem } from "../src/server/api";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;
type Asked = Partial<InboxItem["interrupts"][number]>;
const inHours = (hours: number): Asked => ({ expiresAt: new Date(NOW + hours * HOUR).toISOString() });
const item = (...asked: Asked[]) => ({ threadId: "t", namespace: "", title: "", runId: "r", interrupts: asked.map((one, i) => ({ id: `${i}`, interrupt: {}, ...one })) }) as InboxItem;
const draft = { interruptId: "0", status: "resolved" } as Asked["draft"];

it.each([
  ["what never expires", item({}), false, 0],
  ["what is due in 49 hours", item(inHours(49)), false, 0],
  ["what is due in two days", item(inHours(48)), false, 1],
  ["what expired", item(inHours(-1)), true, 1],
  ["what is over by the server's clock", item({ ...inHours(99), stale: true }), true, 1],
  ["what expired in part", item(inHours(-1), inHours(99)), false, 1],
  ["what expired but for a draft", item({ ...inHours(99), draft }, inHours(-1)), false, 1],
  ["what is answered in part, and expired", item({ ...inHours(-2), draft }, inHours(-1)), true, 2],
  ["what is not all in the list, and may have others", { ...item(inHours(-1)), omitted: 1 }, false, 1],
  ["what is not all in the list, and expired", { ...item(inHours(-1)), omitted: 1, ...inHours(-1) }, true, 1],
] as const)("tells %s", (_, one, late, near) => expect([isLate(one, NOW), nearOf(one, NOW).length]).toEqual([late, near]));
