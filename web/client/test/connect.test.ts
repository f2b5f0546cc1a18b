// Connecting: a page that is told a thread it holds nothing of.

import { describe, expect, it } from "vitest";
import {
  attached, assistant, Bench, close, delta, finished, interrupt, live, messages, open, run, settle, shown, started,
  state, stream, user,
} from "./fake";
import type { WebSocketAgent } from "../index";
import { asked, asking, atRest, following, outcomeOf, quietly, say, told } from "./scenes";

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

  describe("beside a run of the same agent", () => {
    const end = asking("r1", "i1", "i2");
    const atEnd = (agent: WebSocketAgent) => {
      expect(shown(agent)).toEqual(["user:go", "assistant:May I?"]);
      expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1", "i2"]);
    };

    it("completes on the empty thread that the run begins on", async () => {
      const bench = new Bench();
      const agent = bench.agent();
      const connected = outcomeOf(agent.connectAgent());
      const ran = outcomeOf(say(agent, "u1", "go", "r1"));
      await settle();
      bench.socket.hello();
      await settle();
      const attach = bench.socket.next();
      expect(attach).toMatchObject({ type: "ws.attach" });
      bench.socket.say(attached(0, false, { id: attach.id }), live(0));
      await settle();
      expect(bench.socket.next()).toMatchObject({ runId: "r1" });
      expect([connected.value, ran.value]).toEqual(["resolved", "pending"]);
      bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "May I?"), close("a"), end);
      await settle();
      expect(ran.value).toBe("resolved");
      atEnd(agent);
    });

    const during = async () => {
      const { bench, agent, outcome } = await asked();
      agent.messages[0]!.content = "go";
      bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "May"));
      await settle();
      const connected = outcomeOf(agent.connectAgent());
      await settle();
      const attach = bench.socket.next();
      expect(attach).toMatchObject({ type: "ws.attach" });
      bench.socket.say(
        attached(5, false, { id: attach.id, activeRunId: "r1" }), stream(5, 4), started("r1"), state({}),
        messages(user("u1", "go"), assistant("a", "May")), open("a"), live(5),
      );
      await settle();
      expect(connected.value).toBe("pending");
      return { bench, agent, ran: outcome, connected };
    };

    it("completes when that run has ended, with what it asks", async () => {
      const { bench, agent, ran, connected } = await during();
      bench.socket.say(delta("a", " I?"), close("a"), end);
      await settle();
      expect([connected.value, ran.value]).toEqual(["resolved", "resolved"]);
      atEnd(agent);
    });

    it("completes at rest when that run's end was missed", async () => {
      const { bench, agent, ran, connected } = await during();
      const socket = await bench.reconnect();
      const { id } = socket.next();
      socket.say(
        attached(8, false, { id, interrupts: [interrupt("i1"), interrupt("i2")] }),
        stream(8, 4), started("r1"), state({}), messages(user("u1", "go"), assistant("a", "May I?")), end, live(8),
      );
      await settle();
      expect([connected.value, ran.value]).toEqual(["resolved", "resolved"]);
      atEnd(agent);
    });

    it("goes on with a run that its follower has given up", async () => {
      const { bench, agent, stop } = await following();
      bench.socket.say(started("r1"), open("a"), delta("a", "May"));
      await settle();
      const connected = outcomeOf(agent.connectAgent());
      await settle();
      const attach = bench.socket.next();
      bench.socket.say(
        attached(12, false, { id: attach.id, activeRunId: "r1" }), stream(12, 4), started("r1"), state({}),
        messages(user("u1", "go"), assistant("a", "May")), open("a"), live(12),
      );
      await settle();
      stop();
      await settle();
      expect(connected.value).toBe("pending");
      const again = bench.socket.next();
      expect(again).toEqual({ type: "ws.attach", id: again.id, threadId: "t" });
      bench.socket.say(
        attached(13, false, { id: again.id, activeRunId: "r1" }), stream(13, 4), started("r1"), state({}),
        messages(user("u1", "go"), assistant("a", "May ")), open("a"), live(13), delta("a", "I?"), close("a"),
      );
      await settle();
      expect(connected.value).toBe("pending");
      bench.socket.say(finished("r1"));
      await settle();
      expect(connected.value).toBe("resolved");
      expect(shown(agent)).toEqual(["user:go", "assistant:May I?"]);
    });

    it("is given up with the run", async () => {
      const { agent, ran, connected } = await during();
      await agent.detachActiveRun();
      expect([connected.value, ran.value]).toEqual(["resolved", "resolved"]);
    });
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
