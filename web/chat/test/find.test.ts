import { expect, it } from "vitest";
import { asking, CHATS, find, lookUp } from "../src/ops/find";

const run = { id: "r1", runId: "label", threadId: "t2", namespace: "n" };

/** What a server would answer, by path; it counts what it was asked. */
function server(answers: Record<string, unknown>) {
  const asked: string[] = [];
  return { asked, get: async <T>(path: string) => (asked.push(path), answers[path] as T | undefined) };
}

it("finds whatever has the id, and asks no further", async () => {
  const full = {
    "/threads/t1": { threadId: "t1", title: "One" },
    "/inbox?limit=200": { items: [{ threadId: "t3", namespace: "other", title: "Three", interrupts: [{ id: "i1" }] }] },
    "/decisions?limit=200": { items: [{ id: "d1", interruptId: "i2", threadId: "t4", namespace: "n", askedBy: { id: "r4" }, answeredBy: { id: "r5" } }] },
    "/threads/t4/runs/r5?namespace=n": { ...run, id: "r5" },
    "/dispatches?state=dead_letter&limit=200": { items: [{ ...run, id: "dead", threadId: "t5" }] },
    [`/threads?limit=${CHATS}`]: { items: [{ threadId: "t1" }, { threadId: "t2", title: "Two" }, { threadId: "t6" }] },
    "/threads/t1/runs?limit=200": { items: [] },
    "/threads/t2/runs?limit=200": { items: [run] },
  };
  const said = async (id: string) => {
    const { asked, get } = server(full);
    const found = await find(id, get);
    return [found?.what, found?.threadId, found?.run?.id, asked.length];
  };
  expect(await said("t1")).toEqual(["chat", "t1", undefined, 1]);
  expect(await said("t3")).toEqual(["chat", "t3", undefined, 2]);
  expect(await said("i1")).toEqual(["question", "t3", undefined, 2]);
  expect(await said("i2")).toEqual(["decided", "t4", undefined, 3]);
  expect(await said("r5")).toEqual(["run", "t4", "r5", 4]);
  expect(await said("dead")).toEqual(["dead", "t5", "dead", 4]);
  expect(await said("r1")).toEqual(["run", "t2", "r1", 8]);
  expect(await said("label")).toEqual(["dead", "t5", "dead", 4]);
  expect((await said("none"))[0]).toBeUndefined();
});

it("finds runs of others by the notices of them", async () => {
  const { get, asked } = server({
    "/notices?kind=run.started%2Crun.ended&limit=200&from=2030-01-30T14%3A00%3A00.000Z": { items: [], next: "c1", more: true },
    "/notices?kind=run.started%2Crun.ended&limit=200&after=c1": { items: [{ run: "r9", runId: "theirs", threadId: "t9", namespace: "acme/user/bob" }], next: "c2" },
    "/notices?kind=run.started%2Crun.ended&limit=200&after=c2": { items: [], next: "c2" },
    "/threads/t9/runs/r9?namespace=acme%2Fuser%2Fbob": { ...run, id: "r9" },
  });
  const now = Date.UTC(2030, 0, 31, 14);
  for (const id of ["r9", "theirs", "t9"]) expect(await find(id, get, now)).toMatchObject({ what: "run", threadId: "t9", namespace: "acme/user/bob", run: { id: "r9" } });
  expect(await find("none", get, now)).toBeUndefined();
  expect(asked.at(-1)).toContain("after=c2");
});

it("finds nothing where nothing may be read", async () => {
  const { get, asked } = server({});
  expect(await find("a b/c", get)).toBeUndefined();
  expect(asked[0]).toBe("/threads/a%20b%2Fc");
});

it("finds runs by what their questions say, whether they wait or are answered", async () => {
  const { get } = server({
    "/inbox?limit=200": { items: [{ threadId: "t1", namespace: "n", runId: "label", interrupts: [{ id: "i1", interrupt: { message: "May it?" }, toolCall: { name: "pay", arguments: '{"to":"Zoe","eur":9000}' } }] }] },
    "/decisions?limit=200": { items: [{ threadId: "t2", namespace: "n", interruptId: "i2", tool: "pay", arguments: { to: "zoe", eur: 10 }, askedBy: { id: "r2" }, answeredBy: { id: "r3" } }] },
    "/threads/t1/runs?limit=20&namespace=n": { items: [{ id: "r0", runId: "other" }, { id: "r1", runId: "label", createdAt: "2030-01-01T10:00:00Z" }] },
    "/threads/t2/runs/r3?namespace=n": { id: "r3", createdAt: "2030-01-01T11:00:00Z" },
  });
  const found = async (wanted: string) => (await asking(wanted, get)).runs.map(({ id }) => id);
  expect(await found("Pay to Zoe")).toEqual(["r3", "r1"]);
  expect(await found("9000")).toEqual(["r1"]);
  expect(await found("may it")).toEqual(["r1"]);
  expect(await found("Bob")).toEqual([]);
});

const inboxOf = (n: number, args: string) => ({ items: Array.from({ length: n }, (_, i) => ({ threadId: `t${i}`, namespace: "n", runId: "label", interrupts: [{ id: `i${i}`, interrupt: {}, toolCall: { name: "pay", arguments: args } }] })) });

it("asks for six of them at once, and says that there are more than it looks for", async () => {
  let under = 0;
  let most = 0;
  const get = async <T>(path: string): Promise<T | undefined> => {
    if (path === "/inbox?limit=200") return inboxOf(40, '{"to":"Zoe"}') as T;
    if (!path.includes("/runs?limit=20&")) return undefined;
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
    return { items: [{ id: path, runId: "label", createdAt: "2030-01-01T10:00:00Z" }] } as T;
  };
  const { runs, cut } = await asking("zoe", get);
  expect([runs.length, cut, most]).toEqual([30, true, 6]);
});

it("finds what has an id beside the runs whose questions have it in their arguments", async () => {
  const id = "0b7c2d1e-order";
  const titles = `/runs?limit=50&title=${id}`;
  const { get } = server({
    "/inbox?limit=200": inboxOf(1, JSON.stringify({ thread: id })),
    "/threads/t0/runs?limit=20&namespace=n": { items: [{ id: "r1", runId: "label", createdAt: "2030-01-01T10:00:00Z" }] },
    [`/threads/${id}`]: { threadId: id, title: "Order" },
  });
  expect(await lookUp(id, get)).toMatchObject({ found: { what: "chat", threadId: id }, runs: [{ id: "r1" }], cut: false });
  const titled = server({ [titles]: { items: [{ id: "r2" }] }, [`/threads/${id}`]: { threadId: id } });
  expect(await lookUp(id, titled.get)).toBe("titled");
});

it("looks no further for a word that questions have", async () => {
  const { get, asked } = server({ "/inbox?limit=200": inboxOf(1, '{"to":"Zoe"}'), "/threads/t0/runs?limit=20&namespace=n": { items: [{ id: "r1", runId: "label", createdAt: "2030-01-01T10:00:00Z" }] } });
  expect(await lookUp("Zoe", get)).toMatchObject({ found: undefined, runs: [{ id: "r1" }] });
  expect(asked.filter((path) => path.startsWith("/notices") || path.startsWith("/threads?"))).toEqual([]);
});
