// node torture.mjs PORT RUNS SEED: plays the client through a proxy that cuts, and compares what it holds with what an
// undisturbed attach tells from position 0. It prints what differs, and a line of counts.
import net from "node:net";
import { isDeepStrictEqual as same } from "node:util";
import { Client, WebSocket } from "./client.mjs";
import { Fold, isEnd } from "./fold.mjs";

const [port, runs, first] = process.argv.slice(2).map(Number);
const patience = 60_000;
const wait = (ms) => new Promise((r) => setTimeout(r, ms));

function chance(seed) { // mulberry32
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// cutting is a proxy that ends a connection in the midst of a frame, after some bytes of one direction.
function cutting(random, left) {
  const all = new Set();
  const p = { left, made: 0, end: () => { server.close(); for (const s of all) s.destroy(); } };
  const server = net.createServer((down) => {
    const up = net.connect(port, "127.0.0.1");
    const end = () => { down.destroy(); up.destroy(); };
    const way = random() < 0.6 ? "down" : "up";
    let bytes = random() < 0.1 ? Infinity : (way === "down" ? 1000 : 200) + Math.floor(random() ** 2 * (way === "down" ? 3000 : 1000));
    for (const [from, to, name] of [[down, up, "up"], [up, down, "down"]]) {
      all.add(from);
      from.on("error", end).on("close", end);
      from.on("data", (data) => {
        if (name !== way || p.left <= 0 || (bytes -= data.length) > 0) return void to.write(data);
        p.left--;
        p.made++;
        from.removeAllListeners("data").pause();
        to.write(data.subarray(0, data.length + bytes), () => setTimeout(end));
      });
    }
  });
  return new Promise((r) => server.listen(0, "127.0.0.1", () => r(Object.assign(p, { port: server.address().port }))));
}

// undisturbed is what a socket without cuts is told: the thread restated, and then its log from position 0.
function undisturbed(threadId) {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}/agui/ws`, "agui.v1.json");
    const told = { group: [], log: [] };
    const attach = (after) => ws.send(JSON.stringify({ type: "ws.attach", threadId, after }));
    let left = 0;
    ws.on("error", reject).on("close", () => reject(new Error("the socket was closed")));
    ws.on("message", (data) => {
      const text = data.toString(), f = JSON.parse(text);
      if (f.type === "ws.hello") attach();
      else if (f.type === "ws.attached") told.whole = Object.assign(told, { at: told.at ?? f }).at !== f && f.recovered;
      else if (f.type === "ws.stream") left = f.uncounted ?? 0;
      else if (f.type === "ws.live" && told.end === undefined) { told.end = f.seq; attach({ epoch: told.at.epoch, seq: 0 }); }
      else if (f.type === "ws.live") { resolve(told); ws.close(); }
      else if (left-- > 0) told.group.push(f);
      else told.log.push(text);
    });
  });
}

class Run {
  #names = 0;
  answers = [];

  constructor(random, thread, other) { Object.assign(this, { random, thread, other }); }

  pick(...of) { return of[Math.floor(this.random() * of.length)]; }

  async input(input, thread = this.thread) {
    const answer = await thread.input({ runId: `r${++this.#names}`, messages: [], ...input });
    this.answers.push(answer);
    return answer;
  }
  say(text, thread) { return this.input({ messages: [{ id: `m${this.#names + 1}`, role: "user", content: text }] }, thread); }

  // settle answers what a run asks, at times on two sockets at once, and otherwise there.
  async settle(asked) {
    for (let { end } = await asked; end.outcome?.interrupts; ) {
      const open = end.outcome.interrupts, yes = this.random() < 0.7;
      const resume = (yes) => ({ resume: open.map(({ id: interruptId, reason }) => yes && reason !== "input_required"
        ? { interruptId, status: "resolved", payload: { approved: true } } : { interruptId, status: "cancelled" }) });
      const both = [this.input(resume(yes))];
      if (this.other && this.random() < 0.5) both.push(this.input(resume(this.pick(yes, !yes)), this.other));
      end = (await Promise.all(both)).map((a) => a.end).find((e) => e.code !== "interrupt_conflict");
    }
  }

  kinds = {
    ask: () => this.settle(this.say(this.pick("/confirm Go?", '/tool mail {"to":"x"}', "/parallel 2", "/twice", "/form"))),
    slow: () => this.say(`/slow ${this.pick(3, 8, 20)} ${this.pick(2, 15)}`),
    plain: () => this.say(this.pick("/say Hello there", "/think Hm", "/delegate Hello", '/state {"a":1}', "/fail no", "/effect")),
    both: () => Promise.all([this.say("/slow 3 10"), this.say("/say too", this.other ?? this.thread)]),
    queue: async () => {
      const runs = [this.say("/slow 6 20"), this.say("/say one"), this.say("/say two")], last = this.#names;
      if (this.random() < 0.5) await this.thread.client.cancel(this.thread.id, `r${last}`);
      if (this.random() < 0.3) await this.thread.client.cancel(this.thread.id, `r${last - 2}`);
      await Promise.all(runs);
    },
    behind: async () => { // an input waits behind a question
      const before = this.say("/slow 4 20"), asks = this.say("/confirm Go?"), after = this.say("/say after");
      await before;
      await this.settle(asks);
      await after;
    },
  };

  async play() {
    const kinds = ["ask"];
    for (let more = this.pick(0, 1, 2); more > 0; more--) kinds.splice(this.pick(0, 1), 0, this.pick(...Object.keys(this.kinds)));
    for (const kind of kinds) await this.kinds[kind]();
  }
}

function settled(run, told) {
  const begun = told.log.map((t) => JSON.parse(t)).filter((e) => e.type === "RUN_STARTED").map((e) => e.runId);
  return !told.at.activeRunId && run.answers.every((a) => a.first === "refused" || begun.includes(a.run));
}

// differences compares what a client holds of a thread with what there is.
function differences(t, told, log) {
  const from = t.told.at(-1).seq, held = new Map(t.events.map((e) => [e.seq, e.text]));
  const list = [];
  if (t.mine.epoch !== told.at.epoch || t.mine.seq !== told.end) list.push(`stands at ${t.mine.epoch}:${t.mine.seq}`);
  if (held.size !== t.events.length) list.push("an event came twice");
  told.log.forEach((text, i) => { if (held.has(i + 1) ? held.get(i + 1) !== text : i >= from) list.push(`event ${i + 1}`); });
  for (const what of ["messages", "state", "interrupts"]) if (!same(t.fold[what], log[what])) list.push(what);
  if (t.fold.run !== null || t.fold.open.size) list.push("something is open");
  if (t.inputs.size) list.push("an input without an answer");
  return list.concat(t.client.problems);
}

// mood does what a client may do at any time: attach again, send an input again, and, when it is cut off, hold nothing
// more or let its inputs do the following. Never both: a run that starts brings no history.
function mood(random, thread, reloads) {
  const may = random(), pending = [...thread.inputs];
  if (!thread.client.open) {
    if (may < 0.03 && reloads) thread.forget();
    else if (may < 0.03 && pending.length && thread.mine) thread.wanted = false;
  } else if (may < 0.03) thread.attach();
  else if (may < 0.06 && pending.length) thread.client.send(pending[0].id);
}

async function one(seed) {
  const random = chance(seed), id = `torture-${seed}`, proxy = await cutting(random, 2 + Math.floor(random() * 10));
  const clients = Array.from({ length: random() < 0.5 ? 1 : 2 }, () => new Client(`ws://127.0.0.1:${proxy.port}/agui/ws`));
  const threads = clients.map((c) => c.thread(id)), [mine, other] = threads;
  if (other || random() < 0.2) mine.attach();
  other?.attach();
  const run = new Run(random, mine, other), list = [], limit = AbortSignal.timeout(patience);
  const late = new Promise((_, reject) => limit.addEventListener("abort", () => reject(new Error(`${mine.inputs.size} inputs without an answer`))));
  try {
    const moods = setInterval(() => mood(random, mine, seed % 2 === 0), 5);
    await Promise.race([run.play(), late]).finally(() => clearInterval(moods));
    proxy.left = 0;
    mine.attach();
    let told;
    do { // what was cancelled in the queue is logged later than it is told
      await wait(20);
      told = await undisturbed(id);
    } while (!limit.aborted && !(settled(run, told) && threads.every((t) => t.mine?.seq === told.end)));
    const log = new Fold();
    for (const text of told.log) log.apply(JSON.parse(text));
    if (!told.whole) list.push("the log has not all events");
    if (!same(log.messages, told.group.find((e) => e.type === "MESSAGES_SNAPSHOT")?.messages)) list.push("the log folds unlike what is restated");
    const bare = (e) => JSON.stringify({ ...e, runId: "" }); // a repeat is told under the name that it was asked with
    const ends = new Set(told.log.map((t) => JSON.parse(t)).filter(isEnd).map(bare));
    for (const a of run.answers) if (a.first !== "refused" && !ends.has(bare(a.end))) list.push(`the answer ${JSON.stringify(a.end)}`);
    for (const t of threads) list.push(...differences(t, told, log));
  } catch (e) {
    list.push(e.stack);
  }
  for (const c of clients) c.stop();
  proxy.end();
  if (list.length) console.log(`run ${seed}: ${list.join("; ")}`);
  return { equal: list.length === 0, cuts: proxy.made, restated: mine.told.length > 1 || mine.told[0]?.seq > 0 };
}

const all = [];
let next = 0;
await Promise.all(Array.from({ length: 4 }, async () => { while (next < runs) all.push(await one(first + next++)); }));
const count = (of) => all.filter(of).length;
console.log(`${all.length} runs, ${count((r) => r.equal)} equal, ${all.reduce((n, r) => n + r.cuts, 0)} cuts, ${count((r) => r.restated)} restated`);
process.exit(count((r) => !r.equal) ? 1 : 0);
