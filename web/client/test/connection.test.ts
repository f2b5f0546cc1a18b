// The socket: one for many, noticing that it is dead, coming back.

import { describe, expect, it, vi } from "vitest";
import { attached, Bench, delta, close, finished, live, open, settle, shown, started, stream } from "./fake";
import { quietly } from "./scenes";

quietly();

it("carries several threads and tells their events apart", async () => {
  const bench = new Bench();
  const [one, two] = [bench.agent("t"), bench.agent("t2")];
  one.follow();
  two.follow();
  bench.socket.hello();
  await settle();
  expect(bench.sockets).toHaveLength(1);
  expect([bench.socket.next().threadId, bench.socket.next().threadId]).toEqual(["t", "t2"]);
  bench.socket.say(attached(0, false), live(0), { ...attached(0, false), threadId: "t2" }, { ...live(0), threadId: "t2" });
  bench.socket.say(
    stream(0), started("r"), open("a"), delta("a", "one"),
    stream(0, undefined, "t2"), { ...started("r"), threadId: "t2" }, open("a"), delta("a", "two"),
    stream(3), close("a"), finished("r"),
  );
  await settle();
  expect(shown(one)).toEqual(["assistant:one"]);
  expect(shown(two)).toEqual(["assistant:two"]);
  expect(one.status.activeRunId).toBeUndefined();
  expect(two.status.activeRunId).toBe("r");
});

it("notices a half-open socket by a ping without an answer", async () => {
  const bench = new Bench();
  const agent = bench.agent();
  agent.follow();
  bench.socket.hello();
  const attach = bench.socket.next();
  bench.socket.say(attached(4, false, { id: attach.id }), live(4));
  await settle(20_000);
  const ping = bench.socket.next();
  expect(ping).toMatchObject({ type: "ws.ping" });
  bench.socket.say({ type: "ws.pong", id: ping.id, positions: { t: 4 } });
  await settle(19_999);
  expect(bench.sockets).toHaveLength(1);
  await settle(1);
  expect(bench.socket.next()).toMatchObject({ type: "ws.ping" });
  await settle(9_999);
  expect(agent.status.connection).toBe("connected");
  await settle(1);
  expect(agent.status.connection).toBe("reconnecting");
  await settle(1_000);
  expect(bench.sockets).toHaveLength(2);
});

it("asks at once when the page comes back", async () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  const bench = new Bench();
  bench.agent().follow();
  bench.socket.hello();
  bench.socket.next();
  page.dispatchEvent(new Event("online"));
  expect(bench.socket.next()).toMatchObject({ type: "ws.ping" });
  await settle(10_000);
  expect(bench.connection.state).toBe("reconnecting");
  page.dispatchEvent(new Event("online"));
  expect(bench.sockets).toHaveLength(2);
});

it("waits longer after every failure, with jitter, and starts anew after a success", async () => {
  const bench = new Bench({ backoff: { baseMs: 100, capMs: 1_000, random: () => 0.999 } });
  bench.agent().follow();
  for (const wait of [99, 199, 399, 799, 999, 999]) {
    const before = bench.sockets.length;
    bench.socket.break();
    await settle(wait - 1);
    expect(bench.sockets).toHaveLength(before);
    await settle(1);
    expect(bench.sockets).toHaveLength(before + 1);
  }
  bench.socket.hello();
  bench.socket.break();
  await settle(99);
  expect(bench.sockets).toHaveLength(8);
});

it.each([0.999, 0.25])("tries every 2 s at least for the first 30 s, and then doubles the wait, all of it with jitter", async (random) => {
  const bench = new Bench({ backoff: { random: () => random } });
  bench.agent().follow();
  const bounded = (...bounds: number[]) => bounds.map((bound) => Math.floor(bound * random));
  const began = Date.now();
  const early: number[] = [];
  const late: number[] = [];
  while (late.length < 4) {
    const [before, since] = [bench.sockets.length, Date.now()];
    bench.socket.break();
    await vi.advanceTimersToNextTimerAsync();
    expect(bench.sockets).toHaveLength(before + 1);
    (since - began < 30_000 ? early : late).push(Date.now() - since);
  }
  expect(early.slice(0, 4)).toEqual(bounded(250, 500, 1_000, 2_000));
  expect(new Set(early.slice(3))).toEqual(new Set(bounded(2_000)));
  expect(late).toEqual(bounded(4_000, 8_000, 15_000, 15_000));
  bench.socket.hello();
  bench.socket.break();
  await settle(249);
  expect(bench.sockets).toHaveLength(early.length + late.length + 2);
});

describe("a wait ends at once", () => {
  const waiting = async () => {
    const bench = new Bench({ backoff: { random: () => 0.999 } });
    const agent = bench.agent();
    agent.follow();
    bench.socket.hello();
    for (let i = 0; i < 4; i++) {
      bench.socket.break();
      if (i < 3) await settle(2_000);
    }
    expect(bench.sockets).toHaveLength(4);
    return { bench, agent };
  };

  it("when somebody sends", async () => {
    const { bench, agent } = await waiting();
    agent.addMessage({ id: "u1", role: "user", content: "hi" });
    void agent.runAgent();
    await settle(0);
    expect(bench.sockets).toHaveLength(5);
  });

  it("when somebody stops a run", async () => {
    const { bench, agent } = await waiting();
    agent.stopRun("r9");
    expect(bench.sockets).toHaveLength(5);
  });

  it("once, however much is sent: an attempt that is under way is waited for", async () => {
    const { bench, agent } = await waiting();
    for (const text of ["one", "two", "three"]) {
      agent.addMessage({ id: text, role: "user", content: text });
      void agent.runAgent();
      await settle(0);
    }
    agent.connection.retry();
    expect(bench.sockets).toHaveLength(5);
    bench.socket.break();
    await settle(1_997);
    expect(bench.sockets).toHaveLength(5);
    await settle(1);
    expect(bench.sockets).toHaveLength(6);
  });

  it("when the page is seen again, or somebody tries now", async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
    vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
    vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
    vi.stubGlobal("document", page);
    const { bench, agent } = await waiting();
    page.dispatchEvent(new Event("visibilitychange"));
    expect(bench.sockets).toHaveLength(4);
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    expect(bench.sockets).toHaveLength(5);
    bench.socket.break();
    agent.connection.retry();
    expect(bench.sockets).toHaveLength(6);
  });
});

it("goes at once where a draining server sends it", async () => {
  const bench = new Bench();
  bench.agent().follow();
  bench.socket.hello();
  bench.socket.say({ type: "ws.goaway", reason: "draining", retryAfterMs: 0 });
  bench.socket.break(1012);
  await settle(0);
  expect(bench.sockets).toHaveLength(2);
});

it("asks for a fresh credential when it has expired, once", async () => {
  const token = vi.fn(async () => "x");
  const bench = new Bench({ token });
  bench.agent().follow();
  await settle();
  bench.socket.hello();
  bench.socket.break(4401);
  await settle(1_000);
  expect(token).toHaveBeenCalledTimes(2);
  bench.socket.break(4401);
  expect(bench.connection.failure?.code).toBe("4401");
  bench.connection.retry();
  await settle();
  expect(bench.sockets).toHaveLength(3);
});

it("answers what the server declares", async () => {
  const bench = new Bench();
  const capabilities = bench.agent().getCapabilities();
  await settle();
  bench.socket.hello({ capabilities: { transport: { websocket: true } } });
  await expect(capabilities).resolves.toEqual({ transport: { websocket: true } });
});

it("refuses a server that speaks something else", async () => {
  const bench = new Bench();
  const capabilities = bench.agent().getCapabilities();
  const refusal = expect(capabilities).rejects.toMatchObject({ code: "unknown_binding" });
  await settle();
  bench.socket.hello({ binding: "agui.v9" });
  await refusal;
});

it("shows the frames that cross the wire and nothing of the credential", async () => {
  const bench = new Bench({ token: "secret" });
  const agent = bench.agent();
  const seen: Array<[boolean, string]> = [];
  const untap = agent.connection.tap((sent, text) => seen.push([sent, text]));
  agent.follow();
  await settle();
  expect(agent.position).toBeUndefined();
  bench.socket.hello();
  const attach = bench.socket.next();
  bench.socket.say(attached(4, false, { id: attach.id }), live(4));
  await settle();
  expect(seen.map(([sent, text]) => [sent, JSON.parse(text).type])).toEqual([
    [false, "ws.hello"], [true, "ws.attach"], [false, "ws.attached"], [false, "ws.live"],
  ]);
  expect(JSON.stringify(seen)).not.toContain("secret");
  expect(agent.position).toMatchObject({ seq: 4 });
  untap();
  bench.socket.say(stream(4), started("r"));
  expect(seen).toHaveLength(4);
});
