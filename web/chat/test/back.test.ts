import type { Message } from "@ag-ui/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Anew, BEGIN, branchesOf, editable, endsLast, lastEditable, lastTurn, placed, type Branch } from "../src/chat/back";
import type { Mark } from "../src/decision/record";
import { ApiError } from "../src/server/api";

const user = (id: string): Message => ({ id, role: "user", content: id });
const answer = (id: string): Message => ({ id, role: "assistant", content: id });
const result = (id: string): Message => ({ id, role: "tool", toolCallId: "c", content: "done" });
const branch = (id: string, after?: string): Branch => ({ id, after, at: "2026-01-02T03:04:05Z", messages: 2, kept: true });
const shown = (at: ReadonlyMap<string, readonly Branch[]>) => [...at].map(([place, list]) => [place, list.map(({ id }) => id).join(" ")]);

describe("branches stand", () => {
  const messages = [user("u"), answer("a"), result("r"), user("v")];
  it("behind the message they stood behind, or the one that shows it", () => {
    expect(shown(placed([branch("b2", "u"), branch("b1", "u"), branch("b3", "r")], messages, true))).toEqual([
      ["u", "b2 b1"],
      ["a", "b3"],
    ]);
  });
  it("at the beginning only where that is held", () => {
    expect(shown(placed([branch("b")], messages, true))).toEqual([[BEGIN, "b"]]);
    expect(shown(placed([branch("b")], messages, false))).toEqual([]);
  });
  it("nowhere behind what is not held or is in a branch itself", () => {
    expect(shown(placed([branch("b", "gone")], messages, true))).toEqual([]);
  });
});

describe("what is answered anew", () => {
  it("is what the user has said last, with all that followed", () => {
    expect(lastTurn([user("u"), answer("a"), user("v"), answer("b"), result("r"), answer("c")])).toEqual({ asked: "v", answer: "c" });
    expect(lastTurn([user("u"), answer("a"), user("v")])).toEqual({ asked: "v", answer: undefined });
    expect(lastTurn([answer("a")])).toEqual({});
  });

  it("ended where a failure stands behind one of its messages, or is told of it", () => {
    const messages = [user("u"), answer("a"), user("v"), answer("b")];
    const end = (place: object): Mark => ({ key: "end", kind: "end", how: "failed", code: "agent_error", message: "", ...place });
    expect([{ behind: "v" }, { behind: "b" }, { turn: "v" }].map((place) => endsLast(messages, [end(place)]))).toEqual([true, true, true]);
    expect([{ behind: "a" }, { turn: "u" }, {}, { behind: "u", turn: "v" }].map((place) => endsLast(messages, [end(place)]))).toEqual([false, false, false, false]);
    expect(endsLast(messages, [{ key: "i", kind: "answer", behind: "b", told: { interruptId: "i", status: "resolved", at: "" } }])).toBe(false);
  });
});

it("changes texts only: what else a message has would be lost", () => {
  expect(editable(user("u"))).toBe(true);
  expect(editable(answer("a"))).toBe(false);
  expect([lastEditable([user("u"), answer("a")])?.id, lastEditable([user("u"), { id: "p", role: "user", content: [] }])]).toEqual(["u", undefined]);
  expect(editable({ id: "p", role: "user", content: [{ type: "text", text: "x" }] })).toBe(false);
});

describe("asking anew", () => {
  const refusal = (status: number, code: string) => new ApiError(status, code, code);
  /** Asks once an outcome, and answers how often the message was said again, and the names of the runs. */
  async function asked(...outcomes: Array<ApiError | undefined>) {
    const runs: string[] = [];
    const instead = vi.fn();
    const left = [...outcomes];
    const anew = new Anew((body) => {
      runs.push((body as { runId: string }).runId);
      const outcome = left.shift();
      return outcome ? Promise.reject(outcome) : Promise.resolve();
    });
    const told: string[] = [];
    for (const _ of outcomes) await anew.ask("u", instead).catch((error: ApiError) => told.push(error.code));
    return { runs, told: told.join(" "), said: instead.mock.calls.length, anew, instead };
  }
  it.each([
    [0, "unreachable"],
    [200, "unreadable"],
    [408, "refused"],
    [503, "store_unavailable"],
  ])("repeats the request where nobody knows what became of it, and says nothing twice: %i", async (status, code) => {
    const { runs, told, said } = await asked(refusal(status, code), undefined, undefined);
    expect([told, said]).toEqual([code, 0]);
    expect(runs[1]).toBe(runs[0]);
    expect(runs[2]).not.toBe(runs[0]);
  });
  it.each(["thread_busy", "interrupts_pending", "forbidden", "rate_limited"])("says nothing beside a run or a question of somebody else's, nor what is not allowed: %s", async (code) => {
    const { runs, told, said } = await asked(refusal(409, code), undefined);
    expect([told, said]).toEqual([code, 0]);
    expect(runs[1]).not.toBe(runs[0]);
  });
  it.each([
    [400, "invalid_input"],
    [404, "not_found"],
  ])("says again what cannot be answered anew: %i", async (status, code) => {
    const { told, said } = await asked(refusal(status, code));
    expect([told, said]).toEqual(["", 1]);
  });
  it("is another request once a run was seen", async () => {
    const { runs, anew, instead } = await asked(refusal(0, "unreachable"));
    anew.known();
    await anew.ask("u", instead);
    expect(runs[1]).not.toBe(runs[0]);
  });
});

describe("the branches of a thread", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  /** What is heard if the server answers with these, one after another. */
  const heard = async (...statuses: number[]) => {
    vi.useFakeTimers();
    const left = [...statuses];
    vi.stubGlobal("fetch", async () => {
      const status = left.shift()!;
      if (status === 0) throw new TypeError("no network");
      return new Response(JSON.stringify({ items: [branch("b")] }), { status });
    });
    const hear = vi.fn();
    const over = branchesOf("/threads/t", hear);
    await vi.advanceTimersByTimeAsync(120_000);
    over();
    return [hear.mock.calls.length, left.length];
  };
  it("are asked for again until they come", async () => expect(await heard(0, 503, 429, 200, 200)).toEqual([1, 1]));
  it("are left where the server refuses them", async () => expect(await heard(403, 200)).toEqual([0, 1]));
});
