// What became of questions, in words, and where it stands.

import type { BaseEvent } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import type { DecisionInfo, RunInfo } from "../src/server/api";
import { argFields } from "../../react/decision/argparts";
import { parse } from "../../react/lib/json";
import { ThreadRecord } from "../src/decision/record";
import { approvedArgs, approves, cameBack, changesOf, placeOf, sideOf, toldBy, toldOnRecord, verdictOf } from "../src/decision/told";
import { badgesOf, toolStateOf } from "../src/chat/toolstate";

const at = "2030-01-01T00:00:00Z";
const told = { interruptId: "i", status: "resolved" as const, at };

describe("a decision", () => {
  it("is told in the same words by a run and on record", () => {
    const payload = { approved: true, editedArgs: { eur: 7 }, reason: "cheaper" };
    const byRun = toldBy(
      { ...told, toolCallId: "c", approved: true, by: "ann", through: "socket", reason: "cheaper", changed: [{ pointer: "/eur", before: 10, after: 7 }] },
      [{ interruptId: "i", status: "resolved", payload }],
    );
    const onRecord = toldOnRecord({
      id: "d", at, status: "resolved", user: "ann", through: "socket", threadId: "t", namespace: "n", interruptId: "i", toolCallId: "c", arguments: { eur: 10 }, payload, refused: 0,
    });
    expect(onRecord).toEqual(byRun);
    expect(verdictOf(onRecord, true)).toEqual({ words: "edited by ann", tone: "done" });
  });

  it.each([
    [{ approved: true }, true, "approved"],
    [{ approved: true, cut: ["changed" as const] }, true, "edited"],
    [{ approved: true }, false, "yes"],
    [{ approved: false, by: "bob" }, true, "declined by bob"],
    [{ approved: false }, false, "no"],
    [{}, false, "answered"],
    [{ status: "cancelled" as const, by: "ann" }, true, "no answer given by ann"],
    [{ status: "cancelled" as const, by: "ann", through: "steering" }, true, "cancelled by ann"],
    [{ status: "expired" as const }, true, "expired"],
    [{ through: "call", payload: { thread: "c", text: "done" } }, false, "came back"],
    [{ through: "call", payload: { thread: "c", status: "failed" } }, false, "failed"],
  ])("%j (of a call: %s) is %s", (more, call, words) => expect(verdictOf({ ...told, ...more }, call).words).toBe(words));

  it("is no alarm when it is a no, whether a run tells it or its result", () => {
    expect(verdictOf({ ...told, approved: false }, true).tone).toBe("");
    expect(badgesOf("declined", undefined)[0]!.tone).toBe("");
  });
});

it.each([[true, true], [false, false], [undefined, false]])("has a yes among answers if one of them says approved: %j", (approved, yes) => {
  const entry = { interruptId: "i", status: "resolved" as const };
  expect(approves([entry, { ...entry, payload: { approved } }])).toBe(yes);
});

it("finds what was changed, to the digit", () => {
  const before = parse('{"a":{"b/c":1.0,"d":2},"gone":1,"same":[1]}');
  const after = parse('{"a":{"b/c":1,"d":2},"same":[1],"new":"x"}');
  expect(changesOf(before, after).map(({ pointer }) => pointer)).toEqual(["/a/b~1c", "/gone", "/new"]);
  expect(sideOf(changesOf(before, after)[0]!.before)).toBe("1.0");
  expect(placeOf("/a/b~1c")).toBe("A › B c");
  expect([10, "10", true, "true", "", " x", "ten"].map((side) => sideOf(side))).toEqual(["10", '"10"', "true", '"true"', '""', '" x"', "ten"]);
  expect(sideOf('{"a":', true)).toBe('{"a":');
  expect(changesOf(before, before)).toEqual([]);
});

it("knows what was approved, from the answer or from what a run tells of it", () => {
  const proposed = '{"to":"bob","n":1.0,"cc":["a"],"x":{"y":1}}';
  const changed = [{ pointer: "/to", before: "bob", after: "zoe" }, { pointer: "/x/y", before: 1 }, { pointer: "/new", after: 2 }];
  expect(approvedArgs(proposed, { approved: true, changed })).toBe('{"to":"zoe","n":1.0,"cc":["a"],"x":{},"new":2}');
  expect(approvedArgs(proposed, { approved: true, payload: { approved: true, editedArgs: { to: "eve" } }, changed })).toBe('{"to":"eve"}');
  for (const none of [{ approved: false, changed }, { approved: true }, { approved: true, changed, cut: ["changed" as const] }, { approved: true, changed: [{ pointer: "/to", before: "b", after: "z", cut: ["after" as const] }] }]) {
    expect(approvedArgs(proposed, none)).toBe(proposed);
  }
});

describe("a call", () => {
  const result = (content: string, error?: string) => ({ id: "m", role: "tool" as const, toolCallId: "c", content, ...(error && { error }) });
  it.each<[string, Parameters<typeof toolStateOf>[0], string]>([
    ["is proposed while it is asked", { asked: true, running: false }, "proposed"],
    ["is running", { asked: false, running: true }, "running"],
    ["is approved and running", { asked: false, running: true, told: { ...told, approved: true, by: "ann" } }, "approved by ann, running"],
    ["is approved, and done without another word", { asked: false, running: false, told: { ...told, approved: true }, result: result("{}") }, "approved"],
    ["is approved and has failed", { asked: false, running: false, told: { ...told, approved: true }, result: result('{"executed":false,"error":"no"}') }, "approved, failed"],
    ["has failed", { asked: false, running: false, result: result('{"executed":false,"error":"no"}') }, "failed"],
    ["has failed by its message", { asked: false, running: false, result: result("no", "no") }, "failed"],
    ["is declined, not done", { asked: false, running: false, told: { ...told, approved: false, by: "ann" }, result: result('{"executed":false,"declined":true}') }, "declined by ann"],
    ["is declined where nobody tells of decisions", { asked: false, running: false, result: result('{"executed":false,"declined":true}') }, "declined"],
    ["is cancelled", { asked: false, running: false, told: { ...told, status: "cancelled" as const } }, "no answer given"],
    ["has expired", { asked: false, running: false, told: { ...told, status: "expired" as const }, result: result('{"executed":false,"expired":true}') }, "expired"],
    ["has a default answer and a result", { asked: false, running: false, told: { ...told, status: "expired" as const, payload: { approved: true } }, result: result('{"ok":true}') }, "expired, done"],
    ["has a default answer and has failed", { asked: false, running: false, told: { ...told, status: "expired" as const, payload: { approved: true } }, result: result('{"executed":false,"error":"no"}') }, "expired, failed"],
    ["is cancelled, whatever its agent says of it", { asked: false, running: false, told: { ...told, status: "cancelled" as const }, result: result("Nobody wanted it.") }, "no answer given"],
    ["has expired, whatever its agent says of it", { asked: false, running: false, told: { ...told, status: "expired" as const }, result: result("Too late.") }, "expired"],
    ["is not done where that is all that is said", { asked: false, running: false, result: result('{"executed":false}') }, "failed"],
    ["waits", { asked: false, waiting: true, running: false }, "waiting"],
    ["is approved, and waits for more", { asked: false, waiting: true, running: false, told: { ...told, approved: true } }, "approved, waiting"],
    ["has no result", { asked: false, running: false }, "no result"],
    ["takes what an agent answers for what it is", { asked: false, running: false, result: result('{"executed":') }, "done"],
  ])("%s", (_, call, words) => {
    expect(badgesOf(toolStateOf(call), call.told).map((badge) => badge.words).join(", ")).toBe(words);
  });
});

describe("fields", () => {
  it("keep numbers by their text, and texts apart from what they look like", () => {
    expect(argFields('{"n":9007199254740993,"one":1.0,"s":"10","t":"ten","e":"","b":true,"o":{"x":[1]}}')).toEqual([
      { name: "n", label: "N", kind: "word", text: "9007199254740993" },
      { name: "one", label: "One", kind: "word", text: "1.0" },
      { name: "s", label: "S", kind: "word", text: '"10"' },
      { name: "t", label: "T", kind: "text", text: "ten" },
      { name: "e", label: "E", kind: "word", text: '""' },
      { name: "b", label: "B", kind: "word", text: "true" },
      { name: "o", label: "O", kind: "fields", text: "X", fields: [{ name: "x", label: "X", kind: "list", text: "1", fields: [{ name: "0", label: "1", kind: "word", text: "1" }] }] },
    ]);
  });
  it("fold what has parts, say the first of them, and are called what the schema calls them", () => {
    const schema = { properties: { to: { title: "Guests", items: { properties: { mail: { title: "E-mail" } } } } } };
    expect(argFields('{"to":[{"mail":"ada","size":2,"more":[]}]}', schema)).toEqual([
      {
        name: "to", label: "Guests", kind: "fields", text: "1",
        fields: [{ name: "0", label: "1", kind: "fields", text: "ada, 2, []", fields: [
          { name: "mail", label: "E-mail", kind: "text", text: "ada" },
          { name: "size", label: "Size", kind: "word", text: "2" },
          { name: "more", label: "More", kind: "word", text: "[]" },
        ] }],
      },
    ]);
  });
  it("are JSON where they are deep, many or long", () => {
    const kinds = (value: unknown) => JSON.stringify(argFields(JSON.stringify({ value }))).includes('"kind":"json"');
    expect([[[[[1]]]], [[[[[[1]]]]]], Array(41).fill(1), { text: "x".repeat(6_000) }].map(kinds)).toEqual([false, true, true, true]);
  });
  it.each(["", '{"a":', "[1]", "1e400", '{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', JSON.stringify(Object.fromEntries(Array.from({ length: 41 }, (_, i) => [i, i])))])("are not made of %s", (text) =>
    expect(argFields(text)).toBeUndefined());
});

describe("a thread's record", () => {
  const started = (runId: string, decisions: unknown[] = [], resume: unknown[] = []) => ({ type: "RUN_STARTED", runId, input: { resume }, metadata: { aguiws: { decisions } } }) as unknown as BaseEvent;
  const asks = (id: string) => ({ type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [{ id, reason: "confirmation", message: "Go on?" }] } }) as unknown as BaseEvent;

  const onRecord = (more: Partial<DecisionInfo>): DecisionInfo => ({ id: "d", at, status: "resolved", threadId: "t", namespace: "n", interruptId: "i", refused: 0, ...more });
  const run = (runId: string, more: Partial<RunInfo>): RunInfo => ({
    id: `s-${runId}`, runId, threadId: "t", namespace: "n", execution: runId, state: "acked", attempts: 1, maxAttempts: 5, createdAt: at, updatedAt: at, ...more,
  });

  it("has answers stand where they were asked for, however often they are told", () => {
    const record = new ThreadRecord();
    record.take(started("r1"), undefined);
    record.take(asks("i"), "m1");
    for (const behind of ["m2", "m9"]) record.take(started("r2", [{ ...told, approved: true }], [{ interruptId: "i", payload: { approved: true } }]), behind);
    record.learn([onRecord({ user: "ann", payload: { approved: true } })], []);
    expect(record.look().marks).toMatchObject([{ key: "i", behind: "m1", question: { message: "Go on?" }, told: { by: "ann", payload: { approved: true } } }]);
    expect(record.lacksPlaces).toBe(false);
  });

  it("has the last decision of a question that was given back, in whichever order they are told", () => {
    const [early, late] = ["2030-01-01T00:00:00.000Z", "2030-01-01T00:01:00.000Z"];
    const approved = { ...told, toolCallId: "c", at: early, approved: true, by: "ann", reason: "cheap" };
    const declined = { ...told, toolCallId: "c", at: late, approved: false, by: "bob" };
    const first = onRecord({ toolCallId: "c", at: early, user: "ann", payload: { approved: true, reason: "cheap" }, answeredBy: { id: "s2", runId: "r2" } });
    const second = onRecord({ toolCallId: "c", at: late, user: "bob", payload: { approved: false }, answeredBy: { id: "s3", runId: "r3" } });
    const verdict = (record: ThreadRecord) => {
      const last = record.look().calls.get("c")!;
      return `${verdictOf(last, true).words} ${last.reason}`;
    };
    const onlyTold = new ThreadRecord();
    onlyTold.take(started("r2", [approved]), "m1");
    onlyTold.take(started("r3", [declined]), "m1");
    expect(verdict(onlyTold)).toBe("declined by bob undefined");
    onlyTold.learn([second, first], []);
    expect(verdict(onlyTold)).toBe("declined by bob undefined");
    const onlyRecord = new ThreadRecord();
    onlyRecord.learn([second, first], []);
    onlyRecord.take(started("r2", [approved]), "m1", "log");
    expect(verdict(onlyRecord)).toBe("declined by bob undefined");
    const cancelled = new ThreadRecord();
    cancelled.learn([onRecord({ toolCallId: "c", at: late, status: "cancelled", user: "bob", answeredBy: { id: "s3", runId: "r3" } }), first], []);
    expect(verdict(cancelled)).toBe("no answer given by bob undefined");
  });

  it("has the last of several questions about one call", () => {
    const record = new ThreadRecord();
    const about = (interruptId: string, at: string, approved: boolean) => onRecord({ interruptId, toolCallId: "c", at, payload: { approved } });
    record.learn([about("i2", "2030-01-02T00:00:00Z", false), about("i1", "2030-01-01T00:00:00Z", true)], []);
    expect(record.look().calls.get("c")?.approved).toBe(false);
  });

  it("has what is decided about calls at the calls, and lacks the place of what only the record tells", () => {
    const record = new ThreadRecord();
    record.learn([onRecord({ toolCallId: "c", payload: { approved: false } })], []);
    expect([record.lacksPlaces, record.look().calls.get("c")?.approved, record.look().marks]).toEqual([false, false, []]);
    record.learn([onRecord({ interruptId: "j" })], []);
    expect(record.lacksPlaces).toBe(true);
  });

  it("takes the place of what was told anew to a newcomer from the log, whatever goes on meanwhile", () => {
    const record = new ThreadRecord();
    // Told anew before its messages are, and behind what came of it.
    record.take(started("r2", [{ ...told, approved: true }]), undefined);
    expect(record.lacksPlaces).toBe(true);
    record.take(started("r2", [{ ...told, approved: true }]), "m9");
    record.take(started("r1"), "m0", "log");
    record.take(asks("i"), "m1", "log");
    record.take(started("r2", [{ ...told, approved: true }]), "m2", "log");
    expect(record.look().marks).toMatchObject([{ key: "i", behind: "m1" }]);
    record.take({ type: "RUN_ERROR", code: "agent_error", message: "no" } as unknown as BaseEvent, "m10");
    record.take({ type: "RUN_FINISHED", outcome: { type: "success" } } as unknown as BaseEvent, "m3", "log");
    expect(record.look().marks).toMatchObject([{ key: "i" }, { key: "end r2", behind: "m10" }]);
  });

  it("knows from the runs on record with which message the turns of answers and failures began", () => {
    const record = new ThreadRecord();
    record.learn(
      [onRecord({ askedBy: { id: "s-r2", runId: "r2" } })],
      [
        run("r3", { execution: "r1", outcome: { type: "RUN_ERROR", code: "agent_error", message: "no" } }),
        run("r2", { execution: "r1" }),
        run("r1", { messageId: "m1" }),
        run("r0", { messageId: "m0", outcome: { type: "RUN_FINISHED", outcome: { type: "cancelled" } } }),
      ],
    );
    expect(record.lacksPlaces).toBe(true);
    expect(record.look().marks).toMatchObject([
      { kind: "answer", turn: "m1" },
      { key: "end r0", how: "stopped", turn: "m0", runId: "r0" },
      { key: "end r3", how: "failed", message: "no", turn: "m1", runId: "r3", run: "s-r3" },
    ]);
  });

  it("has the last end alone of a turn that was tried again", () => {
    const record = new ThreadRecord();
    for (const [runId, behind] of [["r1", "m1"], ["r2", "m2"], ["r3", "m2"]] as const) {
      record.take(started(runId), behind);
      record.take({ type: "RUN_ERROR", code: "agent_error", message: "no" } as unknown as BaseEvent, behind);
    }
    expect(record.look().marks).toMatchObject([{ key: "end r1" }, { key: "end r3" }]);
  });

  it.each([
    ["the record alone", ["record"]],
    ["the record, and what is told now", ["record", "now"]],
    ["what is told now, and then the record", ["now", "record"]],
    ["the log, which is read last", ["now", "record", "log"]],
    ["what is told now and the log, without a record", ["now", "log"]],
  ] as const)("has the last end of a turn that was tried again, and those before within it, as it knows from %s", (_, from) => {
    const record = new ThreadRecord();
    const error = (message: string) => ({ type: "RUN_ERROR", code: "agent_error", message }) as unknown as BaseEvent;
    const takes = (runId: string, from?: "log") => {
      record.take(started(runId), "m1", from);
      record.take(error(runId), "m1", from);
    };
    for (const one of from) {
      if (one === "now") takes("r3");
      else if (one === "log") for (const runId of ["r1", "r2"]) takes(runId, "log");
      else {
        const ended = (runId: string, second: number) => run(runId, { messageId: "m1", createdAt: `2030-01-01T00:00:0${second}Z`, outcome: { type: "RUN_ERROR", code: "agent_error", message: runId } });
        record.learn([], [ended("r3", 3), ended("r2", 2), ended("r1", 1)]);
      }
    }
    expect(record.look().marks).toMatchObject([{ key: "end r3", message: "r3", earlier: [{ message: "r1" }, { message: "r2" }] }]);
  });

  it("has the answers of one place in the order in which they were given, as it learns of the latest first", () => {
    const record = new ThreadRecord();
    record.learn([onRecord({ interruptId: "second", at: "2026-01-02T00:00:00Z" }), onRecord({ interruptId: "first", at: "2026-01-01T00:00:00Z" })], []);
    expect(record.look().marks).toMatchObject([{ key: "first" }, { key: "second" }]);
  });

  it("shows of a call what came back, and where it did", () => {
    expect(cameBack({ interruptId: "i", status: "resolved", at: "", through: "call", payload: { thread: "c", run: "r", text: "done" } })).toEqual({ thread: "c", came: { text: "done" } });
    expect(cameBack({ interruptId: "i", status: "resolved", at: "", through: "inbox", payload: { thread: "c" } })).toBeUndefined();
  });

  it("marks turns that failed or were stopped once, and none that never began", () => {
    const record = new ThreadRecord();
    const failed = (code: string) => ({ type: "RUN_ERROR", code, message: "no" }) as unknown as BaseEvent;
    expect(record.take(failed("thread_busy"), "m0")).toBe(false);
    record.take(started("r1"), "m0");
    expect(record.take(failed("agent_error"), "m1")).toBe(true);
    expect(record.take(failed("thread_busy"), "m1")).toBe(false);
    record.take(started("r1"), "m5");
    expect(record.take(failed("agent_error"), "m5")).toBe(false);
    record.take(started("r2"), "m2");
    record.take({ type: "RUN_FINISHED", outcome: { type: "cancelled" } } as unknown as BaseEvent, "m3");
    expect(record.look().marks).toMatchObject([{ behind: "m1", how: "failed" }, { behind: "m3", how: "stopped" }]);
  });
});
