// Several threads answered by one request, each once.

import { expect, it, vi } from "vitest";
import { ApiError, type InboxItem } from "../src/server/api";
import { among, Bulk, bulkable, called, countOf, endBelow, MOST, questionsKey, toolsOf } from "../src/inbox/bulk";

type Asked = InboxItem["interrupts"][number];

const asked = (some: Partial<Asked> = {}): Asked => ({
  id: "i1",
  interrupt: { id: "i1", reason: "tool_call", message: "Send?", toolCallId: "c1" },
  toolCall: { name: "send", arguments: '{"to":"ada"}' },
  ...some,
});
const item = (threadId: string, ...interrupts: Asked[]): InboxItem => ({ threadId, namespace: "ns", title: threadId, runId: "r", interrupts });
const one = item("one", asked());
const two = item("two", asked(), asked({ id: "i2", toolCall: { name: "pay", arguments: "{}" } }));

/** A server that gives these answers, one after another; what it was asked is kept. */
function bulkOf(...answers: unknown[]) {
  let keys = 0;
  const post = vi.fn(async (_: unknown) => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as never;
  });
  const bulk = new Bulk(post, () => `key-${++keys}`);
  return { bulk, post, sent: () => post.mock.calls.map(([request]) => request as { idempotencyKey: string; items: Array<{ threadId: string }> }) };
}

const taken = { resolved: { missing: [] } };
const refused = { error: { status: 409, code: "interrupt_conflict", detail: "somebody was faster" } };
const lost = { error: { status: 503, code: "store_unavailable", detail: "no answer" } };

it("asks first, and sends what was chosen then", async () => {
  const { bulk, post, sent } = bulkOf({ items: [taken, refused] });
  bulk.propose("decline", [one, two]);
  expect([bulk.look().state, post.mock.calls.length]).toEqual(["asking", 0]);
  expect(await bulk.send()).toEqual([{ item: one, missing: 0 }, { item: two, error: refused.error }]);
  const no = (interruptId: string) => ({ interruptId, status: "resolved", payload: { approved: false } });
  expect(sent()).toEqual([
    {
      idempotencyKey: "key-1",
      items: [
        { threadId: "one", namespace: "ns", entries: [no("i1")] },
        { threadId: "two", namespace: "ns", entries: [no("i1"), no("i2")] },
      ],
    },
  ]);
  expect(bulk.look()).toMatchObject({ state: "idle", items: [], results: [{ item: one }, { item: two }] });
  bulk.propose("approve", [one]);
  bulk.leave();
  expect(await bulk.send()).toEqual([]);
  expect(post).toHaveBeenCalledTimes(1);
});

it("keeps what is held as it was chosen, sends it once, and nothing that was taken back", async () => {
  const { bulk, post, sent } = bulkOf({ items: [taken, taken] });
  expect(bulk.hold()).toBeUndefined();
  bulk.propose("approve", [one, two]);
  const request = bulk.hold();
  // What is held is hidden, and is not on offer.
  bulk.keep([]);
  expect([bulk.look().state, bulk.look().items, post.mock.calls.length]).toEqual(["held", [one, two], 0]);
  expect(await bulk.send()).toHaveLength(2);
  expect(sent()).toEqual([request]);
  bulk.propose("approve", [one]);
  bulk.hold();
  bulk.leave();
  expect(await bulk.send()).toEqual([]);
  expect(post).toHaveBeenCalledTimes(1);
});

it("has what is chosen cut to what is on offer", () => {
  const chosen = new Set([one, two].map(questionsKey));
  expect(among(chosen, [two, one, item("three", asked())])).toBe(chosen);
  expect(among(chosen, [one])).toEqual(new Set([questionsKey(one)]));
  expect(among(chosen, [item("one", asked({ id: "another" }))]).size).toBe(0);
});

it.each([
  ["a network that fails", new ApiError(0, "unreachable", "no")],
  ["a store that does not answer", new ApiError(503, "store_unavailable", "no")],
  ["too many requests", new ApiError(429, "rate_limited", "no")],
  ["something that is no answer", { items: [] }],
])("keeps its key through %s", async (_, failure) => {
  const { bulk, sent } = bulkOf(failure, failure, { items: [taken] }, { items: [taken] });
  bulk.propose("approve", [one]);
  for (let i = 0; i < 2; i++) {
    expect(await bulk.send()).toEqual([]);
    expect(bulk.look()).toMatchObject({ state: "unanswered", items: [one] });
    // Nothing else comes in between.
    bulk.propose("decline", [two]);
    expect(bulk.look()).toMatchObject({ way: "approve", items: [one] });
  }
  expect(await bulk.send()).toHaveLength(1);
  bulk.propose("approve", [one]);
  await bulk.send();
  expect(sent().map(({ idempotencyKey }) => idempotencyKey)).toEqual(["key-1", "key-1", "key-1", "key-2"]);
});

it("sends again, under its key, only what the store has not answered", async () => {
  const { bulk, sent } = bulkOf({ items: [taken, lost] }, { items: [refused] });
  bulk.propose("approve", [one, two]);
  expect(await bulk.send()).toEqual([{ item: one, missing: 0 }]);
  expect(bulk.look()).toMatchObject({ state: "unanswered", items: [two], fault: { code: "store_unavailable" } });
  expect(await bulk.send()).toEqual([{ item: two, error: refused.error }]);
  expect(sent().map(({ idempotencyKey, items }) => [idempotencyKey, items.map(({ threadId }) => threadId)])).toEqual([
    ["key-1", ["one", "two"]],
    ["key-1", ["two"]],
  ]);
  expect(bulk.look()).toMatchObject({ state: "idle", fault: undefined, results: [{ item: one }, { item: two }] });
});

it("is over when all of it is refused", async () => {
  const { bulk } = bulkOf(new ApiError(403, "forbidden", "no"));
  bulk.propose("approve", [one]);
  await bulk.send();
  expect(bulk.look()).toMatchObject({ state: "idle", items: [], fault: { code: "forbidden" } });
});

it.each([
  ["nothing of it was answered", [new ApiError(0, "unreachable", "no")], [one, two]],
  ["a part was", [{ items: [taken, lost] }], [two]],
])("does not take a refusal for the fate of what was sent before, where %s", async (_, before, left) => {
  const { bulk, sent } = bulkOf(...before, new ApiError(403, "forbidden", "no"), { items: left.map(() => taken) });
  bulk.propose("approve", [one, two]);
  await bulk.send();
  expect(await bulk.send()).toEqual([]);
  expect(bulk.look()).toMatchObject({ state: "unanswered", items: left, fault: { code: "forbidden" } });
  expect(await bulk.send()).toHaveLength(left.length);
  expect(new Set(sent().map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(["key-1"]));
});

const now: InboxItem = item("two", asked({ id: "i3" }));

it.each<[string, InboxItem[], InboxItem[]]>([
  ["all is as it was", [two, { ...one, title: "renamed" }], [one, two]],
  ["one is gone, or drafted", [one], [one]],
  ["one asks something else", [one, now], [one]],
  ["none is left", [now], []],
])("asks about what can still be answered: %s", async (_, offered, left) => {
  const { bulk, sent } = bulkOf({ items: left.map(() => taken) });
  bulk.propose("approve", [one, two]);
  bulk.keep(offered);
  expect(bulk.look()).toMatchObject({ state: left.length > 0 ? "asking" : "idle", items: left });
  await bulk.send();
  expect(sent().flatMap(({ items }) => items.map(({ threadId }) => threadId))).toEqual(left.map(({ threadId }) => threadId));
});

it("keeps what was sent, whatever is left to be answered", async () => {
  const { bulk } = bulkOf(new ApiError(0, "unreachable", "no"));
  bulk.propose("approve", [one, two]);
  const sending = bulk.send();
  bulk.keep([]);
  expect(bulk.look()).toMatchObject({ state: "sending", items: [one, two] });
  await sending;
  bulk.keep([]);
  expect(bulk.look()).toMatchObject({ state: "unanswered", items: [one, two] });
});

it("sends one request at a time, of no more than a server takes", async () => {
  let answer!: (reply: unknown) => void;
  const post = vi.fn((_: unknown) => new Promise<never>((resolve) => (answer = resolve as never)));
  const bulk = new Bulk(post, () => "key");
  bulk.propose("approve", Array.from({ length: MOST + 5 }, (_, i) => item(`t${i}`, asked())));
  const sending = bulk.send();
  expect(await bulk.send()).toEqual([]);
  bulk.leave();
  expect(bulk.look().state).toBe("sending");
  answer({ items: Array.from({ length: MOST }, () => taken) });
  expect(await sending).toHaveLength(MOST);
  expect(post).toHaveBeenCalledTimes(1);
});

it.each<[string, boolean, InboxItem]>([
  ["a call", true, one],
  ["two calls", true, two],
  ["a form", false, item("t", asked({ interrupt: { id: "i1", reason: "input_required", responseSchema: { type: "object", properties: { a: { type: "string" } } } } }))],
  ["a confirmation", true, item("t", asked({ interrupt: { id: "i1", reason: "confirmation" } }))],
  ["a paused run", false, item("t", asked({ interrupt: { id: "i1", reason: "aguiws:paused" } }))],
  ["a call with something to say beside", false, item("t", asked({
    interrupt: { id: "i1", reason: "tool_call", responseSchema: { type: "object", properties: { approved: { type: "boolean" }, why: { type: "string" } }, required: ["approved", "why"] } },
  }))],
  ["what cannot be undone", false, item("t", asked({ interrupt: { id: "i1", reason: "tool_call", metadata: { destructive: true } } }))],
  ["what is a summary", false, item("t", asked({ truncated: true }))],
  ["what is folded", false, item("t", asked({ toolCall: { name: "send", arguments: JSON.stringify({ to: "a".repeat(6_000) }) } }))],
  ["what is stale", false, item("t", asked({ stale: true }))],
  ["what has expired", false, item("t", asked({ interrupt: { id: "i1", reason: "tool_call", expiresAt: "2020-01-01T00:00:00Z" } }))],
  ["what has a draft", false, item("t", asked({ draft: { interruptId: "i1", status: "cancelled" } }))],
  ["what leaves questions out", false, { ...one, omitted: 1 }],
  ["what cannot be read", false, { ...one, corrupted: true }],
  ["nothing", false, item("t")],
  ["what is assigned to me", true, { ...one, assignee: "ann" }],
  ["what is assigned to somebody else", false, { ...one, assignee: "eve" }],
])("offers %s: %s", (_, offered, asks) => expect(bulkable(asks, "ann")).toBe(offered));

it("keeps nobody from what is assigned if it is not known who looks", () => expect(bulkable({ ...one, assignee: "ann" })).toBe(true));

it("offers and answers a question without a schema by its own yes and no", async () => {
  const plain = (metadata?: object) => item("plain", asked({ toolCall: undefined, interrupt: { id: "i1", reason: "langgraph:interrupt", message: "Send it?", metadata } as never }));
  const own = plain({ answers: [{ label: "Yes", payload: "go" }, { label: "No", payload: 0 }] });
  expect([plain(), own, plain({ answers: [{ label: "Today", payload: 1 }] })].map((one) => bulkable(one))).toEqual([true, true, false]);
  const { bulk, sent } = bulkOf({ items: [taken, taken] });
  bulk.propose("decline", [plain(), own]);
  await bulk.send();
  expect(sent().flatMap(({ items }) => items.map((each) => (each as never as { entries: unknown[] }).entries))).toEqual([
    [{ interruptId: "i1", status: "resolved", payload: { approved: false } }], [{ interruptId: "i1", status: "resolved", payload: 0 }],
  ]);
});

it("tells what a thread asks apart from what it asks next", () => {
  expect(questionsKey(item("t", asked()))).toBe(questionsKey({ ...item("t", asked()), title: "renamed" }));
  expect(questionsKey(item("t", asked()))).not.toBe(questionsKey(item("t", asked({ id: "i9" }))));
});

it("counts tools by threads", () => {
  expect(toolsOf([one, two, item("t", asked(), asked())])).toEqual([["send", 3], ["pay", 1]]);
});

it("sends the reason of a no to what may have one, and the same when it is sent again", async () => {
  const asks = asked({ interrupt: { id: "i1", reason: "tool_call", responseSchema: { type: "object", properties: { approved: { type: "boolean" }, reason: { type: "string" } }, required: ["approved"] } } });
  const { bulk, sent } = bulkOf(new ApiError(0, "unreachable", "no"), { items: [taken, taken] });
  bulk.propose("decline", [item("why", asks), one]);
  bulk.explain("too dear");
  await bulk.send();
  bulk.explain("something else");
  await bulk.send();
  const payloads = (sent() as unknown as Array<{ items: Array<{ entries: Array<{ payload: unknown }> }> }>).map(({ items }) => items.map(({ entries }) => entries[0]!.payload));
  expect(payloads).toEqual(Array(2).fill([{ approved: false, reason: "too dear" }, { approved: false }]));
  bulk.propose("approve", [one]);
  expect(bulk.look().why).toBe("");
});

it("forgets what became of the last ones when it is told to, and nothing that is under way", async () => {
  const { bulk } = bulkOf({ items: [taken] }, new ApiError(0, "unreachable", "no"));
  bulk.propose("approve", [one]);
  await bulk.send();
  bulk.clear();
  expect(bulk.look()).toMatchObject({ state: "idle", results: [] });
  bulk.propose("approve", [two]);
  await bulk.send();
  bulk.clear();
  expect(bulk.look()).toMatchObject({ state: "unanswered", items: [two], fault: { code: "unreachable" } });
});

it("says what a yes to several does", () => {
  const plain = item("plain", asked({ toolCall: undefined }));
  expect([[one], [plain], [two, plain]].map((items) => [called(items), countOf(items)])).toEqual([["calls", 1], ["answers", 1], ["both", 3]]);
});

it("counts what is to be scrolled to, also what is seen in part, and nothing that ends with the box", () => {
  expect([endBelow([100, 200, 300, 400], 250), endBelow([100, 200.4], 200), endBelow([], 0)]).toEqual([2, 0, 0]);
});
