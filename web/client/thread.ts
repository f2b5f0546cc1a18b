// One agent's part in one thread: which of its runs an event belongs to, what has to be asked again after a loss, and
// following what others begin.

import type { Message, RunAgentInput } from "@ag-ui/client";
import { Backoff } from "./backoff.js";
import { Cancels } from "./cancels.js";
import { Connects } from "./connects.js";
import type { Connection } from "./connection.js";
import type { Position } from "./cursor.js";
import { AbortedBeforeSending, refusalOf, TOO_MANY_THREADS, TransportError } from "./errors.js";
import { Exchange } from "./exchange.js";
import { Exchanges } from "./exchanges.js";
import type { Feed, FeedListener, Restatement } from "./feed.js";
import { isSnapshot, isTerminal, openAfter, retryAfterMs, takesOver, type Attached, type RunAnswer, type WireEvent } from "./frames.js";
import { Inputs } from "./inputs.js";
import type { ThreadOwner } from "./owner.js";
import { Pipeline, type Sink } from "./pipeline.js";
import { Segments } from "./segments.js";
import { shortens } from "./restated.js";
import { StatusStore } from "./status.js";
import { Told } from "./told.js";

/** The failure that ends with the next run that the client's checks accept. */
const UNACCEPTABLE = "unacceptable_events";

export class AgentThread implements FeedListener {
  readonly status: StatusStore;
  private feed?: Feed;
  private readonly exchanges = new Exchanges();
  private readonly told = new Told();
  private readonly connects = new Connects();
  private readonly segments: Segments;
  private readonly inputs = new Inputs((input) => this.feed?.ask(input), () => this.connection.hello);
  /** The run that asked last: its questions may come back when an answer could not be carried out. */
  private askedBy?: string;
  private readonly cancels = new Cancels((runId) => this.feed?.cancel(runId));
  /** Where the events of the run in progress go. */
  private current?: Pipeline;
  private followers = 0;
  /** The next restatement is needed whatever position is held. */
  private fresh = false;
  private interruptsKnown = false;
  /** The agent is to be emptied as soon as no reducer writes to it. */
  private toClear = false;
  /** Messages that are to stand before the agent's as soon as no reducer writes to it. */
  private earlier: Message[] = [];
  private readonly resync = new Backoff({ baseMs: 500 });

  constructor(
    private readonly connection: Connection,
    readonly threadId: string,
    private readonly owner: ThreadOwner,
  ) {
    this.status = new StatusStore({ connection: connection.state, storeAvailable: true, interrupts: [], queued: [], pending: [], older: 0, synced: false });
    this.segments = new Segments(
      (key) => owner.reserve(key),
      (key) => owner.drive(key),
      (key, pipeline, error) => {
        owner.release(key);
        this.driven(pipeline, error);
      },
    );
  }

  /** Up to where the log is held; undefined before anything is. */
  get position(): Position | undefined {
    return this.feed?.position;
  }

  /** Asks for a run. The returned function gives up its events, not the run. */
  run(input: RunAgentInput, sink: Sink): () => void {
    const brought = new Set([...this.status.value.queued.flatMap(({ messages }) => messages ?? []), ...[...this.exchanges].flatMap(({ question }) => question)].map(({ id }) => id));
    const exchange = new Exchange(
      input,
      sink,
      () => this.owner.reserve(input.runId),
      (value) => this.connection.format.stringify(value),
      (id) => brought.has(id) || this.told.has(id),
    );
    this.exchanges.add(exchange);
    this.enter();
    if (this.connection.failure) exchange.pipeline.fail(this.connection.failure);
    else this.inputs.ask(exchange);
    this.connection.hurry();
    this.notePending();
    return () => {
      this.exchanges.delete(exchange);
      this.notePending();
      // Nobody will hear the answer that a stop was waiting for.
      if (exchange.stopRequested && exchange.asking) this.cancel(exchange.knownAs);
      this.gaveUp(exchange.pipeline);
    };
  }

  /** Restates the thread into `sink`, and goes on with the run in progress to its end. */
  connect(key: string, sink: Sink): () => void {
    const segment = this.segments.drainTo(key, sink);
    if (segment) return () => this.gaveUp(segment);
    const pipeline = new Pipeline(sink, () => this.owner.reserve(key));
    this.connects.add(pipeline);
    this.enter();
    if (this.connection.failure) pipeline.fail(this.connection.failure);
    else this.attachFresh();
    return () => {
      this.connects.delete(pipeline);
      this.gaveUp(pipeline);
    };
  }

  /** Keeps the agent up to date with runs begun by anybody, until the returned function is called. */
  follow(): () => void {
    this.followers++;
    this.enter();
    this.attachFresh();
    let stopped = false;
    return () => {
      if (stopped) return;
      stopped = true;
      this.followers--;
      if (this.followers === 0) this.segments.finish();
      this.leaveIfUnused();
    };
  }

  /** Stops a run of this thread: the named one, else this agent's latest, else the one in progress. */
  stop(runId?: string): void {
    const exchange = this.exchanges.latest(runId);
    if (!exchange) {
      const target = runId ?? this.status.value.activeRunId;
      if (target !== undefined) this.cancel(target);
    } else if (!exchange.sent) {
      exchange.pipeline.fail(new AbortedBeforeSending());
    } else if (exchange.waitsForStore) {
      // It is not sent again; should it have been taken all the same, it is stopped.
      exchange.pipeline.fail(new AbortedBeforeSending());
      this.cancel(exchange.knownAs);
    } else {
      exchange.stopRequested = true;
      if (exchange.accepted) this.cancel(exchange.knownAs);
    }
  }

  /** Asks for messages before those that are held. */
  askOlder(limit?: number): boolean {
    return this.feed?.askOlder(limit) ?? false;
  }

  /** Gives up the events of this agent's own runs and connects; the runs go on. */
  detach(): void {
    this.connects.finish();
    for (const exchange of this.exchanges) exchange.pipeline.finish();
  }

  /** Makes the next attach start from a restatement. */
  forget(): void {
    this.fresh = true;
    this.feed?.forget();
  }

  /** A reducer has ended: what is open is known better here than in the run it told. */
  settle(): void {
    this.notePending();
    if (this.toClear && this.owner.idle) {
      this.toClear = false;
      this.owner.clear(this.threadId);
    }
    if (this.current || !this.owner.idle) return;
    if (this.earlier.length > 0) {
      this.owner.precede(this.earlier);
      this.earlier = [];
    }
    if (this.interruptsKnown) this.owner.setPendingInterrupts(this.threadId, structuredClone([...this.status.value.interrupts]));
    this.connects.atRest();
  }

  // What follows is called by the feed.

  preceded(messages: Message[]): void {
    this.earlier = [...messages, ...this.earlier];
    this.noteOlder();
    this.settle();
  }

  counted(event: WireEvent): void {
    this.told.take(event);
    if (event.type === "MESSAGES_SNAPSHOT") this.noteOlder();
    if (event.type === "RUN_STARTED") this.beginRun(event);
    if (takesOver(event)) this.status.set({ takenOver: this.status.value.activeRunId });
    const pipeline = this.current;
    const exchange = this.exchanges.of(pipeline);
    if (isTerminal(event)) {
      this.current = undefined;
      this.cancels.over(this.status.value.activeRunId);
      this.interruptsKnown = true;
      const interrupts = openAfter(event);
      const waitingRunId = interrupts.length > 0 ? this.status.value.activeRunId : undefined;
      this.askedBy = waitingRunId ?? this.askedBy;
      this.status.set({ activeRunId: undefined, interrupts, waitingRunId });
      // A failed continuation may have given its decisions back; only the server knows.
      if (event.type === "RUN_ERROR" && (exchange?.input.resume || this.followers > 0)) {
        if (exchange?.input.resume) pipeline?.holdEnd();
        this.feed?.attach();
      }
    }
    pipeline?.push(event);
    if (event.type === "RUN_STARTED") this.notePending();
  }

  restated(restatement: Restatement): void {
    const { events, attached } = restatement;
    for (const event of events) this.told.take(event);
    const shown = this.shownSince(attached, events);
    this.earlier = [];
    this.noteOlder();
    const redundant = restatement.redundant && !this.fresh;
    const hadSynced = this.status.value.synced;
    this.fresh = false;
    const first = events[0];
    const last = events.at(-1);
    const runId = first?.runId as string | undefined;
    const inProgress = last !== undefined && !isTerminal(last);
    const { activeRunId } = this.status.value;
    if (!inProgress || activeRunId !== runId) this.cancels.over(activeRunId);
    this.status.set({
      activeRunId: inProgress ? runId : undefined,
      waitingRunId: last !== undefined && openAfter(last).length > 0 ? runId : undefined,
      synced: this.followers > 0,
      ...(hadSynced &&
        !redundant && { restated: attached.reason ?? "the thread was told anew", lost: shortens(events, shown, this.unlogged(attached)) }),
    });
    let told = redundant;
    if (!redundant) {
      this.exchanges.toldAnew(runId);
      told = this.restateCurrent(runId, events);
      if (!first && hadSynced) this.forgotten();
    }
    for (const pipeline of this.connects.take()) {
      if (this.current || (told && !redundant)) this.connects.rest(pipeline);
      else if (!first) pipeline.finish();
      else this.tellInto(pipeline, events);
    }
    if (!told && !this.current && first && this.followers > 0) this.tellInto(this.segments.begin(), events);
    this.settle();
  }

  attached(frame: Attached): void {
    this.interruptsKnown = true;
    const interrupts = frame.interrupts ?? [];
    this.status.set({
      interrupts,
      waitingRunId: interrupts.length > 0 ? (this.status.value.waitingRunId ?? this.askedBy) : undefined,
      queued: frame.queued ?? [],
    });
    for (const exchange of this.exchanges) exchange.pipeline.releaseEnd();
    this.settle();
  }

  answered(frame: RunAnswer): void {
    const exchange = this.exchanges.answeredBy(frame.runId, frame.id);
    if (!exchange || frame.disposition === "refused") return;
    exchange.accepted = true;
    exchange.asking = frame.disposition === "repeat";
    exchange.anew = exchange.pipeline.started && frame.disposition !== "repeat";
    exchange.of = frame.of;
    exchange.withoutStore = undefined;
    if (exchange.overtaken && frame.disposition !== "repeat") this.feed?.attach();
    exchange.overtaken = false;
    if (frame.disposition === "queued") this.status.queued({ runId: exchange.runId, messages: exchange.question });
    if (exchange.stopRequested) this.cancel(exchange.knownAs);
    this.notePending();
  }

  answer(runId: string, events: WireEvent[]): void {
    const exchange = this.exchanges.answeredBy(runId);
    const first = events[0];
    const last = events.at(-1);
    if (!exchange || !first || !last) return;
    for (const event of events) this.told.take(event);
    exchange.asking = false;
    this.status.unqueued(runId);
    // The application has to hear of it, and no frontend hands it the RUN_ERROR of a run.
    if (first.code === TOO_MANY_THREADS) {
      exchange.pipeline.fail(refusalOf(first.code, String(first.message)));
      return;
    }
    if (first.code === "store_unavailable" && this.inputs.askWhenBack(exchange, retryAfterMs(first))) {
      if (exchange.stopRequested) this.stop(exchange.runId);
      return;
    }
    if (first.code === "rate_limited" && this.inputs.askLater(exchange, retryAfterMs(first))) return;
    if (!isTerminal(last)) {
      // From here on the run's events are this exchange's, whoever followed it before.
      if (this.current && this.current !== exchange.pipeline) this.current.finish();
      this.current = exchange.pipeline;
      this.status.set({ activeRunId: exchange.knownAs });
      exchange.pipeline.restate(events);
      return;
    }
    if (first.type === "RUN_STARTED") {
      // It is being told by the log's own events, and they come to the same end.
      if (this.current === exchange.pipeline) return;
      this.openAsOf(last, exchange);
    }
    this.cancels.over(exchange.knownAs);
    exchange.stopRequested = false;
    if (this.current === exchange.pipeline) this.current = undefined;
    // A follower holds the thread as of its own position; a snapshot of now may be ahead of it.
    const ahead = this.status.value.synced && this.feed?.position !== undefined;
    exchange.pipeline.restate(ahead ? events.filter((event) => !isSnapshot(event)) : events);
  }

  storeIsBack(): void {
    for (const exchange of this.exchanges) if (exchange.waitsForStore && !exchange.pipeline.ended) this.inputs.ask(exchange);
    this.cancels.sendAll();
  }

  caughtUp(): void {
    if (this.status.value.failure && this.status.value.failure.code !== UNACCEPTABLE) {
      this.status.set({ failure: undefined });
    }
    for (const exchange of this.exchanges) {
      if (exchange.pipeline.ended) continue;
      if (exchange.awaited && !exchange.isAmong(this.status.value)) exchange.mustAsk();
      if (exchange.unsure) this.inputs.ask(exchange);
    }
    this.cancels.sendAll();
  }

  refused(id: string | undefined, code: string, message: string, retryAfterMs?: number): void {
    const stop = this.cancels.refused(id, code, !this.connection.storeAvailable, retryAfterMs);
    if (stop === "given up") this.status.set({ failure: { code, message } });
    if (stop !== "none") return;
    const error = refusalOf(code, message);
    const exchange = this.exchanges.sentAs(id);
    if (!exchange) this.failed(error);
    else if (code !== "rate_limited" || !this.inputs.askLater(exchange, retryAfterMs)) exchange.pipeline.fail(error);
  }

  cancelled(runId: string): void {
    this.cancels.over(runId);
    this.leaveIfUnused();
  }

  lost(): void {
    this.cancels.socketLost();
    for (const exchange of this.exchanges) exchange.socketLost();
  }

  deleted(reason: string): void {
    this.interruptsKnown = true;
    this.status.set({ activeRunId: undefined, interrupts: [], waitingRunId: undefined, queued: [] });
    this.failed(new TransportError("detached", reason));
    this.settle();
  }

  failed(error: TransportError): void {
    this.status.set({ failure: { code: error.code, message: error.message } });
    this.current = undefined;
    this.cancels.clear();
    for (const exchange of this.exchanges) {
      exchange.stopRequested = false;
      exchange.pipeline.releaseEnd();
      exchange.pipeline.fail(error);
    }
    this.connects.fail(error);
    this.segments.finish();
    // The rest of the run in progress would have no pipeline to go on in.
    this.forget();
  }

  private beginRun(event: WireEvent): void {
    const runId = String(event.runId);
    this.current?.finish();
    this.status.unqueued(runId);
    this.cancels.over(this.status.value.waitingRunId);
    this.status.set({ activeRunId: runId, interrupts: [], waitingRunId: undefined, takenOver: undefined });
    const exchange = this.exchanges.claiming(runId);
    if (exchange) exchange.unsure = exchange.asking = exchange.anew = false;
    this.current = exchange ? exchange.pipeline : this.followers > 0 ? this.segments.begin() : undefined;
  }

  private noteOlder(): void {
    const older = this.feed?.older ?? 0;
    if (older !== this.status.value.older) this.status.set({ older });
  }

  /** The agent's messages as far as a restatement speaks of them: with a window, from the first that it tells on. */
  private shownSince({ older }: Attached, events: readonly WireEvent[]): readonly Message[] {
    const shown = this.owner.messages();
    if (!older) return shown;
    const told = events.find(({ type }) => type === "MESSAGES_SNAPSHOT")?.messages as Message[] | undefined;
    const from = shown.findIndex(({ id }) => id === told?.[0]?.id);
    return from < 0 ? [] : shown.slice(from);
  }

  private notePending(): void {
    const pending = [...this.exchanges].filter((exchange) => exchange.pending);
    this.status.pending(pending.map(({ runId, question }) => ({ runId, messages: question })));
  }

  /** The ids of messages that no restatement can have: their inputs wait, or are on their way. */
  private unlogged({ queued }: Attached): Set<string> {
    const waiting = [...(queued ?? []).map(({ messages }) => messages), ...[...this.exchanges].map(({ question }) => question)];
    return new Set(waiting.flat().map(({ id }) => id));
  }

  /** Splices a restatement into the run in progress; false when there is none it belongs to. */
  private restateCurrent(runId: string | undefined, events: WireEvent[]): boolean {
    const pipeline = this.current;
    if (!pipeline) {
      // An own run that has begun but lost its place has to ask too.
      for (const exchange of this.exchanges) if (exchange.begun) exchange.mustAsk();
      return false;
    }
    this.current = undefined;
    if (runId !== undefined && pipeline.runId === runId) {
      pipeline.restate(events);
      if (!pipeline.ended) this.current = pipeline;
      return true;
    }
    const exchange = this.exchanges.of(pipeline);
    if (exchange) exchange.mustAsk();
    else pipeline.finish();
    return false;
  }

  /** What is open after an answer, which is as of now and so may be ahead of what was said before. */
  private openAsOf(end: WireEvent, exchange: Exchange): void {
    const asks = openAfter(end);
    if (asks.length > 0) {
      this.interruptsKnown = true;
      this.status.set({ interrupts: asks });
    } else if (this.status.value.interrupts.length > 0) {
      // They may be what this run has answered, or what a later one asks.
      exchange.pipeline.holdEnd();
      this.feed?.attach();
    }
  }

  /** The thread was told before and is empty now: what is shown of it is not there any more. */
  private forgotten(): void {
    for (const exchange of this.exchanges) {
      if (exchange.pipeline.started) exchange.pipeline.fail(new TransportError("run_forgotten", "the server does not know this run any more"));
    }
    this.toClear = true;
  }

  private tellInto(pipeline: Pipeline, events: WireEvent[]): void {
    pipeline.restate(events);
    if (!pipeline.ended) this.current = pipeline;
  }

  /** Where the client's own checks refused what was logged, start again from snapshots, not in a tight loop. */
  private driven(pipeline: Pipeline, error: unknown): void {
    if (error === undefined) {
      this.resync.reset();
      if (this.status.value.failure?.code === UNACCEPTABLE) this.status.set({ failure: undefined });
      return;
    }
    if (this.current === pipeline) this.current = undefined;
    this.status.set({ failure: { code: UNACCEPTABLE, message: String(error) } });
    setTimeout(() => {
      if (this.followers > 0) this.attachFresh();
    }, this.resync.next());
  }

  private cancel(runId: string): void {
    // What has given up keeps nothing; the page says so, and the button is still there after a retry.
    if (this.connection.failure) return;
    this.enter();
    this.cancels.wish(runId);
    this.connection.hurry();
  }

  private attachFresh(): void {
    this.fresh = true;
    this.feed?.attach(true);
  }

  private enter(): void {
    if (this.feed) return;
    this.interruptsKnown = false;
    this.feed = this.connection.feed(this.threadId);
    this.feed.join(this);
  }

  private gaveUp(pipeline: Pipeline): void {
    if (this.current === pipeline) {
      this.current = undefined;
      // The rest of that run has nobody to take it; who still wants it needs it from snapshots.
      if (this.connects.reclaim() || this.followers > 0) this.attachFresh();
    }
    this.leaveIfUnused();
  }

  private leaveIfUnused(): void {
    if (this.followers > 0 || this.exchanges.size > 0 || !this.connects.empty || this.current || !this.cancels.empty) return;
    this.feed?.leave(this);
    this.feed = undefined;
    this.status.set({ activeRunId: undefined, queued: [], synced: false });
  }
}
