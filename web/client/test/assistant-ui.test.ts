// A thread as assistant-ui shows it. What assistant-ui does is the lane's (conformance/frontends); here it shows what it is
// given, and takes for asked what it was told in its own way.

import type { Interrupt, Message } from "@ag-ui/client";
import { describe, expect, it, vi } from "vitest";
import { TransportError } from "../index";
import { asking as askedAt, ShownThread, type Shown } from "../shownthread";
import { assistant, attached, Bench, close, delta, failed, finished, interrupt, live, messages, open, run, settle, started, stream, user, type Frame } from "./fake";
import { asking, atRest, outcomeOf, quietly } from "./scenes";

quietly();

const asks = (id: string) => interrupt(id) as unknown as Interrupt;

describe("a question is at", () => {
  const calls = { id: "a1", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "pay", arguments: "{}" } }] };
  const result = { id: "t1", role: "tool", toolCallId: "c", content: "1" };
  const thinks = { id: "th", role: "reasoning", content: "hm" };
  for (const [what, list, at] of [
    ["the message of the assistant that came last", [user("u1", "q"), assistant("a1", "sure?")], "a1"],
    ["the calls, whose results may be there", [user("u1", "q"), calls, result], "a1"],
    ["an empty message after the user's", [assistant("a1", "earlier"), user("u1", "q")], "asked-i1"],
    ["an empty message after what was thought", [user("u1", "q"), assistant("a1", "earlier"), thinks], "asked-i1"],
    ["an empty message of an empty thread", [], "asked-i1"],
  ] as [string, Frame[], string][]) {
    it(what, () => {
      const told = askedAt(list as unknown as Message[], [asks("i1"), asks("i2")]) as Frame[];
      const holders = told.filter((message) => message.metadata?.custom?.agui?.interrupts?.length === 2);
      expect(holders.map(({ id, role }) => [id, role])).toEqual([[at, "assistant"]]);
      expect(told.filter(({ id }) => id !== "asked-i1").map(({ id }) => id)).toEqual(list.map(({ id }) => id));
      expect(askedAt(list as unknown as Message[], [])).toEqual(list);
    });
  }
});

/** assistant-ui, as far as a thread is shown by it. */
class Page implements Shown {
  shows: Frame[] = [];
  state: unknown;
  /** How often it was given the thread. */
  given = 0;
  /** What its hook calls after every rendering. */
  rerender?: () => void;
  /** It takes a run for its own, and this stops it. */
  stop?: () => void;

  getState() {
    return { messages: this.shows } as unknown as ReturnType<Shown["getState"]>;
  }

  reset(list: readonly object[] = []): void {
    this.shows = list as Frame[];
    if (list.length > 0) this.given++;
  }

  importExternalState(state: unknown): void {
    this.state = state;
  }

  async resumeRun({ stream }: Frame): Promise<void> {
    const controller = new AbortController();
    this.stop = () => controller.abort();
    for await (const _ of stream({ abortSignal: controller.signal })) throw new Error("nothing is told this way");
    this.stop = undefined;
  }

  get texts(): string[] {
    return this.shows.map(({ role, content }) => `${role}:${typeof content === "string" ? content : content.map((part: Frame) => part.text ?? part.toolName).join()}`);
  }

  get asked(): string[] {
    return (this.shows.at(-1)?.metadata?.custom?.agui?.interrupts ?? []).map(({ id }: Frame) => id);
  }
}

/** A page that was told a thread. */
async function shown(list: Frame[], end?: Frame) {
  const bench = new Bench();
  const agent = bench.agent();
  const page = new Page();
  const thread = new ShownThread(agent);
  page.rerender = () => thread.rendered();
  const unmount = thread.mount();
  const loaded = thread.history.load();
  const outcome = outcomeOf(loaded);
  const leave = thread.start(page);
  await settle(50);
  bench.socket.hello();
  await settle(50);
  expect(outcome.value).toBe("pending");
  const attach = bench.socket.next();
  const interrupts = (end?.outcome as Frame | undefined)?.interrupts ?? [];
  bench.socket.say(attached(10, false, { id: attach.id, interrupts }), ...atRest(10, list, end));
  await settle(50);
  expect(outcome.value).toBe("resolved");
  const { messages: repository } = (await loaded)!;
  page.shows = repository.map(({ message }) => message) as unknown as Frame[];
  await settle(50);
  return { bench, agent, page, thread, unmount, leave };
}

const ask = (thread: ShownThread, runId: string, more: Frame = {}) => {
  const promise = thread.runAgent({ runId, ...more }, {});
  return outcomeOf(promise);
};

describe("a thread that assistant-ui shows", () => {
  it("is loaded with its question, where nothing was said before it", async () => {
    const { page } = await shown([user("u0", "/confirm")], asking("r0", "i1"));
    expect(page.texts).toEqual(["user:/confirm", "assistant:"]);
    expect(page.asked).toEqual(["i1"]);
    expect(page.shows.at(-1)!.status).toMatchObject({ type: "requires-action", reason: "interrupt" });
  });

  it("cannot be loaded where the server refuses it, and says why", async () => {
    const bench = new Bench();
    const thread = new ShownThread(bench.agent());
    const outcome = outcomeOf(thread.history.load());
    thread.start(new Page());
    await settle(50);
    bench.socket.hello();
    await settle(50);
    const { id } = bench.socket.next();
    bench.socket.say({ type: "ws.error", id, code: "forbidden", message: "not yours" });
    await settle(50);
    expect(outcome.value).toBeInstanceOf(TransportError);
    expect(outcome.value).toMatchObject({ code: "forbidden", message: "not yours" });
  });

  for (const code of ["interrupt_payload_invalid", "own_approval"]) {
    it(`asks again when an answer is refused with ${code}`, async () => {
      const { bench, page, thread } = await shown([user("u0", "/form")], asking("r0", "i1"));
      page.shows = page.shows.map((message) => ({ ...message, status: undefined, metadata: {} })); // as assistant-ui does
      const outcome = ask(thread, "r1", { resume: [{ interruptId: "i1", status: "resolved", payload: 1 }] });
      await settle(50);
      expect(bench.socket.next()).toMatchObject({ runId: "r1" });
      expect(page.asked).toEqual([]);
      bench.socket.say(run("r1", "refused"), stream(10, 1), failed(code));
      await settle(50);
      expect(outcome.value).toBe("resolved");
      expect(page.asked).toEqual(["i1"]);
      const again = ask(thread, "r2", { resume: [{ interruptId: "i1", status: "resolved", payload: 2 }] });
      await settle(50);
      bench.socket.say(run("r2", "started"), started("r2"), open("a1"), delta("a1", "done"), close("a1"), finished("r2"));
      await settle(50);
      expect(again.value).toBe("resolved");
    });
  }

  it("asks again when an answer that waits for the store is given up", async () => {
    const { bench, page, thread } = await shown([user("u0", "/form")], asking("r0", "i1"));
    page.shows = page.shows.map((message) => ({ ...message, status: undefined, metadata: {} }));
    const outcome = ask(thread, "r1", { resume: [{ interruptId: "i1", status: "resolved", payload: 1 }] });
    await settle(50);
    bench.socket.say(run("r1", "refused"), stream(10, 1), failed("store_unavailable"));
    await settle(50);
    expect(outcome.value).toBe("pending");
    thread.abortRun();
    await settle(50);
    expect(outcome.value).not.toBe("pending");
    expect(page.asked).toEqual(["i1"]);
  });

  it("shows the question of a run of its own that was told by snapshots only", async () => {
    const { bench, page, thread } = await shown([user("u0", "q"), assistant("a0", "answer")]);
    const given = page.given;
    ask(thread, "r1");
    await settle(50);
    bench.socket.say(run("r1", "started"), started("r1"));
    await settle(50);
    const socket = await bench.reconnect();
    const attach = socket.sent.find(({ type }) => type === "ws.attach")!;
    socket.say(
      attached(40, false, { id: attach.id, interrupts: [interrupt("i1")] }),
      stream(40, 3), started("r1", { metadata: { aguiws: { restated: true } } }), messages(user("u0", "q"), assistant("a0", "answer")), asking("r1", "i1"), live(40),
    );
    await settle(500);
    expect(page.asked).toEqual(["i1"]);
    expect(page.given).toBe(given + 1);
  });

  it("asks again when an answer is refused before assistant-ui has rendered that it was given", async () => {
    const { bench, page, thread } = await shown([user("u0", "/form")], asking("r0", "i1"));
    const given = page.given;
    ask(thread, "r1", { resume: [{ interruptId: "i1", status: "resolved", payload: 1 }] });
    await settle(50);
    bench.socket.say(run("r1", "refused"), stream(10, 1), failed("interrupt_payload_invalid"));
    await settle(100);
    expect(page.given).toBe(given);
    page.shows = page.shows.map((message) => ({ ...message, status: undefined, metadata: {} }));
    thread.rendered();
    await settle(50);
    expect(page.asked).toEqual(["i1"]);
  });

  it("shows once what assistant-ui does not take", async () => {
    const { bench, page, thread } = await shown([user("u0", "q")]);
    page.reset = () => void page.given++;
    bench.socket.say(started("r1"), open("a1"), delta("a1", "sure?"), close("a1"), asking("r1", "i1"));
    await settle(100);
    const given = page.given;
    for (let i = 0; i < 5; i++) {
      thread.rendered();
      await settle(50);
    }
    expect(page.given).toBeLessThanOrEqual(given + 2);
  });

  it("leaves alone what assistant-ui was told itself", async () => {
    const { bench, page, thread } = await shown([user("u0", "q"), assistant("a0", "answer")]);
    const given = page.given;
    const outcome = ask(thread, "r1");
    await settle(50);
    bench.socket.say(run("r1", "started"), started("r1"), open("a1"), delta("a1", "text"), close("a1"), finished("r1"));
    await settle(500);
    expect(outcome.value).toBe("resolved");
    expect(page.given).toBe(given);
  });

  it("shows runs of others, and the questions that they ask and answer", async () => {
    const { bench, page } = await shown([user("u0", "q")], asking("r0", "i1"));
    expect(page.asked).toEqual(["i1"]);
    bench.socket.say(started("r1", { input: { threadId: "t", runId: "r1", messages: [user("u1", "more")], tools: [], context: [] } }), open("a1"), delta("a1", "fir"));
    await settle(100);
    expect(page.texts).toEqual(["user:q", "user:more", "assistant:fir"]);
    expect(page.asked).toEqual([]);
    expect(page.stop).toBeDefined();
    bench.socket.say(delta("a1", "st"), close("a1"), asking("r1", "i2"));
    await settle(100);
    expect(page.texts).toEqual(["user:q", "user:more", "assistant:first"]);
    expect(page.asked).toEqual(["i2"]);
    expect(page.stop).toBeUndefined();
  });

  it("takes nothing back that it has not shown yet", async () => {
    const { bench, agent, thread } = await shown([user("u0", "q")]);
    const told = [...thread.messages, { id: "u2", role: "user" as const, content: "mine" }];
    bench.socket.say(started("r1"), open("a1"), delta("a1", "theirs"), close("a1"), finished("r1"));
    await settle();
    thread.messages = told;
    expect(agent.messages.map(({ id }) => id)).toEqual(["u0", "a1", "u2"]);
    await settle(100);
    thread.messages = told;
    expect(agent.messages.map(({ id }) => id)).toEqual(["u0", "u2"]);
  });

  it("is not loaded when it goes away before it was told", async () => {
    const thread = new ShownThread(new Bench().agent());
    const loaded = thread.history.load();
    thread.start(new Page())();
    const leave = thread.start(new Page());
    const outcome = outcomeOf(loaded);
    await settle(50);
    expect(outcome.value, "it was there again").toBe("pending");
    leave();
    await settle();
    expect(await loaded).toBeUndefined();
  });

  it("is shown when it comes back after it went away before it was told", async () => {
    const bench = new Bench();
    const thread = new ShownThread(bench.agent());
    const loaded = thread.history.load();
    thread.start(new Page())();
    await settle();
    expect(await loaded).toBeUndefined();
    const page = new Page();
    thread.start(page);
    await settle(50);
    bench.socket.hello();
    await settle(50);
    const attach = bench.socket.next();
    bench.socket.say(attached(10, false, { id: attach.id }), ...atRest(10, [user("u0", "q"), assistant("a0", "answer")]));
    await settle(100);
    expect(page.texts).toEqual(["user:q", "assistant:answer"]);
  });

  it("stops a run of others, once", async () => {
    const { bench, page, thread } = await shown([user("u0", "q")]);
    bench.socket.say(started("r1"), open("a1"), delta("a1", "1"));
    await settle(100);
    thread.abortRun();
    page.stop!();
    await settle(50);
    expect(bench.socket.next()).toMatchObject({ type: "ws.cancel", runId: "r1" });
    bench.socket.say(delta("a1", "2"));
    await settle(100);
    expect(page.stop).toBeUndefined();
    expect(page.texts.at(-1)).toBe("assistant:12");
    bench.socket.say(close("a1"), finished("r1", { type: "cancelled" }), started("r2"), open("a2"), delta("a2", "next"));
    await settle(100);
    expect(page.stop, "the next run can be stopped").toBeDefined();
    expect(bench.socket.silent()).toBe(true);
  });

  it("is shown again where assistant-ui ends a run of others with an older text", async () => {
    const { bench, page } = await shown([user("u0", "q")]);
    bench.socket.say(started("r1"), open("a1"), delta("a1", "one"));
    await settle(100);
    bench.socket.say(delta("a1", " two"), close("a1"), finished("r1"));
    await settle(100);
    const rendered = async (text: string) => {
      page.shows = [page.shows[0]!, { ...page.shows[1]!, content: [{ type: "text", text }] }];
      page.rerender!();
      await settle(200);
    };
    await rendered("one");
    expect(page.texts.at(-1)).toBe("assistant:one two");
    // What never has the text is not shown for ever.
    const { given } = page;
    page.reset = (list = []) => void (page.given += list.length > 0 ? 1 : 0);
    for (let i = 0; i < 20; i++) await rendered("another text");
    expect(page.given - given).toBeGreaterThan(0);
    expect(page.given - given).toBeLessThan(10);
  });

  it("stops nothing when it goes away", async () => {
    const { bench, thread, unmount, leave } = await shown([user("u0", "q")]);
    const outcome = ask(thread, "r1");
    await settle(50);
    bench.socket.next();
    bench.socket.say(run("r1", "started"), started("r1"), open("a1"), delta("a1", "1"));
    await settle(50);
    unmount();
    thread.abortRun();
    leave();
    await settle(50);
    expect(outcome.value).toBe("resolved");
    expect(bench.socket.sent.map(({ type }) => type)).not.toContain("ws.cancel");
    expect(bench.socket.sent.at(-1)).toMatchObject({ type: "ws.detach" });
    bench.connection.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
