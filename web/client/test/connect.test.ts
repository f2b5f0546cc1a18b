// Connecting: a page that is told a thread it holds nothing of.

import { describe, expect, it } from "vitest";
import {
  attached, assistant, Bench, close, delta, finished, interrupt, live, messages, open, settle, shown, started,
  state, stream, user,
} from "./fake";
import { asking, atRest, following, quietly, told } from "./scenes";

quietly();

describe("connectAgent", () => {
  it("attaches without a position and completes at rest, interrupts included", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    agent.pendingInterrupts = [interrupt("stale") as never];
    const outcome = await told(agent, bench, atRest(9, [user("u0", "q")], asking("r0", "i1")), { interrupts: [interrupt("i1")] });
    expect(outcome.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:q"]);
    expect(agent.state).toEqual({ n: 1 });
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
  });

  it("completes on an empty thread", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const outcome = await told(agent, bench, [live(0)], { seq: 0 });
    expect(outcome.value).toBe("resolved");
    expect(agent.messages).toEqual([]);
  });

  it("goes on with the run in progress to its end", async () => {
    const bench = new Bench();
    const agent = bench.agent();
    const inProgress = [
      stream(5, 4), started("r0"), state({}), messages(user("u0", "q"), assistant("a", "Hel")), open("a"), live(5), delta("a", "lo"),
    ];
    const outcome = await told(agent, bench, inProgress, { seq: 5, activeRunId: "r0" });
    expect(outcome.value).toBe("pending");
    expect(agent.status.activeRunId).toBe("r0");
    const socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ type: "ws.attach", after: { epoch: "e", seq: 6 } });
    socket.say(attached(6, true), stream(6), close("a"), finished("r0"), live(8));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:q", "assistant:Hello"]);
  });

  it("leaves another agent on the same thread as it is", async () => {
    const { bench, agent, events } = await following();
    const before = events.length;
    const other = bench.agent();
    void other.connectAgent();
    await settle();
    const attach = bench.socket.next();
    bench.socket.say(attached(10, false, { id: attach.id }), ...atRest(10, [user("u0", "q"), assistant("a0", "answer")]));
    await settle();
    expect(shown(other)).toEqual(["user:q", "assistant:answer"]);
    expect(shown(agent)).toEqual(["user:q", "assistant:answer"]);
    expect(events).toHaveLength(before);
    bench.socket.say(started("r1"), open("b"), delta("b", "new"), close("b"), finished("r1"));
    await settle();
    expect(shown(agent).at(-1)).toBe("assistant:new");
    expect(shown(other)).toHaveLength(2);
  });
});
