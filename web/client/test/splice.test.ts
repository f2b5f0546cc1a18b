// A restatement that comes into the middle of a run.

import { describe, expect, it } from "vitest";
import {
  attached, assistant, close, delta, failed, finished, interrupt, live, messages, open, run, settle, shown, started,
  state, stream, user,
} from "./fake";
import { asked, quietly } from "./scenes";

quietly();

describe("restated into an open pipeline", () => {
  const begun = async () => {
    const all = await asked();
    all.bench.socket.say(
      run("r1", "started"), stream(0), started("r1"),
      { type: "STEP_STARTED", stepName: "s" }, open("a"), delta("a", "Hel"),
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "a" },
      { type: "REASONING_START", messageId: "th" }, { type: "SUBAGENT_STARTED", subagentRunId: "sub", name: "helper" },
    );
    await settle();
    const socket = await all.bench.reconnect();
    const attach = socket.next();
    return { ...all, socket, attach };
  };

  it("drops the RUN_STARTED, ends what is closed, opens what is new, and doubles nothing", async () => {
    const { agent, events, outcome, socket, attach } = await begun();
    socket.say(
      attached(40, false, { id: attach.id, reason: "trimmed", activeRunId: "r1" }), stream(40, 5),
      started("r1", { metadata: { aguiws: { restated: true } } }), state({ n: 2 }),
      messages(user("u1", "hi"), assistant("a", "Hello"), assistant("b", "wor")), open("a"), open("b"),
      live(40), delta("a", "!"), delta("b", "ld"), close("a"), close("b"), finished("r1"),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello!", "assistant:world"]);
    expect(agent.state).toEqual({ n: 2 });
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type === "RUN_STARTED")).toHaveLength(1);
    expect(types.filter((type) => type === "TEXT_MESSAGE_START")).toHaveLength(2);
    expect(types).toEqual(expect.arrayContaining(["TOOL_CALL_END", "REASONING_END", "STEP_FINISHED", "SUBAGENT_FINISHED"]));
  });

  it("takes the restated end of its own run", async () => {
    const { agent, outcome, socket, attach } = await begun();
    socket.say(
      attached(60, false, { id: attach.id, interrupts: [interrupt("i1")] }), stream(60, 4), started("r1"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello")),
      finished("r1", { type: "interrupt", interrupts: [interrupt("i1")] }), live(60),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
  });

  it("does not take another run's end for its own but asks", async () => {
    const { agent, events, outcome, socket, attach } = await begun();
    socket.say(
      attached(90, false, { id: attach.id }), stream(90, 4), started("r2"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello"), user("u2", "more"), assistant("b", "later")), finished("r2"), live(90),
    );
    await settle();
    expect(outcome.value).toBe("pending");
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(
      run("r1", "repeat"), stream(90, 4), started("r1"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello"), user("u2", "more"), assistant("b", "later")), failed("agent_error"),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "agent_error" });
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello", "user:more", "assistant:later"]);
  });

  it("goes on with its own run when the server, which had forgotten it, begins it anew", async () => {
    const { agent, events, outcome, socket, attach } = await begun();
    socket.say(
      attached(4, false, { id: attach.id, epoch: "e2" }), stream(4, 4, "t", "e2"), started("rx"), state({}),
      messages(user("ux", "x")), finished("rx"), live(4),
    );
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "started"), started("r1"), open("b"), delta("b", "again"), close("b"), finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(shown(agent).at(-1)).toBe("assistant:again");
    expect(events.filter((event) => event.type === "RUN_STARTED")).toHaveLength(1);
  });

  it("does not begin a subagent anew that it has seen the end of", async () => {
    const { agent, outcome, socket, attach, events } = await begun();
    const sub = { subagentRunId: "sub" };
    socket.say(
      attached(7, true, { id: attach.id }), stream(7), { type: "SUBAGENT_FINISHED", ...sub },
      attached(30, false, { epoch: "e2", reason: "epoch" }), stream(30, 5, "t", "e2"), started("r1"), state({}),
      messages(user("u1", "hi")), { type: "SUBAGENT_STARTED", ...sub, name: "helper" }, { ...open("z"), ...sub }, live(30),
      { ...delta("z", "from it"), ...sub }, { ...close("z"), ...sub }, { type: "SUBAGENT_FINISHED", ...sub }, finished("r1"),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:from it"]);
    expect(events.filter((event) => event.type === "SUBAGENT_STARTED")).toHaveLength(1);
  });
});
