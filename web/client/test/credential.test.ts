// The credential of an attempt: where it comes from, what happens when it does not come, and whose socket it is.

import { describe, expect, it, vi } from "vitest";
import { TransportError } from "../index";
import { attached, Bench, close, delta, finished, live, open, run, settle, shown, started, stream } from "./fake";
import { asked, outcomeOf, quietly } from "./scenes";

quietly();

/** A token as the server reads it from the offered subprotocols. */
const credentialOf = (protocols: string[]) => atob(protocols.find((one) => one.startsWith("agui.bearer."))!.slice("agui.bearer.".length));

describe("a token function that rejects", () => {
  it("is a failed attempt: the run in progress goes on when there is a token again", async () => {
    let online = true;
    const token = vi.fn(async () => {
      if (!online) throw new TypeError("Failed to fetch");
      return "t";
    });
    const { bench, agent, outcome } = await asked({ runId: "r1" }, { bench: new Bench({ token }) });
    bench.socket.say(run("r1", "started"), stream(0), started("r1"), open("m"), delta("m", "Hel"));
    online = false;
    bench.socket.break();
    await settle(60_000);
    expect([bench.connection.state, outcome.value, bench.sockets.length]).toEqual(["reconnecting", "pending", 1]);
    const tried = token.mock.calls.length;
    expect(tried).toBeGreaterThan(4);
    expect(tried).toBeLessThan(50);
    expect(console.warn).toHaveBeenCalledTimes(1);
    online = true;
    for (let waited = 0; bench.sockets.length < 2 && waited < 15_000; waited += 1_000) await settle(1_000);
    expect(bench.sockets).toHaveLength(2);
    bench.socket.hello();
    const attach = bench.socket.next();
    expect(attach).toMatchObject({ type: "ws.attach", after: { seq: 3 } });
    bench.socket.say(attached(3, true, { id: attach.id }), stream(3), delta("m", "lo"), close("m"), finished("r1"), live(6));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
    expect(outcome.value).toBe("resolved");
  });

  it("with a TransportError says that there will be none: that is final, until it is retried", async () => {
    let token = "";
    const bench = new Bench({
      token: () => {
        if (!token) throw new TransportError("signed_out", "nobody is signed in");
        return token;
      },
    });
    const outcome = outcomeOf(bench.agent().runAgent());
    await settle(1);
    expect(outcome.value).toMatchObject({ code: "signed_out" });
    bench.agent().follow();
    expect(bench.connection.state).toBe("failed");
    token = "t";
    bench.connection.retry();
    await settle();
    expect(credentialOf(bench.socket.protocols)).toBe("t");
  });

  it("is asked at once when the page comes back", async () => {
    const page = new EventTarget();
    vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
    vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
    const token = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("offline")).mockResolvedValue("t");
    const bench = new Bench({ token });
    bench.agent().follow();
    await settle();
    page.dispatchEvent(new Event("online"));
    await settle();
    expect(bench.sockets).toHaveLength(1);
    await settle(5_000);
    expect(token).toHaveBeenCalledTimes(2);
  });
});

describe("a token function", () => {
  it("that never answers is a failed attempt after the time that is waited for everything", async () => {
    const token = vi.fn<() => Promise<string>>(() => new Promise(() => {}));
    const bench = new Bench({ token });
    bench.agent().follow();
    await settle(9_999);
    expect([bench.connection.state, token.mock.calls.length]).toEqual(["connecting", 1]);
    token.mockResolvedValue("t");
    await settle(1_000);
    expect(token).toHaveBeenCalledTimes(2);
    bench.socket.hello();
    expect(bench.connection.state).toBe("connected");
  });

  it("that answers no string is wrong, and the run says so", async () => {
    const bench = new Bench({ token: (() => undefined) as never });
    const outcome = outcomeOf(bench.agent().runAgent());
    await settle(1);
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "no_credential" });
    expect(bench.sockets).toHaveLength(0);
  });

  it("is asked once for agents that come together", async () => {
    const token = vi.fn(async () => "t");
    const bench = new Bench({ token });
    for (const threadId of ["t", "t2", "t3"]) bench.agent(threadId).follow();
    await settle();
    expect([token.mock.calls.length, bench.sockets.length]).toEqual([1, 1]);
  });

  it("that answers after a close, or after everybody has left, opens nothing", async () => {
    const answers: Array<(token: string) => void> = [];
    const bench = new Bench({ token: () => new Promise<string>((resolve) => answers.push(resolve)) });
    const stop = bench.agent().follow();
    bench.connection.close();
    stop();
    const stopAgain = bench.agent().follow();
    await settle();
    for (const answer of answers) answer("t");
    await settle();
    expect([answers.length, bench.sockets.length]).toEqual([2, 1]);
    bench.connection.close();
    stopAgain();
    bench.agent().follow()();
    await settle();
    answers[2]!("t");
    await settle();
    expect([bench.connection.state, bench.sockets.length]).toEqual(["idle", 1]);
  });
});

describe("a socket that nobody uses for a moment", () => {
  const people = () => {
    let who = "ann";
    const bench = new Bench({ token: vi.fn(async () => who) });
    return { bench, become: (name: string) => (who = name) };
  };

  it("is taken up again under the same credential", async () => {
    const { bench } = people();
    const stop = bench.agent().follow();
    await settle();
    bench.socket.hello();
    bench.socket.next();
    stop();
    expect(bench.socket.next()).toMatchObject({ type: "ws.detach" });
    const agent = bench.agent("t2");
    agent.follow();
    expect(bench.socket.silent()).toBe(true);
    await settle();
    expect(bench.socket.next()).toMatchObject({ type: "ws.attach", threadId: "t2" });
    expect([bench.sockets.length, agent.status.connection]).toEqual([1, "connected"]);
    await settle(20_000);
    expect(bench.socket.next()).toMatchObject({ type: "ws.ping" });
  });

  it("is not given to the next person", async () => {
    const { bench, become } = people();
    const stop = bench.agent().follow();
    await settle();
    bench.socket.hello();
    const anns = bench.socket;
    stop();
    become("bob");
    const sent = anns.sent.length;
    const bob = bench.agent();
    bob.follow();
    bob.addMessage({ id: "u1", role: "user", content: "bob's" });
    void bob.runAgent({ runId: "r1" });
    await settle();
    expect([anns.sent.length, anns.readyState]).toEqual([sent, 3]);
    expect(bench.sockets.map(({ protocols }) => credentialOf(protocols))).toEqual(["ann", "bob"]);
    bench.socket.hello();
    const attach = bench.socket.next();
    bench.socket.say(attached(0, false, { id: attach.id }), live(0));
    expect(bench.socket.next()).toMatchObject({ runId: "r1" });
  });

  it("is not given to the next person while it is still being opened", async () => {
    for (const opened of [false, true]) {
      const { bench, become } = people();
      const stop = bench.agent().follow();
      if (opened) await settle();
      stop();
      become("bob");
      bench.agent().follow();
      const anns = bench.sockets.at(0);
      anns?.hello();
      await settle();
      expect(anns?.sent ?? []).toEqual([]);
      expect(credentialOf(bench.socket.protocols)).toBe("bob");
      bench.socket.hello();
      expect(bench.socket.next()).toMatchObject({ type: "ws.attach" });
    }
  });

  it("is not used when it cannot be said whose it is", async () => {
    const { bench } = people();
    const stop = bench.agent().follow();
    await settle();
    bench.socket.hello();
    stop();
    vi.mocked(bench.connection.options.token as () => Promise<string>).mockRejectedValueOnce(new Error("offline"));
    bench.agent().follow();
    await settle();
    expect([bench.connection.state, bench.socket.readyState]).toEqual(["reconnecting", 3]);
    await settle(1_000);
    expect(bench.sockets).toHaveLength(2);
  });

  it("may break while that is asked: one other is opened", async () => {
    const { bench } = people();
    const stop = bench.agent().follow();
    await settle();
    bench.socket.hello();
    stop();
    bench.agent().follow();
    bench.socket.break();
    await settle(5_000);
    expect(bench.sockets).toHaveLength(2);
    bench.socket.hello();
    expect(bench.connection.state).toBe("connected");
  });
});
