// What can still be answered, and what is due soon.

import { expect, it } from "vitest";
import { isLate, isUrgent } from "../src/inbox/late";
import type { InboxItem } from "../src/server/api";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const DAY = 86_400_000;
type Asked = Partial<InboxItem["interrupts"][number]>;
const inDays = (days: number): Asked => ({ expiresAt: new Date(NOW + days * DAY).toISOString() });
const item = (...asked: Asked[]) => ({ threadId: "t", namespace: "", title: "", runId: "r", interrupts: asked.map((one, i) => ({ id: `${i}`, interrupt: {}, ...one })) }) as InboxItem;
const draft = { interruptId: "0", status: "resolved" } as Asked["draft"];

it.each([
  ["what never expires", item({}), false, false],
  ["what is due in a month", item(inDays(29)), false, false],
  ["what is due in six days", item(inDays(6)), false, true],
  ["what expired", item(inDays(-1)), true, true],
  ["what is over by the server's clock", item({ ...inDays(1), stale: true }), true, true],
  ["what expired in part", item(inDays(-1), inDays(29)), false, true],
  ["what expired but for a draft", item({ ...inDays(29), draft }, inDays(-1)), true, true],
  ["what is answered, and expired", item({ ...inDays(-1), draft }), false, true],
] as const)("tells %s", (_, one, late, urgent) => expect([isLate(one, NOW), isUrgent(one, NOW)]).toEqual([late, urgent]));
