// Others are told that a question is looked at, as long as it is.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { InboxItem } from "../src/server/api";
import { assign, assigneeOf, isMine, review, reviewersWords, toldOf } from "../src/inbox/Reviewers";

/** What was sent, and the ways to answer it. */
let sent: string[];
let answers: Array<(response: Response) => void>;
const page = Object.assign(new EventTarget(), { hidden: false });
const hear = vi.fn();
const of = { namespace: "acme/user/ann", threadId: "a b" };
const path = "/v1/threads/a%20b/interrupts/review?namespace=acme%2Fuser%2Fann";
const answer = async (...reviewers: string[]) => {
  answers.shift()!(new Response(JSON.stringify({ reviewers })));
  await vi.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  vi.useFakeTimers();
  [sent, answers, page.hidden] = [[], [], false];
  hear.mockReset();
  const window = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
  vi.stubGlobal("removeEventListener", window.removeEventListener.bind(window));
  vi.stubGlobal("dispatchEvent", window.dispatchEvent.bind(window));
  vi.stubGlobal("fetch", (at: string, { method, keepalive }: RequestInit) => {
    expect(at).toBe(path);
    sent.push(`${method}${keepalive ? ", even if the page goes" : ""}`);
    return method === "PUT" ? new Promise<Response>((resolve) => answers.push(resolve)) : Promise.resolve(new Response(null, { status: 204 }));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("is told at once, and again while the page is seen, and hears who else looks", async () => {
  const over = review(of, hear);
  await answer("bob");
  expect(hear).toHaveBeenLastCalledWith(["bob"]);
  await vi.advanceTimersByTimeAsync(20_000);
  await answer("bob", "eve");
  expect(hear).toHaveBeenLastCalledWith(["bob", "eve"]);
  page.hidden = true;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sent).toEqual(["PUT", "PUT"]);
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  expect(sent).toEqual(["PUT", "PUT", "PUT"]);
  await answer();
  over();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sent.slice(3)).toEqual(["DELETE, even if the page goes"]);
});

it("is taken back behind what is on its way, of which nothing is heard any more", async () => {
  review(of, hear)();
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["PUT"]);
  await answer("bob");
  expect(sent).toEqual(["PUT", "DELETE, even if the page goes"]);
  expect(hear).not.toHaveBeenCalled();
});

it("is taken back when the page goes", async () => {
  const over = review(of, hear);
  await answer();
  dispatchEvent(new Event("pagehide"));
  expect(sent).toEqual(["PUT", "DELETE, even if the page goes"]);
  over();
});

it.each([
  [["bob"], "bob is looking"],
  [["bob", "eve"], "bob and eve are looking"],
  [["ann", "bob", "eve"], "ann, bob and eve are looking"],
])("says of %j: %s", (names, words) => expect(reviewersWords(names)).toBe(words));

it.each<[string, { assignee?: string; tenant?: string }, string | undefined, boolean, string | undefined]>([
  ["mine", { assignee: "ann" }, "ann", true, undefined],
  ["somebody else's", { assignee: "eve" }, "ann", false, "eve"],
  ["nobody's", {}, "ann", false, undefined],
  ["nobody's, of whom nobody knows", {}, undefined, false, undefined],
  ["that of another tenant's ann", { assignee: "ann", tenant: "other" }, "ann", false, "ann"],
])("knows an item as %s", (_, item, me, mine, other) => expect([isMine(item, me), assigneeOf(item, me)]).toEqual([mine, other]));

it("says why an item could not be taken", async () => {
  vi.stubGlobal("fetch", async (_: string, { method }: RequestInit) => (method === "PUT" ? new Response(JSON.stringify({ code: "forbidden", detail: "no" }), { status: 403 }) : new Response(null, { status: 204 })));
  expect(await assign("PUT", of)).toMatch(/may not do this/);
  expect(await assign("DELETE", of)).toBeUndefined();
});

it("tells of what is open here, and of what can be taken back still", () => {
  const items = Array.from({ length: 9 }, (_, i) => ({ threadId: String(i) }) as InboxItem);
  const waiting = (...items: InboxItem[]) => ({ given: { items, text: "", send: async () => ({ text: "" }) } });
  expect(toldOf(items[0], [waiting(items[1]!), waiting(items[2]!)])).toEqual(items.slice(0, 3));
  expect(toldOf(undefined, [waiting(items[1]!)])).toEqual([items[1]]);
  // Not of each of a hundred.
  expect(toldOf(undefined, [waiting(...items)])).toEqual(items.slice(0, 8));
});
