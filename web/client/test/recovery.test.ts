// What is held after a loss, and what has to be told again.

import { describe, expect, it } from "vitest";
import { assistant, attached, close, delta, finished, live, messages, open, run, settle, shown, started, state, stream, user } from "./fake";
import { asked, following, outcomeOf, quietly, say } from "./scenes";

quietly();

/** The rest of a run r that was told as far as "Hel", from snapshots. */
const midRun = (seq: number) => [
  stream(seq, 4), started("r"), state({}), messages(user("u0", "q"), assistant("m", "Hel")), open("m"), live(seq),
  delta("m", "lo"), close("m"), finished("r"),
];

describe("a connection that is retried after it had given up", () => {
  it("tells a follower the rest of the run that was in progress", async () => {
    const { bench, agent } = await following([user("u0", "q")]);
    bench.socket.say(started("r"), open("m"), delta("m", "Hel"));
    await settle();
    bench.socket.break(4400);
    await settle(1);
    expect(agent.status).toMatchObject({ connection: "failed", failure: { code: "4400" } });
    bench.connection.retry();
    bench.socket.hello();
    const attach = bench.socket.next();
    expect(attach).toEqual({ type: "ws.attach", id: attach.id, threadId: "t" });
    bench.socket.say(attached(13, false, { id: attach.id, activeRunId: "r" }), ...midRun(13));
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:Hello"]);
    expect([agent.status.failure, agent.status.activeRunId]).toEqual([undefined, undefined]);
  });

  it("tells a follower the rest of its own run, which has rejected", async () => {
    const { bench, agent } = await following([user("u0", "q")]);
    const outcome = outcomeOf(agent.runAgent({ runId: "r" }));
    await settle();
    bench.socket.next();
    bench.socket.say(run("r", "started"), stream(10), started("r"), open("m"), delta("m", "Hel"));
    await settle();
    bench.socket.break(1009);
    await settle(1);
    expect(outcome.value).toMatchObject({ code: "1009" });
    bench.connection.retry();
    bench.socket.hello();
    const attach = bench.socket.next();
    expect(attach).not.toHaveProperty("after");
    bench.socket.say(attached(13, false, { id: attach.id, activeRunId: "r" }), ...midRun(13));
    await settle();
    expect(shown(agent)).toEqual(["user:q", "assistant:Hello"]);
    expect(agent.isRunning).toBe(false);
  });
});

describe("a run that waited when the socket was lost", () => {
  /** A follower whose run r1 is queued; the socket is lost, and the log has nothing new. */
  async function waiting() {
    const { bench, agent } = await following([user("u0", "q")]);
    const outcome = outcomeOf(say(agent, "u1", "mine", "r1"));
    await settle();
    bench.socket.next();
    bench.socket.say(run("r1", "queued"));
    await settle();
    const socket = await bench.reconnect();
    const attach = socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 10 } });
    return { agent, outcome, socket, id: attach.id as string };
  }

  it("and was cancelled meanwhile is asked about, and ends", async () => {
    const { agent, outcome, socket, id } = await waiting();
    socket.say(attached(10, true, { id, queued: [] }), live(10));
    const again = socket.next();
    expect(again).toMatchObject({ runId: "r1", messages: [user("u0", "q"), user("u1", "mine")] });
    socket.say(run("r1", "repeat", { id: again.id }), stream(10, 2), started("r1"), finished("r1", { type: "cancelled" }));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect([agent.status.queued, agent.isRunning]).toEqual([[], false]);
  });

  it("and still waits is not asked about", async () => {
    const { agent, outcome, socket, id } = await waiting();
    socket.say(attached(10, true, { id, queued: [{ runId: "r1", messages: [user("u1", "mine")] }] }), live(10));
    await settle();
    expect([socket.silent(), outcome.value]).toEqual([true, "pending"]);
    socket.say(stream(10), started("r1"), open("m"), delta("m", "done"), close("m"), finished("r1"));
    await settle();
    expect([outcome.value, shown(agent).at(-1)]).toEqual(["resolved", "assistant:done"]);
  });

  it("and began meanwhile is not asked about", async () => {
    const { agent, outcome, socket, id } = await waiting();
    socket.say(attached(10, true, { id, activeRunId: "r1" }), stream(10), started("r1"), open("m"), delta("m", "do"), live(13));
    await settle();
    expect(socket.silent()).toBe(true);
    socket.say(delta("m", "ne"), close("m"), finished("r1"));
    await settle();
    expect([outcome.value, shown(agent).at(-1)]).toEqual(["resolved", "assistant:done"]);
  });

  it("nowhere followed is asked about too", async () => {
    const { bench, outcome } = await asked();
    bench.socket.say(run("r1", "queued"));
    const socket = await bench.reconnect();
    socket.say(attached(5, false, { id: socket.next().id, queued: [] }), live(5));
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "repeat"), stream(5, 2), started("r1"), finished("r1", { type: "cancelled" }));
    await settle();
    expect(outcome.value).toBe("resolved");
  });
});
