// Answers that wait for the others, here and at the server.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, type Entry } from "../src/server/api";
import type { Answer } from "../../react/forms/answers";
import { Drafts, draftsFor, forgetHere, type Keeper } from "../src/decision/drafts";

const yes: Answer = { status: "resolved", payload: { approved: true } };
const no: Answer = { status: "resolved", payload: { approved: false } };
const refusal = new ApiError(422, "interrupt_payload_invalid", "the answer does not fit");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server that keeps drafts, and what it was asked. */
function server() {
  const kept = new Map<string, Entry>();
  const asked: string[] = [];
  const failing: { with?: ApiError } = {};
  const answer = async (what: string, done: () => void) => {
    asked.push(what);
    if (failing.with) throw failing.with;
    done();
  };
  const keeper: Keeper = {
    load: async () => {
      if (failing.with && failing.with !== refusal) {
        asked.push("load");
        throw failing.with;
      }
      return [...kept.values()];
    },
    keep: (entry) => answer(`keep ${entry.interruptId}`, () => kept.set(entry.interruptId, entry)),
    drop: (id) => answer(`drop ${id}`, () => kept.delete(id)),
  };
  return { kept, asked, failing, keeper, draft: (id: string, { status, payload }: Answer) => kept.set(id, { interruptId: id, status, payload }) };
}

async function open(...ids: string[]) {
  const all = server();
  const drafts = new Drafts(all.keeper);
  const shown = { now: true };
  drafts.follow(() => shown.now);
  drafts.ask(ids);
  await pass();
  return { ...all, drafts, shown, seen: () => drafts.look().answers };
}

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe("answers that wait", () => {
  it("are those that the server keeps, whoever gave them", async () => {
    const { draft, seen, drafts, kept } = await open("a", "b", "c");
    draft("a", no);
    draft("other", yes);
    await pass(2_000);
    expect(seen()).toEqual({ a: no });
    expect(drafts.look().kept).toBe(true);
    kept.delete("a");
    await pass(2_000);
    expect(seen()).toEqual({});
  });

  it("are there at once where it is known what the server holds, as long as it does", async () => {
    const drafts = new Drafts(server().keeper, { a: yes, gone: no });
    drafts.ask(["a", "b"]);
    expect(drafts.look().answers).toEqual({ a: yes });
    await pass();
    expect(drafts.look().answers).toEqual({});
  });

  it("are kept by the server as they are given, and taken back", async () => {
    const { drafts, kept, seen } = await open("a", "b", "c");
    drafts.decide("a", yes);
    expect(seen()).toEqual({ a: yes });
    await pass();
    expect([...kept.values()]).toEqual([{ interruptId: "a", ...yes }]);
    drafts.decide("a", undefined);
    expect(seen()).toEqual({});
    await pass();
    expect(kept.size).toBe(0);
    drafts.decide("a", yes);
    drafts.decide("a", undefined);
    await pass(4_000);
    expect(kept.size).toBe(0);
  });

  it("are not given to the server when they are all: that would send them", async () => {
    const { drafts, kept, seen, draft } = await open("a", "b");
    drafts.decide("a", yes);
    await pass();
    drafts.decide("b", no);
    await pass(4_000);
    expect([...kept.keys()]).toEqual(["a"]);
    expect(seen()).toEqual({ a: yes, b: no });
    // Somebody takes theirs back: then it is one of some again.
    kept.delete("a");
    await pass(2_000);
    expect([...kept.keys()]).toEqual(["b"]);
    draft("a", no);
    await pass(2_000);
    expect(seen()).toEqual({ a: no, b: no });
  });

  it("are not asked for while they are not shown", async () => {
    const { draft, shown, seen } = await open("a", "b");
    shown.now = false;
    draft("a", yes);
    await pass(60_000);
    expect(seen()).toEqual({});
    shown.now = true;
    await pass(2_000);
    expect(seen()).toEqual({ a: yes });
  });

  it("outlast the place where they were given, if the server does not know them", () => {
    draftsFor("t", "n").decide("a", yes);
    const seen = (namespace: string) => draftsFor("t", namespace).look().answers;
    expect([seen("n"), seen("other")]).toEqual([{ a: yes }, {}]);
    forgetHere("t", "n");
    expect(seen("n")).toEqual({});
  });

  it("are of open questions only, and a lone question has none", async () => {
    const { drafts, asked, seen, draft } = await open("a", "b");
    draft("a", yes);
    await pass(2_000);
    drafts.ask(["c"]);
    drafts.decide("c", yes);
    await pass(4_000);
    expect(seen()).toEqual({ c: yes });
    drafts.ask([]);
    expect(seen()).toEqual({});
    expect(asked).toEqual([]);
  });

  it("are asked again where the server says no, and why is said", async () => {
    const { drafts, failing, seen } = await open("a", "b");
    failing.with = refusal;
    drafts.decide("a", yes);
    await pass();
    expect(seen()).toEqual({});
    expect(drafts.look().faults).toEqual({ a: refusal });
    failing.with = undefined;
    drafts.decide("a", no);
    expect(drafts.look().faults).toEqual({});
    await pass();
    expect(seen()).toEqual({ a: no });
  });

  it("stay here while the server is away, and are told it when it is back", async () => {
    const { drafts, failing, seen, kept } = await open("a", "b", "c");
    for (const error of [new ApiError(0, "unreachable", "away"), new ApiError(503, "store_unavailable", "busy")]) {
      failing.with = error;
      drafts.decide("a", yes);
      await pass(6_000);
      expect(seen()).toEqual({ a: yes });
      failing.with = undefined;
      await pass(2_000);
      expect([...kept.keys()]).toEqual(["a"]);
      drafts.decide("a", undefined);
      await pass();
    }
  });

  it.each([
    new ApiError(404, "error", "no such path"), new ApiError(403, "forbidden", "not you"), new ApiError(200, "unreadable", "a page"),
  ])("stay here where a server keeps none, which is asked once: $status $code", async (error) => {
    const all = server();
    all.failing.with = error;
    const drafts = new Drafts(all.keeper);
    drafts.follow(() => true);
    drafts.ask(["a", "b"]);
    drafts.decide("a", yes);
    await pass(60_000);
    expect(all.asked).toEqual(["load"]);
    expect(drafts.look()).toEqual({ answers: { a: yes }, kept: false, faults: {} });
  });
});
