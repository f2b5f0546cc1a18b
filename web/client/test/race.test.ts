// A connect and a run of one agent at once, in every order in which the server can answer them.

import { describe, expect, it } from "vitest";
import {
  attached, assistant, Bench, close, delta, finished, interrupt, live, messages, open, run, settle, shown, started, state, stream, user, type Frame,
} from "./fake";
import type { WebSocketAgent } from "../index";
import { asking, following, outcomeOf, quietly, say } from "./scenes";

quietly();

const end = asking("r1", "i1", "i2");
/** What the run logs. */
const log = [started("r1"), open("a"), delta("a", "May"), delta("a", " I?"), close("a"), end];
const texts = ["", "", "", "May", "May I?", "May I?", "May I?"];

/** The run as it is at a position, by snapshots. */
function restated(at: number): Frame[] {
  const told = at < 2 ? [user("u1", "go")] : [user("u1", "go"), assistant("a", texts[at]!)];
  return [
    started("r1"), state({}), messages(...told), ...(at >= 2 && at < 5 ? [open("a")] : []), ...(at === log.length ? [end] : []),
  ];
}

/** The server's part: one log, one socket, and what was asked of it, answered when the test says so. */
class Server {
  sent = 0;
  private started = false;

  constructor(
    private readonly bench: Bench,
    private readonly pause: boolean,
    /** The run is over when the client asks anything more, whatever it has been told by then. */
    private readonly quick: boolean,
  ) {}

  async say(...frames: Frame[]): Promise<void> {
    for (const frame of frames) {
      this.bench.socket.say(frame);
      if (this.pause) await settle();
    }
  }

  async tellUpTo(position: number): Promise<void> {
    while (this.sent < position) await this.say(log[this.sent++]!);
  }

  /** Answers the attach with the log as it is at this position. */
  async attach(id: unknown, at: number): Promise<void> {
    const over = at === log.length;
    await this.say(
      attached(at, false, { id, ...(at > 0 && !over && { activeRunId: "r1" }), interrupts: over ? [interrupt("i1"), interrupt("i2")] : [] }),
    );
    if (at > 0) {
      const events = restated(at);
      await this.say(stream(at, events.length), ...events);
    }
    await this.say(live(at));
    this.sent = Math.max(this.sent, at);
  }

  /** Answers the input: with the run from its beginning, or, asked again, with the run as it is. */
  async run(id: unknown): Promise<void> {
    if (!this.started) {
      this.started = true;
      await this.say(run("r1", "started", { id }), stream(this.sent));
      return;
    }
    await this.say(run("r1", "repeat", { id, of: "r1" }));
    const events = restated(this.quick ? log.length : this.sent);
    if (this.quick || this.sent > 0) await this.say(stream(this.sent, events.length), ...events);
  }

  /** Answers whatever else the client has asked by now. */
  async rest(): Promise<void> {
    for (; !this.bench.socket.silent(); await settle()) {
      const frame = this.bench.socket.next();
      if (frame.type === "ws.attach") await this.attach(frame.id, this.quick ? log.length : this.sent);
      else if (frame.runId === "r1" && frame.type === undefined) await this.run(frame.id);
    }
  }
}

/** An agent on a socket that has greeted. */
async function greeted() {
  const bench = new Bench();
  const agent = bench.agent();
  bench.connection.use();
  await settle();
  bench.socket.hello();
  await settle();
  return { bench, agent };
}

/** One that has asked to be told its thread, and for a run. */
async function asked() {
  const { bench, agent } = await greeted();
  const connected = outcomeOf(agent.connectAgent());
  const ran = outcomeOf(say(agent, "u1", "go", "r1"));
  await settle();
  const { socket } = bench;
  const [attach, input] = [socket.next(), socket.next()];
  return { agent, socket, connected, ran, attach, input };
}

/** Every combination of one of each. */
const orders = Object.entries({
  first: ["told", "run"], answered: ["told", "run"], pause: [true, false], later: [0, 1, 3], quick: [true, false],
  at: [0, ...log.map((_, i) => i + 1)],
}).reduce<any[]>((all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))), [{}]);

/** How an agent is told its thread. */
const ways: Record<string, (agent: WebSocketAgent) => { value: unknown }> = {
  connectAgent: (agent) => outcomeOf(agent.connectAgent()),
  follow: (agent) => {
    agent.follow();
    return { value: "resolved" };
  },
};

describe.each(Object.keys(ways))("%s and runAgent at once", (way) => {
  it.each(orders)("$first first, $answered answered first, pause $pause, quick $quick, told at $at, more read after $later", async ({ first, answered, pause, later, quick, at }) => {
    const { bench, agent } = await greeted();
    const begin = [() => ways[way]!(agent), () => outcomeOf(say(agent, "u1", "go", "r1"))];
    if (first === "run") begin.reverse();
    const outcomes = begin.map((one) => one());
    await settle();
    const asked = [bench.socket.next(), bench.socket.next()];
    const attach = asked.find((frame) => frame.type === "ws.attach")!;
    const input = asked.find((frame) => frame.runId === "r1")!;
    const server = new Server(bench, pause, quick);
    if (answered === "run") {
      await server.run(input.id);
      await server.tellUpTo(at);
    }
    await server.attach(attach.id, at);
    if (answered === "told") await server.run(input.id);
    for (let position = at; position <= log.length; position++) {
      await server.tellUpTo(position);
      if (pause && position >= at + later) await server.rest();
    }
    await settle();
    await server.rest();
    expect(outcomes.map(({ value }) => value)).toEqual(["resolved", "resolved"]);
    expect(shown(agent)).toEqual(["user:go", "assistant:May I?"]);
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1", "i2"]);
    expect(agent.isRunning).toBe(false);
  });
});

it("learns of a run that ended, and was followed by another, before the thread was told", async () => {
  const { agent, socket, connected, ran, attach, input } = await asked();
  const told = [user("u1", "go"), assistant("a", "May I?"), user("u2", "well?"), assistant("b", "never mind")];
  socket.say(attached(12, false, { id: attach.id }), stream(12, 4), started("r2"), state({}), messages(...told), finished("r2"), live(12));
  await settle();
  expect(socket.silent()).toBe(true);
  socket.say(run("r1", "started", { id: input.id }));
  await settle();
  const asking = socket.next();
  expect(asking).toEqual({ type: "ws.attach", id: asking.id, threadId: "t", after: { epoch: "e", seq: 12 } });
  socket.say(attached(12, true, { id: asking.id }), live(12));
  await settle();
  const again = socket.next();
  expect(again).toMatchObject({ runId: "r1" });
  socket.say(run("r1", "repeat", { id: again.id, of: "r1" }), stream(12, 4), started("r1"), state({}), messages(...told), finished("r1"));
  await settle();
  expect([connected.value, ran.value]).toEqual(["resolved", "resolved"]);
  expect(shown(agent)).toEqual(["user:go", "assistant:May I?", "user:well?", "assistant:never mind"]);
  expect(agent.pendingInterrupts).toEqual([]);
});

it("asks for nothing more where a thread was told before its run began", async () => {
  const { socket, ran, attach, input } = await asked();
  socket.say(attached(0, false, { id: attach.id }), live(0), run("r1", "started", { id: input.id }), stream(0), ...log);
  await settle();
  expect(ran.value).toBe("resolved");
  expect(socket.next()).toMatchObject({ type: "ws.detach" });
});

it.each([
  ["nothing", []],
  ["what a later run asks", ["i9"]],
])("an answer that the server read late ends with what is open then: %s", async (_, ids) => {
  const { bench, agent } = await following([user("u0", "q")], asking("r0", "i0"));
  const ran = outcomeOf(agent.runAgent({ runId: "r1", resume: [{ interruptId: "i0", status: "cancelled" }] }));
  await settle();
  const socket = await bench.reconnect();
  const { id } = socket.next();
  socket.say(attached(10, true, { id, interrupts: [interrupt("i0")] }), stream(10), live(10));
  await settle();
  // What was sent on the socket that is gone comes to the server now, and is over before this is read.
  const again = socket.next();
  expect(again).toMatchObject({ runId: "r1" });
  socket.say(run("r1", "repeat", { id: again.id, of: "r1" }));
  socket.say(stream(10, 4), started("r1"), state({}), messages(user("u0", "q"), assistant("a", "as you like")), finished("r1"));
  await settle();
  expect(ran.value).toBe("pending");
  const attach = socket.next();
  expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 10 } });
  socket.say(attached(10, true, { id: attach.id, interrupts: ids.map(interrupt) }), live(10));
  await settle();
  expect(ran.value).toBe("resolved");
  expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(ids);
});
