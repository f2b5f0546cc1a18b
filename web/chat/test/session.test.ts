// Who the page is to the server, one after another.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bearer, credential, signIn, whenOver } from "../src/server/session";

afterEach(() => signIn(undefined));

it("has a credential of its own for each session, and none where nobody is signed in", () => {
  expect(credential()).toBeUndefined();
  signIn("ann");
  const anns = credential()!;
  expect([bearer(), anns()]).toEqual(["ann", "ann"]);
  expect(credential()).toBe(anns);
  signIn("bob");
  expect(credential()).not.toBe(anns);
  expect(credential()!()).toBe("bob");
  signIn("bob");
  expect(credential()!()).toBe("bob");
  signIn(undefined);
  expect([bearer(), credential()]).toEqual([undefined, undefined]);
});

it("gives away no token of a session that is over", () => {
  signIn("ann");
  const anns = credential()!;
  signIn("bob");
  expect(anns).toThrow(/signed out/);
});

it("tells the end of a session once, to whoever wants to know it", () => {
  const end = vi.fn();
  signIn("ann");
  whenOver(end);
  whenOver(end);
  expect(end).not.toHaveBeenCalled();
  signIn(undefined);
  expect(end).toHaveBeenCalledTimes(1);
  signIn("bob");
  expect(end).toHaveBeenCalledTimes(1);
});

describe("a tab that is reloaded", () => {
  const stored = new Map<string, string>();
  const storage = {
    get length() {
      return stored.size;
    },
    key: (i: number) => [...stored.keys()][i] ?? null,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  const reloaded = async () => {
    vi.resetModules();
    return import("../src/server/session");
  };
  beforeEach(() => {
    stored.clear();
    vi.stubGlobal("sessionStorage", storage);
  });
  afterEach(() => vi.unstubAllGlobals());

  it("is signed in as it was", async () => {
    (await reloaded()).signIn("ann");
    const after = await reloaded();
    expect([after.bearer(), after.credential()!()]).toEqual(["ann", "ann"]);
  });

  it("is signed out when somebody has signed out, with what they had written", async () => {
    const before = await reloaded();
    before.signIn("ann");
    (await import("../src/server/own")).keepOwn("draft", "thread", "what Ann has written");
    expect(stored.size).toBe(2);
    before.signIn(undefined);
    expect((await reloaded()).bearer()).toBeUndefined();
    expect(stored.size).toBe(0);
  });

  it("does not offer a token again that was refused", async () => {
    const before = await reloaded();
    before.signIn("ann");
    before.refusedBearer();
    expect(before.bearer()).toBe("ann");
    expect((await reloaded()).bearer()).toBeUndefined();
  });

  it("goes on where nothing may be kept", async () => {
    vi.stubGlobal("sessionStorage", { ...storage, setItem: () => { throw new Error("full"); }, getItem: () => { throw new Error("forbidden"); } });
    const session = await reloaded();
    session.signIn("ann");
    expect(session.bearer()).toBe("ann");
  });
});
