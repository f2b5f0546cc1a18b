import { expect, it } from "vitest";
import type { DecisionInfo, RunInfo } from "../src/server/api";
import { causes, requeueAll } from "../src/ops/requeue";
import { failureOf, isPaused, runDetail, runLine, runState, unfolded } from "../src/ops/runstates";
import { belowName, headOf, learnNames, nameOf } from "../src/ops/runnames";
import { learnDecided, learnOpen } from "../src/ops/runquestions";
import { moreFacts, people } from "../src/ops/runfacts";
import { signIn } from "../src/server/session";
import { exactly } from "../src/lib/exactly";
import { between, lengthWords, secondWords, waitsSince, wayOf, type RunOnRecord, workedWords } from "../src/ops/runway";

const run = (more: Partial<RunOnRecord>): RunOnRecord => ({
  id: "r1", runId: "label", threadId: "t/1", namespace: "n", execution: "e", state: "acked", attempts: 1, maxAttempts: 3, createdAt: "2030-01-01T10:00:00Z", updatedAt: "2030-01-01T10:00:05Z", ...more,
});

const asked = (reason: string, expiresAt?: string) => ({ type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [{ id: "i", reason, expiresAt }] } });

it("says what a run came to, never what became of its dispatch", () => {
  const said = (more: Partial<RunOnRecord>) => Object.values(runState(run(more))).join("|");
  expect(said({ outcome: { type: "RUN_FINISHED", outcome: { type: "success" } } })).toBe("succeeded|done");
  expect(said({ outcome: { type: "RUN_FINISHED" } })).toBe("succeeded|done");
  expect(said({ outcome: { type: "RUN_ERROR", code: "run_timeout" } })).toBe("failed|late");
  expect(said({ outcome: { type: "RUN_ERROR", code: "cancelled" } })).toBe("stopped by its user|");
  expect(said({ outcome: { type: "RUN_FINISHED", outcome: { type: "cancelled" } }, user: "ann" })).toBe("stopped by ann|");
  expect(said({ outcome: { type: "RUN_FINISHED", outcome: { type: "cancelled" } }, origin: "expiry" })).toBe("stopped|");
  expect(said({ outcome: asked("tool_call"), waits: true })).toBe("waits for an answer|asked");
  expect(said({ outcome: asked("tool_call", "2999-01-01T10:00:00Z"), waits: true })).toBe("waits for an answer|asked");
  expect(said({ outcome: asked("tool_call", "2020-01-01T10:00:00Z"), waits: true })).toBe("expired, nobody answered|late");
  expect(said({ outcome: asked("aguiws:paused"), waits: true })).toBe("paused|asked");
  expect(said({ outcome: asked("aguiws:timer", new Date(2020, 0, 31, 14, 5).toISOString()), waits: true })).toBe("sleeps until Jan 31, 14:05|");
  expect(said({ outcome: asked("aguiws:event", "2030-01-01T10:00:00Z"), waits: true })).toBe("waits for an event|");
  expect(said({ outcome: asked("aguiws:call"), waits: true })).toBe("waits for another agent|");
  expect(said({ outcome: asked("aguiws:timer"), continuedAs: "r2" })).toBe("waited, and went on|");
  expect(said({ outcome: asked("aguiws:timer") })).toBe("waited, and did not go on|");
  expect(said({ outcome: asked("tool_call"), continuedAs: "r2" })).toBe("question answered|");
  expect(said({ outcome: asked("tool_call") })).toBe("question not answered|");
  expect(said({ outcome: asked("tool_call"), continuedAs: "r2", answered: "cancelled" })).toBe("no answer given|");
  // A question whose time is over is nobody's to answer, whether it is open still or the server has ended it.
  expect(said({ outcome: asked("tool_call", "2020-01-01T10:00:00Z"), waits: true })).toBe("expired, nobody answered|late");
  expect(said({ outcome: asked("tool_call", "2999-01-01T10:00:00Z"), waits: true })).toBe("waits for an answer|asked");
  expect(said({ outcome: asked("tool_call"), continuedAs: "r2", answered: "expired" })).toBe("expired, nobody answered|late");
  expect(said({})).toBe("ended|");
  expect(said({ state: "superseded" })).toBe("stopped by its user|");
  expect(said({ state: "superseded", stoppedBy: "ann", error: "cancelled by an operator" })).toBe("stopped by ann|");
  expect(said({ state: "superseded", error: "cancelled by an operator" })).toBe("stopped|");
  expect(said({ state: "superseded", stoppedBy: "ann", replacedBy: "r2" })).toBe("replaced|");
  expect(said({ state: "queued" })).toBe("queued|");
  expect(said({ state: "queued", availableAt: "2999-01-01T10:00:00Z" })).toBe("queued for later|");
  expect(said({ state: "queued", started: true })).toBe("waits for a worker|");
  expect(said({ state: "claimed" })).toBe("starting|busy");
  expect(said({ state: "claimed", started: true })).toBe("running|busy");
  expect(said({ state: "dead_letter" })).toBe("dead letter|late");
  expect(said({ state: "dead_letter", continuedAs: "r2" })).toBe("dead letter, requeued|");
  expect(said({ state: "cancelled" })).toBe("cancelled in the queue|");
  expect(said({ state: "cancelled", outcome: { type: "RUN_ERROR", code: "cancelled" } })).toBe("cancelled in the queue|");
  expect(said({ state: "cancelled", outcome: { type: "RUN_ERROR", code: "worker_lost" } })).toBe("dead letter, dismissed|");
  // Only a run that has succeeded is green.
  for (const state of ["queued", "claimed", "cancelled", "superseded", "dead_letter"] as const) expect(runState(run({ state })).tone).not.toBe("done");
});

it("says why", () => {
  expect(runDetail(run({ outcome: { type: "RUN_ERROR", code: "run_timeout", message: "too long" } }))).toBe("run_timeout: too long.");
  expect(runDetail(run({ outcome: { type: "RUN_ERROR" } }))).toBe("agent_error");
  expect(runDetail(run({ error: "the last attempt failed" }))).toBe("the last attempt failed");
  learnNames([{ id: "r2-of-many", execution: "e2", asked: "Never mind" }]);
  expect(runDetail(run({ error: "superseded by another input", replacedBy: "r2-of-many" }))).toBe("replaced by “Never mind”");
  expect(runDetail(run({ replacedBy: "0123456789" }))).toBe("replaced by “01234567”");
});

it("says in one line what a run came to, its failure in the page's words", () => {
  const failed = run({ outcome: { type: "RUN_ERROR", code: "run_timeout", message: "too long" }, wrote: { count: 1, firstId: "a", lastId: "a", text: "Once" } });
  expect(runLine(failed)).toBe("The run took too long: too long");
  expect(failureOf(failed)?.code).toBe("run_timeout");
  expect(runLine(run({ outcome: { type: "RUN_ERROR", code: "agent_error", message: "the agent panicked: the server's log says more of the run r-1" } }))).toBe("The agent failed: the server's log says why");
  expect(runLine(run({ outcome: { type: "RUN_ERROR", code: "agent_error", message: "the agent failed: the server's log says why" } }))).toBe("The agent failed: the server's log says why");
  expect(runLine(run({ outcome: { type: "RUN_ERROR", code: "upstream_unavailable", message: "the agent cannot be reached" } }))).toBe("The agent cannot be reached");
  expect(runLine(run({ outcome: { type: "RUN_ERROR", code: "cancelled", message: "by Ann" } }))).toBe("by Ann");
  expect(runLine(run({ outcome: { type: "RUN_FINISHED" }, wrote: { count: 1, firstId: "a", lastId: "a", text: "Hello" } }))).toBe("Hello");
  expect(runLine(run({ state: "dead_letter", error: "worker lost" }))).toBe("dead letter: worker lost");
});

it("calls a run by what was asked, and one that goes on with that by the same", () => {
  const titled = { title: "Plan a trip to Lisbon for the…", execution: "e9" };
  expect(nameOf(run(titled))).toBe("Plan a trip to Lisbon for the…");
  learnNames([{ id: "r1", execution: "e9", asked: "Plan a trip to Lisbon for the second week of May" }]);
  expect(nameOf(run({ ...titled, asked: "And a hotel" }))).toBe("And a hotel");
  expect(belowName(run({ ...titled, origin: "user", asked: "And a hotel" }), "Booked")).toBe("Booked · in chat “Plan a trip to Lisbon for the…”");
  expect(nameOf(run(titled))).toBe("Plan a trip to Lisbon for the second week of May");
  expect(belowName(run({ ...titled, origin: "resume" }), "Booked")).toBe("started by an answer · Booked");
  const answered = { ...titled, origin: "resume", user: "ann" } as const;
  expect(belowName(run({ ...answered, begunBy: "bob" }), "Booked")).toBe("asked by bob, answered by ann · Booked");
  expect(belowName(run({ ...titled, origin: "operator", asked: titled.title, answersAnew: "m", user: "ann" }), "Failed")).toBe("retried by ann · Failed");
  expect(belowName(run({ ...titled, origin: "operator", asked: titled.title, answersAnew: "m" }), "Failed")).toBe("retried · Failed");
  expect(people(run(answered))).toEqual([["Asked by", "ann"]]);
  expect(people(run({ ...answered, begunBy: "bob" }))).toEqual([["Asked by", "bob"], ["Answered by", "ann"]]);
  expect(people(run({ origin: "expiry", begunBy: "bob" }))).toEqual([["Asked by", "bob"]]);
  expect(people(run({ answersAnew: "m", user: "ann" }))).toEqual([["Retried by", "ann"]]);
  const said = run({ threadId: "0123456789", execution: "other", title: "Trips", origin: "resume", wrote: { count: 1, firstId: "a", lastId: "a", text: "Booked" } });
  expect([nameOf(said), belowName(said, runLine(said))]).toEqual(["Booked", "started by an answer · in chat “Trips”"]);
  expect(nameOf({ ...said, wrote: undefined })).toBe("Trips");
  expect(nameOf(run({ threadId: "0123456789", execution: "other" }))).toBe("Chat 01234567");
});

it.each([
  [{ title: "/panic" }, "/panic", "/panic", undefined],
  [{ title: "out of paper" }, "/fail out of paper", "out of paper", "/fail out of paper"],
  [{ title: "x", asked: "Plan a trip to…" }, "Plan a trip to Lisbon.\nAnd a hotel.", "Plan a trip to Lisbon.\nAnd a hotel.", undefined],
  [{ title: "Panic" }, undefined, "Panic", undefined],
])("calls %j, asked %s, by its name in lists, and says only what that does not", (more, asked, heading, below) => {
  expect(headOf(run({ execution: "none", ...more }), asked)).toEqual(below === undefined ? { heading } : { heading, below });
});

const decision = (more: Partial<DecisionInfo>): DecisionInfo => ({ id: "d", at: "2030-01-01T09:59:00Z", status: "resolved", threadId: "t/1", namespace: "n", interruptId: "i", refused: 0, ...more });

it("calls a run by its question, whatever was asked, and says that it was declined or got no answer", () => {
  const pay = { askedBy: { id: "q1" }, answeredBy: { id: "q2" }, tool: "pay", arguments: { to: "Zoe", eur: 9000 }, payload: { approved: false } };
  const ended = { outcome: { type: "RUN_FINISHED", outcome: { type: "success" } } };
  learnDecided([decision(pay)]);
  expect([run({ id: "q1", asked: "pay" }), run({ id: "q2", execution: "none", title: "pay" }), run({ id: "q2", asked: "Pay what is due to Zoe" })].map(nameOf)).toEqual(["Pay to Zoe", "Pay to Zoe", "Pay to Zoe"]);
  expect(belowName(run({ id: "q2", execution: "none", title: "pay" }), "Not paid")).toBe("Not paid");
  expect([run({ id: "q1", execution: "none", title: "Payroll" }), run({ id: "q1", asked: "給料" })].map(nameOf)).toEqual(["Pay to Zoe", "Pay to Zoe"]);
  expect(belowName(run({ id: "q1", execution: "none", title: "Payroll" }), "Not paid")).toBe("Not paid · in chat “Payroll”");
  expect(Object.values(runState(run({ id: "q2", ...ended })))).toEqual(["declined", ""]);
  learnDecided([decision({ ...pay, status: "cancelled", payload: undefined, through: "inbox" })]);
  expect(Object.values(runState(run({ id: "q2", ...ended })))).toEqual(["no answer given", ""]);
  learnDecided([decision({ ...pay, status: "cancelled", payload: undefined, through: "steering" })]);
  expect(runState(run({ id: "q2", ...ended })).words).toBe("succeeded");
  const two = [decision({ ...pay, interruptId: "b", arguments: { to: "Ada" }, payload: { approved: true } }), decision(pay)];
  learnDecided(two);
  expect(nameOf(run({ id: "q1", asked: "Expire 1" }))).toBe("Pay to Zoe and 1 more");
  expect(runState(run({ id: "q2", ...ended })).words).toBe("succeeded");
  learnOpen([{ threadId: "t/1", namespace: "n", runId: "open", title: "", interrupts: [{ id: "i", interrupt: {}, toolCall: { name: "pay", arguments: '{"to":"Bob"}' } }] }]);
  expect(nameOf(run({ id: "q3", runId: "open", asked: "Form" }))).toBe("Pay to Bob");
  learnDecided([decision({ ...pay, askedBy: { id: "q3" }, arguments: { to: "Bo" } })]);
  expect(nameOf(run({ id: "q3", runId: "open", asked: "form" }))).toBe("Pay to Bo");
});

it("says to nobody what somebody else has read", () => {
  learnNames([{ id: "his", execution: "his", asked: "Plan it" }]);
  learnDecided([decision({ askedBy: { id: "q1" }, answeredBy: { id: "q2" }, tool: "pay", payload: { approved: false } })]);
  learnOpen([{ threadId: "t/1", namespace: "n", runId: "open", title: "", interrupts: [{ id: "i", interrupt: {}, toolCall: { name: "pay", arguments: "{}" } }] }]);
  signIn("bob");
  const named = [run({ id: "q1" }), run({ id: "q2" }), run({ id: "q3", runId: "open" }), run({ id: "his" }), run({ execution: "his" })];
  expect(new Set(named.map(nameOf))).toEqual(new Set(["Chat t/1"]));
  signIn(undefined);
});

it("folds a run that asked under the one that its answer began", () => {
  const runs = [run({ id: "b", outcome: { type: "RUN_FINISHED" } }), run({ id: "a", outcome: asked("tool_call"), continuedAs: "b" }), run({ id: "c", outcome: asked("tool_call"), continuedAs: "elsewhere" }), run({ id: "d", state: "dead_letter", continuedAs: "b" })];
  expect(unfolded(runs, undefined).map(({ id }) => id)).toEqual(["b", "c", "d"]);
  expect(unfolded(runs, "a")).toEqual(runs);
});

it("names what a run came from and what it has used", () => {
  expect(moreFacts(run({ origin: "user" }))).toEqual([]);
  expect(moreFacts(run({ origin: "resume", parentRunId: "first", usage: [{ inputTokens: 12, outputTokens: 5 }, { inputTokens: 1 }] }))).toEqual([["Started by", "an answer"], ["Parent run", "first"], ["Tokens", "13 in, 5 out"]]);
  expect(moreFacts(run({ origin: "operator", user: "ann" }))).toEqual([["Started by", "an action on the chat"]]);
  expect(moreFacts(run({ origin: "operator", user: "ann", answersAnew: "m" }))).toEqual([]);
  expect(moreFacts(run({ usage: [{ totalTokens: 7 }] }))).toEqual([["Tokens", "7"]]);
});

it("says times as clocks do, to the second", () => {
  const at = new Date(2030, 0, 31, 14, 5, 9);
  expect(secondWords(at.toISOString())).toBe("14:05:09");
  expect(exactly(at.toISOString(), at.getTime())).toBe("14:05:09");
  expect(exactly(at.toISOString(), at.getTime() + 86_400_000)).toBe("Jan 31, 14:05:09");
});

it("tells the timeline of a run, with the decisions before and behind it", () => {
  const way = wayOf(run({ started: true, outcome: asked("x"), takeovers: 1, claimedBy: "n2", continuedAs: "r2", completedAt: "2030-01-01T10:00:04Z" }), [
    decision({ user: "ann", answeredBy: { id: "r1" }, askedBy: { id: "r0" } }),
    decision({ at: "2030-01-01T10:05:00Z", status: "expired", askedBy: { id: "r1" }, answeredBy: { id: "r2" } }),
    decision({ askedBy: { id: "r7" } }),
  ]);
  expect(way.map(({ words }) => words)).toEqual(["answered by ann", "queued, then started", "taken over once, from a server that was lost or drained", "question answered", "the question expired", "continued"]);
  expect(way.map(({ at }) => at?.slice(11, 19))).toEqual(["09:59:00", "10:00:00", undefined, "10:00:04", "10:05:00", undefined]);
  expect(way[3]?.detail).toBe("on server n2");
  expect(wayOf(run({ state: "claimed", claimedBy: "n1", leaseUntil: "2030-01-01T10:00:10Z" })).at(-1)?.detail).toContain("by server n1 · its lease");
  // No mark of a sentence stands before the next part.
  expect(wayOf(run({ outcome: { type: "RUN_FINISHED" }, wrote: { count: 1, firstId: "a", lastId: "a", text: "It is done." }, claimedBy: "n2" })).at(-1)?.detail).toBe("on server n2");
});

it("says how long it was between two times", () => {
  expect([between("2030-01-01T10:00:00Z", "2030-01-01T10:00:00.4Z"), between("2030-01-01T10:00:00Z", "2030-01-01T10:00:01.25Z"), between("2030-01-01T10:00:00Z", "2030-01-01T10:03:00Z")]).toEqual(["400 ms", "1.3 s", "3 min"]);
  expect([between(undefined, "x"), between("2030-01-01T10:00:01Z", "2030-01-01T10:00:00Z")]).toEqual(["", ""]);
});

it("requeues many, and tells of each what became of it", async () => {
  const letters: RunInfo[] = ["a", "b", "c"].map((id) => run({ id, state: "dead_letter", error: id === "c" ? "" : "worker_lost: too often" }));
  expect(causes(letters)).toEqual(["2 × worker_lost", "1 × without a reason"]);
  const sent: string[] = [];
  const told: number[] = [];
  const done = await requeueAll(
    letters,
    async (method, path) => {
      sent.push(`${method} ${path}`);
      if (path.includes("/b/")) throw new Error("it is gone");
    },
    (failed) => (failed as Error).message,
    (so) => told.push(so.length),
  );
  expect(sent).toEqual(["a", "b", "c"].map((id) => `POST /threads/t%2F1/runs/${id}/requeue?namespace=n`));
  expect(done.map(({ fault }) => fault)).toEqual([undefined, "it is gone", undefined]);
  expect(told).toEqual([1, 2, 3]);
});

it("says how long a run was worked on, apart from how long it waits", () => {
  const run = { createdAt: "2030-01-31T14:00:00Z", updatedAt: "2030-01-31T14:00:09Z" } as RunOnRecord;
  const now = Date.parse("2030-01-31T14:03:01Z");
  const words = (more: Partial<RunOnRecord>) => [workedWords({ ...run, ...more }, now), waitsSince({ ...run, ...more }, now), lengthWords({ ...run, ...more }, now)];
  expect(words({ state: "claimed" })).toEqual(["3 min", undefined, "3 min"]);
  expect(words({ state: "acked", completedAt: "2030-01-31T14:00:04Z" })).toEqual(["4.0 s", undefined, "4.0 s"]);
  expect(words({ state: "dead_letter" })).toEqual(["9.0 s", undefined, "9.0 s"]);
  expect(words({ state: "acked", waits: true, completedAt: "2030-01-31T14:00:00.001Z" })).toEqual(["1 ms", "2030-01-31T14:00:00.001Z", "waits 3 min"]);
  const expired = { type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", expiresAt: "2030-01-31T14:00:02Z" }] } };
  expect(words({ state: "acked", waits: true, completedAt: "2030-01-31T14:00:00.001Z", outcome: expired })).toEqual(["1 ms", undefined, "1 ms"]);
  expect(words({ state: "queued" })).toEqual(["", run.createdAt, "waits 3 min"]);
});

it("knows a run that an operator has paused, as long as it waits", () => {
  const outcome = (reason: string) => ({ type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [{ id: "i", reason }] } });
  expect(isPaused({ state: "acked", waits: true, outcome: outcome("aguiws:paused") })).toBe(true);
  expect(isPaused({ state: "acked", waits: false, outcome: outcome("aguiws:paused") })).toBe(false);
  expect(isPaused({ state: "acked", waits: true, outcome: outcome("tool_call") })).toBe(false);
});
