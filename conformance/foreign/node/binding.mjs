// A server of agui.v1.json that keeps its threads in memory, written from docs/binding:
// the core and the profile resume. `node binding.mjs core` has the core and nothing else.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { act, Fold } from "./agent.mjs";
import { canonical, isId, isName, isPosition, number, read, readInput, write } from "./reading.mjs";

const resume = process.argv[2] !== "core";
const heartbeatMs = 25_000;
const maxFrameBytes = 4 << 20;
// At most: sockets, threads, those of one socket, events and bytes of a log, runs that are
// recognised, bytes that wait for a slow reader, frames a second and at once.
const most = { sockets: 1024, threads: 10_000, followed: 16, events: 4096, bytes: 8 << 20, runs: 1024, unsent: 1 << 20, rate: 20, burst: 40 };

const threads = new Map();
const refusal = (code, message, more = {}) => Object.assign(new Error(message), { code, more });

/** Thread is a log of events, who follows it, and what it has built. */
class Thread {
  epoch = resume ? randomUUID() : "";
  log = []; // texts, of which the last one is number `end`
  end = 0;
  bytes = 0;
  fold = new Fold();
  runs = []; // the latest ones, for inputs that are sent again
  followers = new Set();

  constructor(id) {
    this.id = id;
  }

  /** forget makes room again, if nothing is lost by that. */
  forget() {
    if (!this.followers.size && !this.running && (!resume || !this.end)) threads.delete(this.id);
  }

  append(event) {
    this.fold.apply(event);
    const text = write(event);
    this.log.push(text);
    this.end++;
    this.bytes += text.length;
    while (this.log.length > most.events || this.bytes > most.bytes) this.bytes -= this.log.shift().length;
    for (const socket of this.followers) socket.pump();
  }

  async run(input) {
    const { threadId, runId, parentRunId, messages } = input;
    const started = { type: "RUN_STARTED", threadId, runId, ...(parentRunId && { parentRunId }), protocolVersion: "1.0" };
    const run = { runId, key: repeatKey(input), started, stop: new AbortController() };
    if (this.runs.push(run) > most.runs) this.runs.shift();
    this.running = run;
    this.append({ ...started, input: { threadId, runId, messages, tools: [], context: [] } });
    try {
      for await (const event of act(input, run.stop.signal)) {
        if (run.end) return;
        this.append(event);
      }
      this.finish(run, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } });
    } catch (fault) {
      if (!run.end) console.error(`run ${runId} of ${threadId}:`, fault);
      this.finish(run, { type: "RUN_ERROR", message: `The agent failed in the run ${runId}.`, code: "agent_error" });
    }
  }

  finish(run, end) {
    if (run.end) return;
    run.end = end;
    this.running = undefined;
    this.append(end);
    if (!resume) for (const socket of this.followers) socket.unfollow(this);
    this.forget();
  }

  /** cancel ends the active run if it has that name. */
  cancel(runId) {
    const run = this.running;
    if (run?.runId !== runId) return false;
    for (const event of this.fold.closing()) this.append(event);
    this.finish(run, { type: "RUN_FINISHED", threadId: this.id, runId, outcome: { type: "cancelled" } });
    run.stop.abort();
    return true;
  }

  /** restated are the events that say what the thread is, as that run. */
  restated(run = this.runs.at(-1)) {
    if (!run) return [];
    const { state: snapshot, messages, open } = this.fold;
    const metadata = { aguiws: { restated: true } };
    return [{ ...run.started, metadata }, { type: "STATE_SNAPSHOT", snapshot }, { type: "MESSAGES_SNAPSHOT", messages }, ...(run.end ? [run.end] : open)];
  }

  /** repeated is the run that an input asked for before, if it did. */
  repeated(input) {
    const held = (message) => this.fold.byId.get(message.id);
    if (!resume || !input.messages.every(held)) return undefined;
    const asked = repeatKey(input);
    const run = this.runs.findLast(({ key }) => key === asked);
    if (run && input.messages.some((m) => m.role === "user" && canonical(m.content) !== canonical(held(m).content)))
      throw refusal("invalid_input", "A message of yours says something else under the id that it had.");
    return run;
  }
}

// A thread is kept from when somebody follows it.
const threadOf = (id) => threads.get(id) ?? new Thread(id);

const repeatKey = ({ runId, resume: answers = [], forwardedProps }) =>
  createHash("sha256").update(canonical([runId, answers.map(({ metadata, ...answer }) => answer), forwardedProps])).digest("base64");

/** Socket is a client's connection: a cursor in each thread that it follows. */
class Socket {
  cursors = new Map(); // Thread → {seq, due: whether ws.live is}
  malformed = 0;
  tokens = most.burst;
  since = Date.now();
  alive = true;

  constructor(ws) {
    this.ws = ws;
    ws.on("message", (data, binary) => this.take(data, binary));
    ws.on("pong", () => (this.alive = true));
    ws.on("error", () => {}); // ws closes with the code that is due
    const beat = setInterval(() => this.heart(), heartbeatMs);
    ws.on("close", () => clearInterval(beat));
    ws.on("close", () => [...this.cursors.keys()].forEach((thread) => this.unfollow(thread)));
    const capabilities = { transport: { websocket: true, streaming: true, resumable: resume } };
    this.send({ type: "ws.hello", binding: "agui.v1", profiles: resume ? ["resume"] : [], heartbeatMs, maxFrameBytes, durable: false, capabilities });
  }

  heart() {
    if (!this.alive && this.ws.bufferedAmount >= this.waiting) return this.ws.terminate();
    this.alive = false;
    this.waiting = this.ws.bufferedAmount;
    this.ws.ping();
  }

  send(frame, text = write(frame)) {
    this.ws.send(text, () => {
      if (this.ws.bufferedAmount <= most.unsent) this.ws.resume(), this.pump();
    });
    if (this.ws.bufferedAmount > most.unsent) this.ws.pause(); // it is not to ask for more
  }

  /** place says whose events come next, and where they stand. */
  place(thread, uncounted) {
    if (this.turn === thread && !uncounted) return;
    const cursor = this.cursors.get(thread);
    this.turn = cursor && thread;
    this.send({ type: "ws.stream", threadId: thread.id, epoch: cursor ? thread.epoch : "", seq: cursor?.seq ?? 0, uncounted });
  }

  group(thread, events) {
    if (events.length) this.place(thread, events.length);
    for (const event of events) this.send(event);
  }

  /** pump sends what the threads have, for as long as it is taken. */
  pump() {
    for (const thread of this.cursors.keys()) this.catchUp(thread);
  }

  catchUp(thread, unsent = most.unsent) {
    const cursor = this.cursors.get(thread);
    if (this.ws.readyState !== this.ws.OPEN || this.ws.bufferedAmount > unsent) return;
    if (cursor.seq < thread.end - thread.log.length) return resume ? this.attach(thread, "trimmed") : this.ws.close(1013, "this is read too slowly");
    while (cursor.seq < thread.end && this.ws.bufferedAmount <= unsent) {
      this.place(thread);
      this.send(undefined, thread.log.at(cursor.seq++ - thread.end));
    }
    if (!cursor.due || cursor.seq < thread.end) return;
    cursor.due = false;
    this.send({ type: "ws.live", threadId: thread.id, seq: cursor.seq });
  }

  follow(thread, seq = thread.end) {
    if (!this.cursors.has(thread) && this.cursors.size >= most.followed)
      throw refusal("too_many_threads", `This socket follows ${most.followed} threads. Detach one of them first.`);
    if (!threads.has(thread.id) && threads.size >= most.threads) throw refusal("overloaded", "There is no room for more threads.", { retryAfterMs: 60_000 });
    threads.set(thread.id, thread);
    this.cursors.set(thread, { seq });
    thread.followers.add(this);
  }

  unfollow(thread) {
    if (!resume && this.cursors.has(thread)) this.catchUp(thread, Infinity);
    if (this.turn === thread) this.turn = undefined;
    this.cursors.delete(thread);
    thread.followers.delete(this);
    thread.forget();
  }

  /** attach says where the socket stands: behind `after`, or restated for that reason. */
  attach(thread, reason, id, after) {
    this.follow(thread, after);
    this.turn = undefined;
    const cursor = this.cursors.get(thread);
    const stands = { threadId: thread.id, epoch: thread.epoch, seq: cursor.seq, activeRunId: thread.running?.runId };
    this.send({ type: "ws.attached", id, ...stands, recovered: !reason, reason, interrupts: [], queued: [] });
    cursor.due = true;
    if (reason) this.group(thread, thread.restated());
    this.catchUp(thread);
  }

  take(data, binary) {
    if (this.ws.readyState !== this.ws.OPEN) return;
    if (binary) return this.ws.close(1003, "frames are text");
    this.alive = true;
    let frame = {};
    try {
      frame = read(data.toString());
      if (!isId(frame.id)) throw refusal("invalid_frame", "id is a text of at most 64 bytes.");
      this.meter(frame.type === "ws.detach");
      if (frame.type === undefined) this.input(frame);
      else if (Object.hasOwn(frames, frame.type)) frames[frame.type](this, frame);
      else throw refusal("invalid_frame", "There is no such frame.");
    } catch (fault) {
      this.refuse(frame, fault instanceof SyntaxError ? refusal("malformed_frame", fault.message) : fault);
    }
  }

  refuse({ id, threadId }, fault) {
    const { code, message, more } = fault;
    const of = { id: isId(id) ? id : undefined, threadId: isName(threadId) ? threadId : undefined };
    if (more) this.send({ type: "ws.error", ...of, code, message, ...more });
    else console.error(fault), this.ws.close(1011, "a fault of the server");
    if (code === "malformed_frame" && ++this.malformed === 8) this.ws.close(4400, "malformed frames");
  }

  meter(allowed) {
    const now = Date.now();
    this.tokens = Math.min(most.burst, this.tokens + ((now - this.since) / 1000) * most.rate);
    this.since = now;
    if (this.tokens < 1 && !allowed) throw refusal("rate_limited", `A socket may send ${most.rate} frames a second.`, { retryAfterMs: 1000 });
    this.tokens = Math.max(0, this.tokens - 1);
  }

  input({ id, ...given }) {
    const { problems, input } = readInput(given);
    if (problems) throw refusal("invalid_input", problems.slice(0, 20).join("; "));
    const { threadId, runId } = input;
    const thread = threadOf(threadId);
    const became = (disposition, of) => this.send({ type: "ws.run", threadId, runId, disposition, of, id });
    try {
      const run = thread.repeated(input);
      if (run) return this.repeat(thread, run, became);
      const ids = input.resume?.map(({ interruptId }) => interruptId);
      if (ids?.length) throw refusal("interrupt_unknown", "This thread never asked that.", { interruptIds: ids });
      if (thread.running) throw refusal("thread_busy", "Another run is under way.", { retryAfterMs: 1000 });
      if (!this.cursors.has(thread)) this.follow(thread);
      became("started");
      thread.run(input);
    } catch (fault) {
      const { code, message, more } = fault;
      if (!more) throw fault;
      became("refused");
      this.group(thread, [{ type: "RUN_ERROR", message, code, ...(Object.keys(more).length && { metadata: { aguiws: more } }) }]);
    }
  }

  /** repeat answers as of the thread's end, which the socket has first. */
  repeat(thread, run, became) {
    if (this.cursors.has(thread)) this.catchUp(thread, Infinity);
    else if (run !== thread.runs.at(-1)) this.attach(thread, "no_position");
    else this.follow(thread);
    became("repeat", run.runId);
    this.group(thread, thread.restated(run));
  }
}

const named = (frame, member) => {
  if (!isName(frame[member])) throw refusal("invalid_frame", `${member} is a text of 1 to 1024 bytes, and not ".", ".." or "/".`);
  return frame[member];
};

const frames = {
  "ws.ping"(socket, { id }) {
    const positions = resume ? Array.from(socket.cursors, ([thread, { seq }]) => [thread.id, seq]) : [];
    socket.send({ type: "ws.pong", id, positions: Object.fromEntries(positions) });
  },
  "ws.cancel"(socket, frame) {
    const [threadId, runId] = [named(frame, "threadId"), named(frame, "runId")];
    socket.send({ type: "ws.cancelled", id: frame.id, threadId, runId, stopped: threadOf(threadId).cancel(runId) });
  },
  "ws.attach"(socket, { id, after, ...frame }) {
    const thread = threadOf(named(frame, "threadId"));
    if (after !== undefined && !isPosition(after)) throw refusal("invalid_frame", "after is {epoch, seq}: a text that is not empty, and a whole number from 0.");
    const { epoch, end, log } = thread;
    const seq = number(after?.seq);
    const reason = !after ? "no_position" : after.epoch !== epoch ? "epoch_changed" : seq > end ? "ahead" : seq < end - log.length ? "trimmed" : undefined;
    socket.attach(thread, reason, id, reason ? undefined : seq);
  },
  "ws.detach"(socket, frame) {
    const threadId = named(frame, "threadId");
    socket.unfollow(threadOf(threadId));
    socket.send({ type: "ws.detached", id: frame.id, threadId, reason: "requested" });
  },
};
if (!resume) for (const type of ["ws.attach", "ws.detach"]) delete frames[type];

const isLoopback = (url) => URL.canParse(url) && url.startsWith("http:") && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

/** refused is why a request gets no socket: a status, a code and a message. */
function refused({ headers, url }) {
  if (!isLoopback(`http://${headers.host}`)) return [403, "host_not_allowed", "This server has another name."];
  if (headers.origin && !isLoopback(headers.origin)) return [403, "origin_not_allowed", `A page of ${headers.origin} may not connect.`];
  if (!headers.upgrade) return [400, "upgrade_required", "This address opens WebSockets."];
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
  if (!offered.includes("agui.v1.json")) return [400, "unsupported_subprotocol", "Offer the subprotocol agui.v1.json."];
  if (offered.filter((each) => each.startsWith("agui.bearer.")).length > 1) return [400, "ambiguous_credential", "Offer one agui.bearer. subprotocol."];
  if (!/^\/agui(\/default)?\/ws(\?|$)/.test(url)) return [404, "unknown_agent", "The agent is at /agui/ws."];
  if (acceptor.clients.size >= most.sockets) return [503, "overloaded", "There are too many connections."];
}

const server = createServer((request, response) => {
  const [status, code, message] = refused(request) ?? [400, "upgrade_required", "This is no handshake."];
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code, message }));
});
const acceptor = new WebSocketServer({
  ...{ server, maxPayload: maxFrameBytes, perMessageDeflate: false, handleProtocols: () => "agui.v1.json" },
  verifyClient({ req }, answer) {
    const [status, code, message] = refused(req) ?? [];
    answer(!code, status, JSON.stringify({ code, message }), { "content-type": "application/json", ...(status === 503 && { "retry-after": "1" }) });
  },
});
acceptor.on("connection", (ws) => new Socket(ws));
process.on("SIGTERM", () => {
  for (const ws of acceptor.clients) ws.close(1012, "the server shuts down");
  server.close();
});
server.listen(0, "127.0.0.1", () => console.log(`listening 127.0.0.1:${server.address().port}`));
