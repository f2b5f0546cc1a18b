// An input that is sent again, because nobody knows what became of it.

import { describe, expect, it } from "vitest";
import {
  attached, assistant, close, delta, failed, finished, interrupt, live, messages, open, run, settle, shown, started, state,
  stream, user,
} from "./fake";
import { asked, quietly } from "./scenes";

quietly();

describe("an input whose answer was lost", () => {
  it("is sent again, and the run that had begun is told from its beginning", async () => {
    const { bench, agent, input, outcome } = await asked();
    const socket = await bench.reconnect();
    const again = socket.next();
    expect({ ...again, id: 0 }).toEqual({ ...input, id: 0 });
    socket.say(
      run("r1", "repeat", { id: again.id }), stream(3, 4), started("r1"), state({ n: 1 }),
      messages(user("u1", "hi"), assistant("a", "Hel")), open("a"),
      delta("a", "lo"), close("a"), finished("r1"),
    );
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
    expect(agent.state).toEqual({ n: 1 });
    expect(outcome.value).toBe("resolved");
  });

  it("is sent again when the socket is lost between the answer's announcement and the answer", async () => {
    const { bench, agent, outcome } = await asked();
    let socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "repeat", { of: "r1" }), stream(4, 4));
    await settle();
    // Attached without a position it is told the thread as it is, and has to ask what became of its run.
    socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ type: "ws.attach" });
    socket.say(attached(4, false), stream(4, 4), started("r0", { metadata: { aguiws: { restated: true } } }), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello")), finished("r0"), live(4));
    await settle();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    // Lost again before the answer: the earlier acceptance answers nothing.
    socket = await bench.reconnect();
    expect(socket.next()).toMatchObject({ type: "ws.attach", after: { seq: 4 } });
    socket.say(attached(4, true), live(4));
    await settle();
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "repeat", { of: "r1" }), stream(4, 4), started("r1"), state({}),
      messages(user("u1", "hi"), assistant("a", "Hello")), finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(shown(agent)).toEqual(["user:hi", "assistant:Hello"]);
  });

  it("ends at once when the run has ended, with the interrupts that are open", async () => {
    const { bench, agent, outcome } = await asked();
    const socket = await bench.reconnect();
    socket.next();
    socket.say(
      run("r1", "repeat"), stream(9, 4), started("r1"), state({}), messages(user("u1", "hi"), assistant("a", "ask")),
      finished("r1", { type: "interrupt", interrupts: [interrupt("i1")] }),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(agent.pendingInterrupts.map((one) => one.id)).toEqual(["i1"]);
  });

  it("takes the end of the run that answers it for its own", async () => {
    const { bench, events, outcome } = await asked();
    const socket = await bench.reconnect();
    socket.next();
    socket.say(
      run("r1", "repeat", { of: "r9" }), stream(9, 3), started("r1"), state({}), messages(user("u1", "hi")),
      open("a"), close("a"), finished("r9"),
    );
    await settle();
    expect(outcome.value).toBe("resolved");
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", runId: "r1" });
  });

  it("waits on when it is still queued", async () => {
    const { bench, agent, outcome } = await asked();
    const socket = await bench.reconnect();
    socket.next();
    socket.say(run("r1", "repeat"), stream(5), finished("r0"), started("r1"), open("a"), delta("a", "done"), close("a"), finished("r1"));
    await settle();
    expect(shown(agent)).toEqual(["user:hi", "assistant:done"]);
    expect(outcome.value).toBe("resolved");
  });

  it("is sent again when the store cannot say whether it took it", async () => {
    const { bench, outcome } = await asked();
    const { socket } = bench;
    socket.say(run("r1", "refused"), stream(0, 1), { ...failed("store_unavailable"), metadata: { aguiws: { retryAfterMs: 300 } } });
    await settle(299);
    expect(socket.silent()).toBe(true);
    await settle(1);
    expect(socket.next()).toMatchObject({ runId: "r1" });
    socket.say(run("r1", "started"), stream(0), started("r1"), finished("r1"));
    await settle();
    expect(outcome.value).toBe("resolved");
  });
});
