// The server's store is away: what is shown meanwhile, and what is sent when it is back.

import { describe, expect, it } from "vitest";
import { assistant, attached, Bench, close, delta, failed, finished, messages, open, run, settle, shown, started, state, stream, user, type FakeSocket, type Frame } from "./fake";
import { asked, atRest, following, quietly, say } from "./scenes";

quietly();

const store = (available: boolean) => ({ type: "ws.store", available });

/** Pings are another matter. */
const unpinged = () => new Bench({ pingMs: 2 ** 30 });

/** The server's answer to an input while its store is away. */
const refuse = (socket: FakeSocket, runId = "r1", retryAfterMs = 2_000) =>
  socket.say(run(runId, "refused"), stream(0, 1), { ...failed("store_unavailable"), metadata: { aguiws: { retryAfterMs } } });

describe("whether the store is there", () => {
  it("is told by the server, and is not known without a socket", async () => {
    const { bench, agent } = await following();
    let changes = 0;
    agent.watchStatus(() => void changes++);
    expect([agent.status.storeAvailable, agent.connection.storeAvailable]).toEqual([true, true]);
    bench.socket.say(store(false));
    expect([agent.status.storeAvailable, agent.connection.storeAvailable, changes]).toEqual([false, false, 1]);
    const held = agent.status;
    expect(agent.status).toBe(held);
    bench.socket.say(store(true));
    expect([agent.status.storeAvailable, changes]).toEqual([true, 2]);
    bench.socket.say(store(false));
    const socket = await bench.reconnect();
    expect(agent.status.storeAvailable).toBe(true);
    socket.say(store(false));
    expect(agent.status.storeAvailable).toBe(false);
    expect(shown(agent)).toEqual(["user:q", "assistant:answer"]);
  });

  it("is asked with an attach less often while it is not, and at once when it is back", async () => {
    const bench = unpinged();
    const agent = bench.agent();
    agent.follow();
    bench.socket.hello();
    bench.socket.say(store(false));
    for (const wait of [5_000, 5_000]) {
      bench.socket.say({ type: "ws.error", code: "store_unavailable", message: "later", id: bench.socket.next().id });
      await settle(wait - 1);
      expect(bench.socket.silent()).toBe(true);
      await settle(1);
    }
    bench.socket.say({ type: "ws.error", code: "store_unavailable", message: "later", id: bench.socket.next().id });
    bench.socket.say(store(true));
    await settle(499);
    expect(bench.socket.silent()).toBe(true);
    await settle(1);
    const attach = bench.socket.next();
    bench.socket.say(attached(10, false, { id: attach.id }), ...atRest(10, [user("u0", "q")]));
    await settle(10_000);
    expect(bench.socket.silent()).toBe(true);
    expect([agent.status.synced, agent.status.failure]).toEqual([true, undefined]);
  });
});

describe("an input", () => {
  it("is pending until the server has taken it", async () => {
    const { bench, agent } = await asked();
    const pending = () => agent.status.pending.map(({ runId, messages }) => [runId, messages.map(({ id }) => id)]);
    expect(pending()).toEqual([["r1", ["u1"]]]);
    bench.socket.say(run("r1", "queued"));
    expect(pending()).toEqual([]);
    bench.socket.say(stream(0), started("r1"), finished("r1"));
    await settle();
    expect(pending()).toEqual([]);
  });

  it("is not pending when it is refused, given up, or has failed", async () => {
    for (const end of [
      async ({ bench }: Scene) => bench.socket.say(run("r1", "refused"), stream(0, 1), failed("interrupts_pending")),
      async ({ agent }: Scene) => void (await agent.detachActiveRun()),
      async ({ bench }: Scene) => bench.socket.break(4400),
    ]) {
      const scene = await asked();
      expect(scene.agent.status.pending).toHaveLength(1);
      await Promise.race([end(scene), settle(1)]);
      await settle(1);
      expect(scene.agent.status.pending).toEqual([]);
    }
  });

  it("waits for the store without failing, and is sent when it is back, once", async () => {
    const { bench, agent, outcome } = await asked(undefined, { bench: unpinged() });
    const { socket } = bench;
    socket.say(store(false));
    for (const wait of [2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000]) {
      refuse(socket);
      expect(agent.status.pending).toHaveLength(1);
      await settle(wait - 1);
      expect(socket.silent()).toBe(true);
      await settle(1);
      expect(socket.next()).toMatchObject({ runId: "r1", messages: [{ id: "u1" }] });
    }
    refuse(socket);
    socket.say(store(true));
    await settle(500);
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "started"), stream(0), started("r1"), open("a"), delta("a", "here"), close("a"), finished("r1"));
    await settle(60_000);
    expect([outcome.value, agent.status.pending, shown(agent)]).toEqual(["resolved", [], ["user:hi", "assistant:here"]]);
    expect(socket.sent.filter((frame) => frame.runId === "r1")).toHaveLength(9);
  });

  it("fails in the end", async () => {
    const { bench, agent, events, outcome } = await asked(undefined, { bench: unpinged() });
    for (let minutes = 0; minutes < 20 && outcome.value === "pending"; minutes += 0.25) {
      if (!bench.socket.silent()) {
        bench.socket.next();
        refuse(bench.socket);
      }
      if (minutes === 0) refuse(bench.socket);
      await settle(15_000);
      if (minutes < 14.5) expect(outcome.value).toBe("pending");
    }
    expect(outcome.value).toBe("resolved");
    expect(events.map(({ code }) => code)).toEqual(["store_unavailable"]);
    expect(agent.status.pending).toEqual([]);
  });

  it("is stopped while it waits: it is not sent again, and the run it may have begun is cancelled", async () => {
    for (const early of [false, true]) {
      const { bench, agent, outcome } = await asked(undefined, { bench: unpinged() });
      const { socket } = bench;
      socket.say(store(false));
      if (early) agent.abortRun();
      refuse(socket);
      if (!early) agent.abortRun();
      await settle(1);
      expect([outcome.value, agent.status.pending]).toEqual(["resolved", []]);
      for (let times = 0; times < 8; times++) {
        const cancel = socket.next();
        expect(cancel).toMatchObject({ type: "ws.cancel", runId: "r1" });
        socket.say({ type: "ws.error", code: "store_unavailable", message: "later", id: cancel.id });
        await settle(5_000);
      }
      const cancel = socket.next();
      socket.say(store(true), { type: "ws.cancelled", id: cancel.id, threadId: "t", runId: "r1", stopped: false });
      await settle(60_000);
      expect(agent.status.failure).toBeUndefined();
      expect(socket.sent.filter((frame) => frame.type === undefined)).toHaveLength(1);
    }
  });
});

type Scene = Awaited<ReturnType<typeof asked>>;

describe("a thread that was told anew", () => {
  const held = [user("u0", "q"), assistant("a0", "answer")];
  const anew = async (list: Frame[], more = {}) => {
    const scene = await following(held);
    const socket = await scene.bench.reconnect();
    socket.say(...restated(socket.next().id, list, more));
    await settle();
    return scene;
  };
  const restated = (id: string, list: Frame[], more = {}) => [
    attached(10, false, { id, epoch: "e2", reason: "epoch_changed", ...more }),
    ...atRest(10, list).map((frame) => (frame.type === "ws.stream" ? { ...frame, epoch: "e2" } : frame)),
  ];

  it("has lost nothing where all that was shown is there", async () => {
    for (const list of [held, [...held, user("u1", "more")], [held[0]!, assistant("a0", "answer, and more")]]) {
      expect((await anew(list)).agent.status).toMatchObject({ restated: "epoch_changed", lost: false });
    }
  });

  it("has lost a message, or the end of one", async () => {
    for (const list of [[held[0]!], [held[0]!, assistant("a0", "ans")], []]) {
      expect((await anew(list)).agent.status).toMatchObject({ restated: "epoch_changed", lost: true });
    }
  });

  it("has not lost what waits, or is on its way", async () => {
    const { bench, agent } = await following(held);
    void say(agent, "u1", "first", "r1");
    await settle();
    bench.socket.say(run("r1", "queued"));
    void say(agent, "u2", "second", "r2");
    await settle();
    const socket = await bench.reconnect();
    socket.say(...restated(socket.next().id, held, { queued: [{ runId: "r1", messages: [user("u1", "first")] }] }));
    await settle();
    expect(agent.status).toMatchObject({ restated: "epoch_changed", lost: false });
  });
});

it("says that another worker took a run over, until the next run", async () => {
  const { bench, agent } = await following([user("u0", "q")]);
  bench.socket.say(started("r"), open("m"), delta("m", "Hello wor"));
  await settle();
  expect(agent.status.takenOver).toBeUndefined();
  bench.socket.say(close("m"), state({}), { ...messages(user("u0", "q"), assistant("m", "Hello")), metadata: { aguiws: { takeover: true } } });
  await settle();
  expect([agent.status.takenOver, shown(agent)]).toEqual(["r", ["user:q", "assistant:Hello"]]);
  bench.socket.say(finished("r"));
  await settle();
  expect(agent.status.takenOver).toBe("r");
  bench.socket.say(started("s"));
  expect(agent.status.takenOver).toBeUndefined();
});

it("ignores a frame that it does not know", async () => {
  const { bench, agent } = await following();
  bench.socket.say({ type: "ws.surprise", threadId: "t", seq: 3 }, { type: "ws.surprise" }, store(false), { type: "ws.store" });
  bench.socket.say(started("r"), open("m"), delta("m", "on"), close("m"), finished("r"));
  await settle();
  expect([agent.status.storeAvailable, shown(agent)]).toEqual([true, ["user:q", "assistant:answer", "assistant:on"]]);
});
