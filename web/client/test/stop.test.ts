// Stopping: a wish that is kept until the server has answered it.

import { describe, expect, it } from "vitest";
import { attached, Bench, close, delta, failed, finished, interrupt, live, open, run, settle, shown, started, stream, user } from "./fake";
import { asked, atRest, following, outcomeOf, quietly } from "./scenes";

quietly();

const cancelled = (runId: string, stopped: boolean) => ({ type: "ws.cancelled", threadId: "t", runId, stopped });
const refused = (id: string, code: string) => ({ type: "ws.error", id, code, message: code });

/** A follower of somebody's run rf, at position 13. */
async function seeing() {
  const scene = await following();
  scene.bench.socket.say(started("rf"), open("f"), delta("f", "Hel"));
  await settle();
  return scene;
}

describe("a run that has not begun", () => {
  it("is not sent, and no other run is stopped for it", async () => {
    const { bench, agent } = await seeing();
    const outcome = outcomeOf(agent.runAgent({ runId: "r1" }));
    agent.abortRun();
    await settle(1);
    expect(outcome.value).toBe("resolved");
    expect(bench.socket.silent()).toBe(true);
    bench.socket.say(delta("f", "lo"), close("f"), finished("rf"));
    await settle();
    expect(shown(agent).at(-1)).toBe("assistant:Hello");
    expect(agent.isRunning).toBe(false);
  });

  it("is not sent however long a subscriber prepares it", async () => {
    const { bench, agent } = await following();
    const prepared = { onRunInitialized: () => new Promise<void>((resolve) => setTimeout(resolve, 500)) };
    const [first, second] = ["r1", "r2"].map((runId) => outcomeOf(agent.runAgent({ runId }, prepared)));
    await settle(100);
    agent.stopRun("r1");
    await settle(500);
    expect([first!.value, second!.value]).toEqual(["resolved", "pending"]);
    expect(bench.socket.next()).toMatchObject({ runId: "r2" });
    expect(bench.socket.silent()).toBe(true);
  });

  it("is the latest even where an earlier one is in progress", async () => {
    const { bench, agent, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    const second = outcomeOf(agent.runAgent({ runId: "r2" }));
    agent.abortRun();
    await settle(1);
    expect([outcome.value, second.value, bench.socket.silent()]).toEqual(["pending", "resolved", true]);
    agent.abortRun();
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "r1" });
  });
});

describe("a stop while there is no socket", () => {
  it("of a followed run is sent when there is one again", async () => {
    const { bench, agent } = await seeing();
    bench.socket.break();
    agent.abortRun();
    await settle(5_000);
    bench.socket.hello();
    const attach = bench.socket.next();
    bench.socket.say(attached(13, true, { id: attach.id, activeRunId: "rf" }), live(13));
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "rf" });
    bench.socket.say(cancelled("rf", true), stream(13), close("f"), finished("rf", { type: "cancelled" }));
    const socket = await bench.reconnect();
    socket.say(attached(15, true, { id: socket.next().id }), live(15));
    expect(socket.silent()).toBe(true);
  });

  it("is sent again when its answer was lost with the next socket", async () => {
    const { bench, agent } = await seeing();
    agent.abortRun();
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel" });
    const socket = await bench.reconnect();
    socket.say(attached(13, true, { id: socket.next().id, activeRunId: "rf" }), live(13));
    expect(socket.next()).toMatchObject({ type: "ws.cancel", runId: "rf" });
    expect(socket.silent()).toBe(true);
  });

  it("is forgotten where the run ended meanwhile: the next may have its name", async () => {
    for (const tail of [
      [attached(13, true), stream(13), close("f"), finished("rf"), live(15)],
      [attached(30, false), ...atRest(30, [user("u0", "q")], finished("rz"))],
    ]) {
      const { bench, agent } = await seeing();
      bench.socket.break();
      agent.abortRun();
      await settle(5_000);
      bench.socket.hello();
      const { id } = bench.socket.next();
      bench.socket.say({ ...tail[0], id }, ...tail.slice(1));
      await settle();
      expect(bench.socket.silent()).toBe(true);
    }
  });

  it("of an own run outlives the run's being given up", async () => {
    const { bench, agent, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    await settle();
    bench.socket.break();
    agent.abortRun();
    await agent.detachActiveRun();
    expect(outcome.value).toBe("resolved");
    await settle(5_000);
    bench.socket.hello();
    const attach = bench.socket.next();
    bench.socket.say(attached(1, true, { id: attach.id, activeRunId: "r1" }), live(1));
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "r1" });
    bench.socket.say(cancelled("r1", true));
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    await settle(10_000);
    expect(bench.connection.state).toBe("idle");
  });

  it("of an own run that nobody has answered outlives it too", async () => {
    const { bench, agent } = await asked();
    agent.abortRun();
    await agent.detachActiveRun();
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "r1" });
    bench.socket.say(cancelled("r1", true));
    await settle(10_000);
    expect(bench.connection.state).toBe("idle");
  });

  it("is given up with the connection", async () => {
    const { bench, agent } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    agent.abortRun();
    bench.socket.break(4400);
    await settle(20_000);
    expect(bench.connection.state).toBe("idle");
  });
});

describe("a stop that is refused", () => {
  it("for now is sent again, a few times", async () => {
    for (const code of ["rate_limited", "store_unavailable"]) {
      const { bench, agent } = await seeing();
      const { socket } = bench;
      agent.abortRun();
      for (const wait of [500, 1_000, 2_000, 4_000]) {
        const cancel = socket.next();
        expect(cancel).toMatchObject({ type: "ws.cancel", runId: "rf" });
        socket.say(refused(cancel.id, code));
        await settle(wait - 1);
        expect(socket.silent()).toBe(true);
        await settle(1);
      }
      socket.say(refused(socket.next().id, code));
      await settle(5_000);
      expect(socket.sent.filter(({ type }) => type === "ws.cancel")).toHaveLength(5);
      expect(agent.status.failure).toMatchObject({ code });
    }
  });

  it("for good is said, and ends no run", async () => {
    const { bench, agent, outcome } = await asked();
    bench.socket.say(run("r1", "started"), stream(0), started("r1"));
    agent.abortRun();
    bench.socket.say(refused(bench.socket.next().id, "forbidden"));
    await settle(1);
    expect([outcome.value, agent.status.failure?.code]).toEqual(["pending", "forbidden"]);
    bench.socket.say(finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
  });

  it("because the run is over has done what it should", async () => {
    const { bench, agent } = await seeing();
    agent.stopRun("another");
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "another" });
    bench.socket.say(cancelled("another", false));
    const socket = await bench.reconnect();
    socket.say(attached(13, true, { id: socket.next().id, activeRunId: "rf" }), live(13));
    expect(socket.silent()).toBe(true);
  });
});

it("reaches a run of a thread that is not held here", async () => {
  const bench = new Bench();
  const agent = bench.agent();
  agent.stopRun("r9");
  bench.socket.hello();
  expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", threadId: "t", runId: "r9" });
  bench.socket.say(cancelled("r9", true));
  await settle(10_000);
  expect(bench.connection.state).toBe("idle");
  agent.abortRun();
  expect(bench.sockets).toHaveLength(1);
});

it("of an answer to questions leaves them as the server says", async () => {
  const { bench, agent, outcome } = await asked();
  agent.abortRun();
  bench.socket.say(run("r1", "refused"), stream(0, 1), failed("interrupts_pending"));
  await settle();
  expect([outcome.value, bench.socket.silent()]).toEqual(["resolved", true]);
});

describe("a run that waits for answers", () => {
  const waits = (runId: string) => ({ ...finished(runId), outcome: { type: "interrupt", interrupts: [interrupt("i")] } });

  it("is known by its id, and is stopped by that and not by a stop of what is in progress", async () => {
    const { bench, agent } = await seeing();
    bench.socket.say(close("f"), waits("rf"));
    await settle();
    expect(agent.status).toMatchObject({ activeRunId: undefined, waitingRunId: "rf" });
    agent.stopRun();
    expect(bench.socket.silent()).toBe(true);
    agent.stopRun("rf");
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "rf" });
    bench.socket.say(cancelled("rf", true), started("ending"), { ...finished("ending"), outcome: { type: "cancelled" } });
    await settle();
    expect(agent.status).toMatchObject({ activeRunId: undefined, waitingRunId: undefined, interrupts: [] });
  });

  it("is known again when its answer could not be carried out", async () => {
    const { bench, agent } = await seeing();
    bench.socket.say(close("f"), waits("rf"), started("answer"));
    await settle();
    expect(agent.status.waitingRunId).toBeUndefined();
    bench.socket.say(failed("agent_failed"));
    await settle();
    bench.socket.say(attached(19, true, { id: bench.socket.next().id, interrupts: [interrupt("i")] }), live(19));
    await settle();
    expect(agent.status.waitingRunId).toBe("rf");
  });
});
