// A server's part by the rules of the binding, run in a random order and over sockets that break: whatever the order, an
// agent holds the thread in the end, and each of its calls ends.

import { expect, it } from "vitest";
import {
  attached, assistant, Bench, close, delta, finished, live, messages, open, run, settle, shown, started, state, stream, user, type Frame,
} from "./fake";
import { asking, outcomeOf, quietly, say } from "./scenes";

quietly();

const SEEDS = +(process.env.SEEDS ?? 500);

/** What each run logs. */
const runs: Record<string, Frame[]> = {
  r0: [started("r0"), open("a0"), delta("a0", "Hello"), close("a0"), finished("r0")],
  r1: [started("r1", { input: { threadId: "t", runId: "r1", messages: [user("u1", "go")], state: {}, tools: [], context: [] } }), open("a1"), delta("a1", "May"), delta("a1", " I?"), close("a1"), asking("r1", "i1", "i2")],
  r2: [started("r2"), open("a2"), delta("a2", "Do"), delta("a2", "ne"), close("a2"), finished("r2")],
};

function generator(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Server {
  private readonly log: Frame[];
  private readonly begun: string[];
  /** What the run in progress has still to log. */
  private ahead: Frame[] = [];
  private attached = false;
  private sent = 0;

  /** `before` are runs that are over. */
  constructor(
    private readonly bench: Bench,
    before: string[],
  ) {
    this.begun = [...before];
    this.log = before.flatMap((runId) => runs[runId]!);
  }

  /** Whether anything is left to do or to say. */
  get busy(): boolean {
    return this.ahead.length > 0 || !this.bench.socket.silent() || (this.attached && this.sent < this.log.length);
  }

  lose(): void {
    this.attached = false;
  }

  /** Does one of the things that may be done now. */
  step(random: () => number): void {
    const steps: Array<() => void> = [];
    if (!this.bench.socket.silent()) steps.push(() => this.read());
    if (this.ahead.length > 0) steps.push(() => void this.log.push(this.ahead.shift()!));
    if (this.attached && this.sent < this.log.length) steps.push(() => this.say(this.log[this.sent++]!));
    steps[Math.floor(random() * steps.length)]?.();
  }

  private say(...frames: Frame[]): void {
    if (process.env.TRACE) for (const f of frames) process.stdout.write("S " + JSON.stringify(f).slice(0, 160) + "\n");
    this.bench.socket.say(...frames);
  }

  private read(): void {
    const frame = this.bench.socket.next();
    if (frame.type === "ws.attach") this.attach(frame.id, frame.after);
    else if (frame.type === "ws.detach") this.attached = false;
    else if (frame.type === undefined) this.take(frame);
  }

  private attach(id: unknown, after?: Frame): void {
    const now = this.log.length;
    this.attached = true;
    const end = this.log.at(-1);
    const more = {
      id,
      interrupts: end?.outcome?.interrupts ?? [],
      ...(this.ahead.length > 0 && { activeRunId: this.begun.at(-1) }),
    };
    if (after) {
      this.say(attached(after.seq, true, more), stream(after.seq), ...this.log.slice(after.seq), live(now));
    } else {
      const told = this.restated(now);
      this.say(attached(now, false, more), stream(now, told.length || undefined), ...told, live(now));
    }
    this.sent = now;
  }

  private take(input: Frame): void {
    const { runId, id } = input;
    if (!this.begun.includes(runId)) {
      this.begun.push(runId);
      const [first, ...rest] = runs[runId]!;
      if (!this.attached) this.sent = this.log.length;
      this.log.push(first!);
      this.ahead = rest;
      this.say(run(runId, "started", { id }), ...(this.attached ? [] : [stream(this.sent)]));
      this.attached = true;
      return;
    }
    // The answer is as of now: what leads there comes first, or the thread told anew.
    if (this.attached) this.say(...this.log.slice(this.sent));
    else if (runId !== this.begun.at(-1)) this.attach(undefined);
    const now = this.sent = this.log.length;
    this.attached = true;
    const told = this.restated(now, runId);
    this.say(run(runId, "repeat", { id, of: runId }), stream(now, told.length), ...told);
  }

  /** The latest run, or this one, by snapshots as of a position; nothing where it has not begun by then. */
  private restated(at: number, runId?: string): Frame[] {
    const log = this.log.slice(0, at);
    const begins = log.findLastIndex((event) => event.type === "RUN_STARTED" && event.runId === (runId ?? event.runId));
    if (begins < 0) return [];
    const texts = new Map<string, string>();
    const opened = new Set<string>();
    for (const event of log) {
      if (event.type === "TEXT_MESSAGE_START") opened.add(event.messageId);
      if (event.type === "TEXT_MESSAGE_END") opened.delete(event.messageId);
      if (event.type === "TEXT_MESSAGE_START") texts.set(event.messageId, "");
      if (event.type === "TEXT_MESSAGE_CONTENT") texts.set(event.messageId, texts.get(event.messageId) + event.delta);
    }
    const end = log.slice(begins).find((event) => event.type === "RUN_FINISHED");
    const said: Frame[] = [...texts].map(([id, text]) => assistant(id, text));
    const asked = log.findIndex((event) => event.runId === "r1");
    if (asked >= 0) said.splice(this.log[0]!.runId === "r0" ? 1 : 0, 0, user("u1", "go"));
    return [started(log[begins]!.runId), state({}), messages(...said), ...(end ? [end] : [...opened].map(open))];
  }
}

async function play(bench: Bench, seed: number): Promise<void> {
  const random = generator(seed);
  const agent = bench.agent();
  const calls: Array<{ value: unknown }> = [];
  bench.connection.use();
  await settle();
  bench.socket.hello();
  const before = random() < 0.5 ? ["r0"] : [];
  const server = new Server(bench, before);
  const pauses = random() < 0.7;
  let cuts = Math.floor(random() * 4);

  const goOn = async (done: () => boolean) => {
    for (let i = 0; i < 400 && !(done() && !server.busy); i++) {
      if (cuts > 0 && random() < 0.08) {
        cuts--;
        server.lose();
        await bench.reconnect();
      }
      server.step(random);
      if (pauses || random() < 0.3 || !server.busy) await settle();
    }
    expect(calls.map(({ value }) => value), "every call ends").toEqual(calls.map(() => "resolved"));
  };
  const begin = async (...call: Array<() => void>) => {
    if (random() < 0.5) call.reverse();
    for (const one of call) {
      one();
      if (random() < 0.5) await settle();
    }
  };

  await begin(
    () => {
      if (random() < 0.5) agent.follow();
      else calls.push(outcomeOf(agent.connectAgent()));
    },
    () => calls.push(outcomeOf(say(agent, "u1", "go", "r1"))),
  );
  const ended = () => calls.every(({ value }) => value !== "pending");
  await goOn(ended);
  const holds = (...said: string[]) => {
    const held = shown(agent);
    // Who has not been told the thread from its beginning need not hold that.
    if (before.length > 0 && held[0] === "assistant:Hello") held.shift();
    expect(held).toEqual(said);
  };
  holds("user:go", "assistant:May I?");
  expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual(["i1", "i2"]);

  const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" as const }));
  await begin(
    () => calls.push(outcomeOf(agent.runAgent({ runId: "r2", resume }))),
    () => random() < 0.3 && agent.follow(),
  );
  await goOn(ended);
  holds("user:go", "assistant:May I?", "assistant:Done");
  expect(agent.pendingInterrupts).toEqual([]);
  expect(agent.isRunning).toBe(false);
}

it(`an agent and its server agree in the end, whatever comes between (${SEEDS} seeds)`, { timeout: 900_000 }, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const bench = new Bench();
    try {
      await play(bench, seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    } finally {
      bench.connection.close();
    }
  }
});
