// The traps that lie between a transport and AbstractAgent, each by its name. They run on every base class that is promised.

import * as agui from "@ag-ui/client";
import { describe, expect, it, vi } from "vitest";
import { WebSocketAgent } from "../index";
import {
  assistant, Bench, close, delta, failed, finished, interrupt, live, messages, open, run, settle, shown, started,
  state, stream, user, type Frame,
} from "./fake";
import { asked, asking, atRest, outcomeOf, quietly, told } from "./scenes";

/** 0.0.59 has no checks of its own for what goes out. */
const is1 = "enforceOutgoingInput" in agui;

quietly();

describe("AbstractAgent", () => {
  it("does not settle on RUN_FINISHED: the Observable completes on the terminal event", async () => {
    for (const end of [finished("r1"), finished("r1", { type: "success" }), failed("agent_error"), asking("r1", "i1")]) {
      const { bench, agent, outcome, calls } = await asked();
      bench.socket.say(run("r1", "started"), stream(0), started("r1"), end);
      await settle();
      expect(outcome.value).toBe("resolved");
      expect(agent.isRunning).toBe(false);
      expect(calls.at(-1)).toMatch(/^finalized/);
    }
  });

  it("reads maxProtocolVersion in its constructor, as the version of a package and not of the protocol", async () => {
    const { agent, input } = await asked();
    expect(agent.maxProtocolVersion).toBe("1.0.0");
    expect(input.protocolVersion).toBe(is1 ? "1.0" : undefined);
  });

  it("clones without a constructor: the clone works, on the same socket, beside the original", async () => {
    const { bench, agent } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "one"));
    await settle();
    const clone = agent.clone();
    expect(clone).toBeInstanceOf(WebSocketAgent);
    expect([clone.connection, clone.isRunning, clone.threadId]).toEqual([agent.connection, false, "t"]);
    clone.threadId = "t2";
    clone.setMessages([]);
    const other = outcomeOf(clone.runAgent({ runId: "r2" }));
    await settle();
    expect(bench.socket.next()).toMatchObject({ threadId: "t2", runId: "r2" });
    bench.socket.say(
      { ...run("r2", "started"), threadId: "t2" }, stream(0, undefined, "t2"), { ...started("r2"), threadId: "t2" },
      open("b"), delta("b", "two"), close("b"), { ...finished("r2"), threadId: "t2" },
      stream(3), close("a"), finished("r1"),
    );
    await settle();
    expect(other.value).toBe("resolved");
    expect(shown(clone)).toEqual(["assistant:two"]);
    expect(shown(agent)).toEqual(["user:hi", "assistant:one"]);
  });

  it("does not guard against two runs at once on one instance: both are told whole", async () => {
    const { bench, agent, outcome } = await asked();
    agent.addMessage({ id: "u2", role: "user", content: "more" });
    const second = outcomeOf(agent.runAgent({ runId: "r2" }));
    await settle();
    bench.socket.next();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "one"), run("r2", "queued"));
    bench.socket.say(close("a"), finished("r1"));
    await settle();
    expect([outcome.value, second.value, agent.isRunning]).toEqual(["resolved", "pending", true]);
    bench.socket.say(started("r2"), open("b"), delta("b", "two"), close("b"), finished("r2"));
    await settle();
    expect([second.value, agent.isRunning]).toEqual(["resolved", false]);
    expect(shown(agent).filter((line) => line.startsWith("assistant"))).toEqual(["assistant:one", "assistant:two"]);
  });

  it("wraps run in middleware", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.use((input, next) => next.run({ ...input, forwardedProps: { seen: true } }));
    void agent.runAgent({ runId: "r1" });
    await settle();
    bench.socket.hello();
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r1", forwardedProps: { seen: true } });
  });

  it("lets nulls out that AG-UI does not have, and keeps those that are values", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.setMessages([{ id: "u1", role: "user", content: "hi", name: null, metadata: { kept: null } } as never]);
    agent.state = null;
    void agent.runAgent({
      runId: "r1",
      forwardedProps: { kept: null },
      tools: [{ name: "f", description: "f", parameters: { default: null }, metadata: null } as never],
      resume: [{ interruptId: "i", status: "cancelled", payload: null }],
    }).catch(() => {});
    await settle();
    bench.socket.hello();
    await settle();
    const { id, protocolVersion, ...input } = bench.socket.next();
    expect(input).toEqual({
      threadId: "t", runId: "r1", context: [], forwardedProps: { kept: null },
      messages: [{ id: "u1", role: "user", content: "hi", metadata: { kept: null } }],
      tools: [{ name: "f", description: "f", parameters: { default: null } }],
      resume: [{ interruptId: "i", status: "cancelled" }],
    });
  });

  it("sends what AG-UI 1.0 knows, as HttpAgent does, and says what it leaves out", async () => {
    const { bench, agent, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
    bench.socket.next();
    agent.setMessages([{ ...user("u1", "hi"), extra: 1, metadata: { own: 1 } }, { id: "z", role: "oracle", content: "x" }] as never);
    void agent.runAgent({ runId: "r2", forwardedProps: { any: { thing: 1 } } });
    await settle();
    const known = { ...user("u1", "hi"), metadata: { own: 1 } };
    expect(bench.socket.next()).toMatchObject({
      runId: "r2", forwardedProps: { any: { thing: 1 } },
      messages: is1 ? [known] : [{ ...known, extra: 1 }, { id: "z", role: "oracle", content: "x" }],
    });
    expect(vi.mocked(console.warn).mock.calls.length).toBe(is1 ? 2 : 0);
    if (is1) expect(Object.keys(bench.socket.sent.at(-1)!.messages[0]).sort()).toEqual(["content", "id", "metadata", "role"]);
  });

  it("checks an input before it leaves: what is malformed is named, and nothing is sent", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.setMessages([{ id: 5, role: "user", content: "hi" }] as never);
    const outcome = outcomeOf(agent.runAgent());
    await settle();
    if (!is1) return;
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "invalid_input", message: expect.stringMatching(/^\/messages\/0\/id: /) });
    expect(bench.sockets).toHaveLength(0);
  });

  it("takes a stream that just stops for a success: here it rejects, and what was delivered stays", async () => {
    const { bench, agent, outcome, calls } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "half"));
    // In the same tick: an error that overtakes the reducer would drop what is queued in it.
    bench.socket.break(1009);
    await settle(1);
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "1009" });
    expect(calls).toContain("failed TransportError");
    expect(shown(agent)).toEqual(["user:hi", "assistant:half"]);
  });

  it("is told of a stop by the server's word: no failure follows it", async () => {
    const { bench, agent, outcome, calls } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    agent.abortRun();
    bench.socket.say(finished("r1", { type: "cancelled" }));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(calls.filter((call) => call.startsWith("failed") || call.startsWith("error"))).toEqual([]);
    expect(agent.pendingInterrupts).toEqual([]);
  });

  it("swallows an AbortError: a run given up before it was sent does not reject", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const outcome = outcomeOf(agent.runAgent());
    await settle();
    agent.abortRun();
    await settle(1);
    expect(outcome.value).toBe("resolved");
  });

  it("keeps pending interrupts across a refusal, so that a corrected answer can follow", async () => {
    const { bench, agent } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asking("r1", "i1"));
    await settle();
    const resume = [{ interruptId: "i1", status: "resolved" as const, payload: "wrong" }];
    const outcome = outcomeOf(agent.runAgent({ runId: "r2", resume }));
    await settle();
    bench.socket.say(run("r2", "refused"), stream(2, 1), failed("interrupt_payload_invalid"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1"]);
  });

  it("checks coverage before anything is sent", async () => {
    const { bench, agent, calls } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), asking("r1", "i1"));
    await settle();
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    const before = calls.length;
    await expect(agent.runAgent()).rejects.toThrow(/not addressed by resume: i1/);
    expect(bench.socket.silent()).toBe(true);
    expect(calls).toHaveLength(before);
    expect(agent.isRunning).toBe(false);
  });

  it("does not let an expired question be given up on 0.0.59: here it can be", async () => {
    const { bench, agent } = await asked();
    agent.pendingInterrupts = [{ ...interrupt("i1"), expiresAt: "2020-01-01T00:00:00Z" } as never];
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), finished("r1"));
    await settle();
    bench.socket.next();
    agent.pendingInterrupts = [{ ...interrupt("i1"), expiresAt: "2020-01-01T00:00:00Z" } as never];
    await expect(agent.runAgent({ resume: [{ interruptId: "i1", status: "resolved" }] })).rejects.toThrow(/expired/);
    void agent.runAgent({ runId: "r2", resume: [{ interruptId: "i1", status: "cancelled" }] });
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r2", resume: [{ interruptId: "i1", status: "cancelled" }] });
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1"]);
  });

  it("lets the server judge a message when all that is open has expired", async () => {
    const { bench, agent } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), finished("r1"));
    await settle();
    bench.socket.next();
    const [late, open] = ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"].map((expiresAt, i) => ({ ...interrupt(`i${i}`), expiresAt }) as never);
    agent.pendingInterrupts = [late!, open!];
    await expect(agent.runAgent()).rejects.toThrow(/not addressed by resume/);
    agent.pendingInterrupts = [late!];
    void agent.runAgent({ runId: "r2" });
    await settle();
    const sent = bench.socket.next();
    expect(sent).toMatchObject({ runId: "r2" });
    expect(sent).not.toHaveProperty("resume");
  });

  it("throws on connecting while questions are open: here the thread says which are", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.pendingInterrupts = [interrupt("old") as never];
    const outcome = await told(agent, bench, atRest(9, [user("u0", "q")], asking("r0", "new")), {
      interrupts: [interrupt("new")],
    });
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["new"]);
  });

  it("appends what is streamed again: connecting with messages held doubles nothing", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.setMessages([user("u0", "q"), assistant("a0", "answer")] as never);
    await told(agent, bench, atRest(9, [user("u0", "q"), assistant("a0", "answer")], finished("r0")));
    expect(shown(agent)).toEqual(["user:q", "assistant:answer"]);
  });

  it("takes an empty stream for a thread on which nothing has run", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    expect((await told(agent, bench, [live(9)])).value).toBe("resolved");
  });

  it("is detached by unsubscribing, quietly: nothing is cancelled, nothing fails", async () => {
    const { bench, agent, outcome, calls } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "half"));
    await settle();
    await agent.detachActiveRun();
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(calls.filter((call) => /failed|error/.test(call))).toEqual([]);
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    expect(bench.socket.silent()).toBe(true);
  });

  it("detaches nothing that has not begun: connecting twice at once does not wait for a run's end", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const first = outcomeOf(agent.connectAgent());
    const detached = outcomeOf(agent.detachActiveRun());
    await settle();
    expect([first.value, detached.value]).toEqual(["resolved", "resolved"]);
    const second = await told(agent, bench, [
      stream(9, 4), started("r0"), state({}), messages(user("u0", "q"), assistant("a", "par")), open("a"), live(9),
    ]);
    expect(second.value).toBe("pending");
    bench.socket.say(delta("a", "tial"), close("a"), finished("r0"));
    await settle();
    expect(second.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:q", "assistant:partial"]);
  });

  it("detaches nothing that has not begun: what is asked is sent all the same", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.addMessage({ id: "u1", role: "user", content: "hi" });
    void agent.runAgent({ runId: "r1" });
    await agent.detachActiveRun();
    await settle();
    bench.socket.hello();
    await settle();
    expect(bench.socket.next()).toMatchObject({ runId: "r1", messages: [user("u1", "hi")] });
  });

  it("knows less than AG-UI 1.0 on 0.0.59: what it does not know does not end the run", async () => {
    const { bench, agent, outcome, calls } = await asked();
    const call = (id: string): Frame => ({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "f" });
    bench.socket.say(
      run("r1", "started"), stream(0), started("r1", { protocolVersion: "1.0" }),
      { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "helper" }, { ...open("a"), subagentRunId: "s" },
      { ...delta("a", "from a helper"), subagentRunId: "s" }, { ...close("a"), subagentRunId: "s" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "s" },
      call("c1"), { type: "TOOL_CALL_END", toolCallId: "c1" },
      { type: "TOOL_CALL_RESULT", messageId: "t1", toolCallId: "c1", content: [{ type: "text", text: "a part" }], role: "tool" },
      call("c2"), { type: "TOOL_CALL_END", toolCallId: "c2" },
      { type: "SOMETHING_NEW", value: 1 },
      finished("r1", { type: "success", pendingToolCallIds: ["c2"] }),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(calls).toEqual(["started", "finished success", "finalized "]);
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "tool", "assistant"]);
  });
});
