// Whoever leaves takes no answer along that waits: it is sent as theirs, or they hear that it was not taken.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { InboxItem } from "../src/server/api";

const item = (threadId: string) => ({ threadId, namespace: "ns", title: "", runId: "r", interrupts: [] }) as unknown as InboxItem;

/** The page as it has just been loaded, at a provider or with tokens alone. */
async function page(provider: boolean) {
  vi.resetModules();
  const listeners = new Map<string, (event: object) => void>();
  const asked: string[] = [];
  const kept = new Map<string, string>();
  const storage = { get length() { return kept.size; }, key: () => null, getItem: () => null, setItem: (key: string, value: string) => void kept.set(key, value), removeItem: () => {}, clear: () => {} };
  const users: Record<string, string> = { "Bearer anns": "ann", "Bearer anns-next": "ann", "Bearer bobs": "bob" };
  vi.stubGlobal("document", { querySelector: (what: string) => (what.includes("sign-in") && provider ? { content: "/signin" } : null) });
  vi.stubGlobal("addEventListener", (name: string, listener: (event: object) => void) => listeners.set(name, listener));
  vi.stubGlobal("removeEventListener", () => {});
  vi.stubGlobal("sessionStorage", storage);
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("location", { reload: () => asked.push("reload") });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit = {}) => {
    const path = String(url).replace(/^.*?(?=\/(v1|signout))/, "");
    if (path !== "/v1/me") asked.push(path);
    const user = users[(init.headers as Record<string, string> | undefined)?.Authorization ?? ""] ?? (provider ? "ann" : undefined);
    return new Response(JSON.stringify({ user, tenant: "t", scopes: [] }), { status: user ? 200 : 401 });
  });
  const [session, who, { lastingOf, looksAt }] = await Promise.all([import("../src/server/session"), import("../src/server/who"), import("../src/inbox/lasting")]);
  if (provider) await who.firstLook();
  else {
    session.signIn("anns");
    await who.look();
  }
  const give = (threadId: string, taken = true) =>
    lastingOf().held.hold({
      items: [item(threadId)],
      text: "yes",
      send: async () => {
        await Promise.resolve();
        asked.push(`${threadId} as ${session.bearer() ?? "ann"}`);
        if (!taken) throw new Error("no answer");
        return { text: "it goes on" };
      },
    });
  return { session, who, lastingOf, looksAt, give, asked, kept, tells: (key: string) => listeners.get("storage")!({ key }) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each([true, false])("sends what waits before the session ends, at a provider: %s", async (provider) => {
  const { session, who, give, asked } = await page(provider);
  give("a");
  give("b");
  expect(await who.signOut()).toBe(true);
  const as = provider ? "ann" : "anns";
  expect(asked).toEqual([`a as ${as}`, `b as ${as}`, ...(provider ? ["/signout", "reload"] : [])]);
  expect(session.bearer()).toBeUndefined();
});

it.each([true, false])("stays signed in where an answer is not taken, and leaves when asked once more, at a provider: %s", async (provider) => {
  const { session, who, lastingOf, give, asked } = await page(provider);
  give("a", false);
  expect(await who.signOut()).toBe(false);
  expect(asked).toHaveLength(1);
  expect([lastingOf().held.look().faults.length, session.bearer()]).toEqual([1, provider ? undefined : "anns"]);
  expect(await who.signOut()).toBe(true);
});

it("sends what waits in the other tabs, which hear of it before the session ends", async () => {
  const { give, who, asked, kept, tells } = await page(true);
  give("a");
  tells("aguiws:signing-out");
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(["a as ann"]);
  await who.signOut();
  expect([...kept.keys()].filter((key) => key.includes("sign"))).toEqual(["aguiws:signing-out", "aguiws:signed-out"]);
  expect(asked).toEqual(["a as ann", "/signout", "reload"]);
});

it("keeps what waits where a token is followed by another of the same person's, and by nobody else's", async () => {
  const { session, who, lastingOf, give, asked } = await page(false);
  give("a");
  const anns = lastingOf();
  session.signIn("anns-next", await who.isSamePerson("anns-next"));
  await who.look();
  expect(lastingOf()).toBe(anns);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["a as anns-next"]);
  give("b");
  session.signIn("bobs", await who.isSamePerson("bobs"));
  expect(lastingOf()).not.toBe(anns);
  expect(lastingOf().held.look().waiting).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([asked, anns.held.look().waiting]).toEqual([["a as anns-next"], []]);
});

it("leaves what was only proposed of several with the place, and tells in one place what is unanswered", async () => {
  const { lastingOf, looksAt } = await page(false);
  const lasting = lastingOf();
  const [bulk] = lasting.bulks;
  const leave = looksAt(lasting);
  bulk!.propose("approve", [item("a")]);
  leave();
  expect([bulk!.look().state, lasting.there]).toEqual(["idle", false]);
  // It goes out while the place is left, and the network fails.
  const back = looksAt(lasting);
  bulk!.propose("approve", [item("a")]);
  bulk!.hold();
  back();
  lasting.held.hold({
    items: bulk!.look().items,
    text: "yes",
    send: async () => {
      vi.stubGlobal("fetch", () => Promise.reject(new Error("no network")));
      await bulk!.send();
      throw bulk!.look().fault;
    },
  });
  await lasting.held.send();
  expect([bulk!.look().state, lasting.held.look().faults.length]).toEqual(["unanswered", 1]);
  looksAt(lasting);
  expect([bulk!.look().state, lasting.held.look().faults.length, lasting.there]).toEqual(["unanswered", 0, true]);
});
