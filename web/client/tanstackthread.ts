// One thread as a TanStack chat has it: the runs that it asks for, the one that it joins, and those that others begin.

import { randomUUID, type Message, type RunAgentInput } from "@ag-ui/client";
import type { StreamChunk, UIMessage } from "@tanstack/ai/client";
import { StreamProcessor } from "@tanstack/ai/client";
import type { RunAgentInputContext, SubscribeConnectionAdapter } from "@tanstack/ai-client";
import { ChunkQueue } from "./chunkqueue.js";
import type { Connection } from "./connection.js";
import { TransportError } from "./errors.js";
import { isTerminal, openAfter, type WireEvent } from "./frames.js";
import { outgoing } from "./outgoing.js";
import type { ThreadOwner } from "./owner.js";
import type { Sink } from "./pipeline.js";
import { AgentThread } from "./thread.js";
import { Chunks } from "./tanstackchunks.js";
import { ANSWERED_ELSEWHERE, bound, type Answers } from "./tanstackinterrupts.js";
import { Held, upTo, type ChatMessage } from "./tanstackmessages.js";

type Hydration = Awaited<ReturnType<NonNullable<SubscribeConnectionAdapter["hydrate"]>>>;

export interface Sent {
  messages: readonly ChatMessage[];
  forwardedProps: Record<string, unknown>;
  context: RunAgentInputContext;
  signal?: AbortSignal;
}

/** A run that the chat has asked for. */
interface Own {
  /** The thread may have its messages. */
  begun: boolean;
  /** It answers questions. */
  answers: boolean;
  messages: Message[];
}

/** A thread told anew. */
interface Told {
  runId?: string;
  snapshot?: WireEvent;
  end?: WireEvent;
}

export class ChatThread {
  private readonly held = new Held();
  private readonly thread: AgentThread;
  private readonly queues = new Set<ChunkQueue>();
  private readonly own = new Set<Own>();
  private joined?: string;
  private joins = 0;
  /** Runs of others that go on and are not shown. */
  private hidden = 0;
  /** The run whose questions the chat shows. */
  private asked?: string;
  /** The latest run that the chat was shown the beginning of. */
  private running?: string;
  private unfollow?: () => void;
  private unwatch?: () => void;
  /** Ends what waits for the server. */
  private readonly waits = new Set<() => void>();

  constructor(
    private readonly connection: Connection,
    readonly threadId: string,
    private readonly abort: "stop" | "detach",
  ) {
    this.thread = new AgentThread(connection, threadId, {
      ...nobody,
      drive: (key) =>
        new Promise<void>((done) => {
          const giveUp = this.thread.connect(key, this.others(() => queueMicrotask(() => (giveUp(), done()))));
        }),
      clear: () => this.clear(),
    });
  }

  /** Nobody reads it, and nothing of it is under way. */
  get unused(): boolean {
    return this.queues.size + this.own.size + this.joins + this.waits.size === 0;
  }

  /** Tells the queue what goes on in the thread, from now on. */
  subscribe(queue: ChunkQueue): void {
    this.queues.add(queue);
    this.unfollow ??= this.thread.follow();
    this.unwatch ??= this.connection.watch(() => {
      const { failure } = this.connection;
      if (failure) for (const each of [...this.queues]) each.fail(failure);
    });
  }

  unsubscribe(queue: ChunkQueue): void {
    if (!this.queues.delete(queue) || this.queues.size > 0) return;
    this.unfollow?.();
    this.unwatch?.();
    this.unfollow = this.unwatch = undefined;
  }

  /** The thread as it stands. */
  async hydrate(): Promise<Hydration> {
    const { runId, snapshot, end } = await this.tell();
    const messages = snapshot ? asShown(snapshot) : [];
    this.held.whole = true;
    if (runId === undefined || !snapshot) return { messages, activeRun: null, interrupts: null };
    if (!end) {
      this.joined = runId;
      return { messages, activeRun: { runId }, interrupts: null };
    }
    const open = openAfter(end);
    if (open.length === 0) return { messages, activeRun: null, interrupts: null };
    this.asked = runId;
    return { messages, activeRun: null, interrupts: { runId, pending: bound(open, runId) } };
  }

  /** Whether this run was said to be under way here. */
  knows(runId: string): boolean {
    return this.joined === runId;
  }

  /** The rest of the run under way, from a snapshot on. Begins when it is first read. */
  async *join(runId: string, signal?: AbortSignal): AsyncGenerator<StreamChunk, void, undefined> {
    if (signal?.aborted) return;
    const thread = new AgentThread(this.connection, this.threadId, nobody);
    let ended = false;
    let giveUp: (() => void) | undefined;
    const queue = new ChunkQueue(signal, () => {
      if (signal?.aborted && !ended && this.abort === "stop") thread.stop(runId);
      giveUp?.();
      this.waits.delete(close);
      this.joins--;
      this.settled();
    });
    const close = () => queue.fail(new Closed());
    const give = (chunk: StreamChunk) => {
      ended ||= chunk.type === "RUN_FINISHED" || chunk.type === "RUN_ERROR";
      this.notice(chunk);
      queue.push(chunk);
    };
    // The join tells all of it; what is on its way besides would be told on top.
    this.joins++;
    this.waits.add(close);
    for (const each of this.queues) each.keep((chunk) => chunk.type.startsWith("RUN_"));
    // At once: the chat gives up by itself what does not begin within two seconds, which is not to be taken for a stop.
    give({ type: "RUN_STARTED", threadId: this.threadId, runId } as StreamChunk);
    const chunks = new Chunks({ threadId: this.threadId, runId }, give);
    giveUp = thread.connect(randomUUID(), {
      next: (event) => {
        this.held.fold(event);
        if (event.type !== "RUN_STARTED") chunks.next(event);
      },
      complete: () =>
        queueMicrotask(() => {
          if (!ended) give({ type: "RUN_FINISHED", threadId: this.threadId, runId } as StreamChunk);
          queue.finish();
        }),
      error: (error) => queue.fail(error as Error),
    });
    yield* queue.read();
  }

  /** Asks for a run, and resolves when it has ended and the chat has worked on all of it. */
  async send(sent: Sent): Promise<void> {
    const { signal } = sent;
    if (signal?.aborted) return;
    const own: Own = { begun: false, answers: sent.context.resume !== undefined, messages: [] };
    this.own.add(own);
    let again = false;
    try {
      const input = await this.input(sent, own);
      if (signal?.aborted) return;
      again = await this.run(input, sent, own);
      await Promise.race([Promise.all([...this.queues].map((queue) => queue.drained())), aborted(signal)]);
    } finally {
      this.own.delete(own);
      this.settled(again);
    }
  }

  /** Stops what the chat has last been shown of. */
  stop(): void {
    this.thread.stop(this.running);
  }

  /** Ends what is read of it, and what waits for the server. */
  close(): void {
    for (const end of [...this.waits]) end();
    for (const queue of [...this.queues]) queue.finish();
  }

  private async input({ messages, forwardedProps, context, signal }: Sent, own: Own): Promise<RunAgentInput> {
    // A chat that brings more than a question has it from here, or from a store of its own.
    if (!this.held.whole && messages.length > 1) await Promise.race([this.tell(), aborted(signal)]);
    this.held.whole ||= !signal?.aborted;
    own.messages = this.held.missing(messages);
    const back = context.resume ? undefined : this.held.wentBackTo(messages, own.messages);
    const kept = back === undefined || signal?.aborted ? [] : upTo(back, ((await this.tell()).snapshot?.messages ?? []) as Message[]);
    return outgoing({
      protocolVersion: "1.0",
      threadId: this.threadId,
      runId: context.runId,
      ...(context.parentRunId !== undefined && { parentRunId: context.parentRunId }),
      state: {},
      messages: [...kept, ...own.messages],
      tools: context.clientTools ?? [],
      context: [],
      forwardedProps,
      ...(context.resume && { resume: context.resume }),
    } as RunAgentInput);
  }

  /** Answers whether the chat shows questions that somebody else has answered. */
  private run(input: RunAgentInput, { context, signal }: Sent, own: Own): Promise<boolean> {
    const { runId, resume, parentRunId, clientTools } = context;
    const interruptedRunId = parentRunId ?? this.asked;
    const answers: Answers | undefined =
      resume && interruptedRunId !== undefined
        ? { threadId: this.threadId, interruptedRunId, interruptIds: resume.map((entry) => entry.interruptId) }
        : undefined;
    const chunks = new Chunks(
      {
        threadId: this.threadId,
        runId,
        parentRunId: () => this.asked,
        tools: new Set(clientTools?.map(({ name }) => name)),
        ...(answers && { answers }),
      },
      (chunk) => this.give(chunk),
    );
    return new Promise<boolean>((resolve, reject) => {
      let muted = false;
      let ended = false;
      let again = false;
      const onAbort = () => {
        muted = true;
        if (this.abort === "stop") this.thread.stop(runId);
        else giveUp();
        resolve(false);
      };
      const close = () => over(() => reject(new Closed()));
      const over = (settle: () => void) => {
        this.waits.delete(close);
        signal?.removeEventListener("abort", onAbort);
        // Behind what a snapshot still holds back.
        queueMicrotask(() => {
          giveUp();
          settle();
        });
      };
      const giveUp = this.thread.run(input, {
        next: (event) => {
          if (muted) return;
          if (event.type === "RUN_STARTED") {
            own.begun = true;
            this.held.add(own.messages);
          }
          again ||= ANSWERED_ELSEWHERE.has(String(event.code));
          ended ||= isTerminal(event);
          this.held.fold(event);
          chunks.next(event);
        },
        complete: () =>
          over(() => (muted || ended ? resolve(again) : reject(new TransportError("run_cut_short", "the end of the run was not told")))),
        error: (error) => over(() => (muted ? resolve(false) : reject(error as Error))),
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.waits.add(close);
    });
  }

  /** Where the events of a run go that others have begun, or of a thread that is told anew. */
  private others(done: () => void): Sink {
    let started: WireEvent | undefined;
    let hidden = false;
    let shown = false;
    let ended = false;
    const chunks = new Chunks(
      {
        threadId: this.threadId,
        parentRunId: () => this.asked,
        unlogged: () => this.unlogged(),
        retell: () => queueMicrotask(() => this.follow()),
      },
      (chunk) => {
        if (this.joins === 0) this.give(chunk);
      },
    );
    const reveal = () => {
      if (hidden) this.hidden--;
      hidden = false;
    };
    const over = () => {
      reveal();
      // Others have no part in its end any more.
      if (shown && !ended) queueMicrotask(() => this.end(started));
      done();
    };
    return {
      next: (event) => {
        if (event.type === "RUN_STARTED") started = event;
        this.held.fold(event);
        ended ||= isTerminal(event);
        if (!hidden && this.hides(event)) {
          hidden = true;
          this.hidden++;
          if (shown && this.joins === 0) this.end(started);
          shown = false;
        } else if (hidden && event.type === "MESSAGES_SNAPSHOT" && !this.hides(event) && !this.answering) {
          reveal();
          if (started) chunks.next({ ...started, input: undefined } as WireEvent);
        }
        if (hidden) {
          if (ended) reveal();
          hidden &&= !ended;
          return;
        }
        shown = true;
        chunks.next(event);
      },
      complete: over,
      error: over,
    };
  }

  /** What the chat is told by a run of its own, or by one that it has joined, it is not told twice. */
  private hides(event: WireEvent): boolean {
    if (this.joins > 0) return true;
    const restated = (event.metadata as { aguiws?: { restated?: boolean } } | undefined)?.aguiws?.restated === true;
    return [...this.own].some((own) => own.begun || restated);
  }

  /** Told again, a question would take the place of the one that is being answered, and a refusal would find that no more. */
  private get answering(): boolean {
    return [...this.own].some((own) => own.answers && !own.begun);
  }

  private settled(again = false): void {
    if (this.own.size === 0 && this.joins === 0 && (again || this.hidden > 0)) this.follow();
  }

  /** Has the thread told anew to who follows it. */
  private follow(): void {
    if (this.queues.size === 0) return;
    const before = this.unfollow;
    this.unfollow = this.thread.follow();
    before?.();
  }

  private tell(): Promise<Told> {
    return new Promise((resolve, reject) => {
      const thread = new AgentThread(this.connection, this.threadId, nobody);
      const told: Told = {};
      const done = () =>
        queueMicrotask(() => {
          this.waits.delete(close);
          giveUp();
          resolve(told);
        });
      const fail = (error: Error) => {
        this.waits.delete(close);
        giveUp();
        reject(error);
      };
      const close = () => fail(new Closed());
      this.waits.add(close);
      const giveUp = thread.connect(randomUUID(), {
        next: (event) => {
          if (event.type === "RUN_STARTED") told.runId = String(event.runId);
          if (isTerminal(event)) told.end = event;
          if (event.type !== "MESSAGES_SNAPSHOT") return;
          told.snapshot = event;
          this.held.fold(event);
          done();
        },
        complete: done,
        error: (error) => fail(error as Error),
      });
    });
  }

  private end(started: WireEvent | undefined): void {
    if (started) this.give({ type: "RUN_FINISHED", threadId: this.threadId, runId: started.runId } as unknown as StreamChunk);
  }

  /** The thread was deleted. */
  private clear(): void {
    this.held.fold({ type: "MESSAGES_SNAPSHOT", messages: [] } as unknown as WireEvent);
    this.give({ type: "MESSAGES_SNAPSHOT", messages: this.unlogged() } as unknown as StreamChunk);
  }

  /** What the chat has said and no snapshot can have yet. */
  private unlogged(): Message[] {
    return [...this.own].flatMap((own) => (own.begun ? [] : own.messages));
  }

  private give(chunk: StreamChunk): void {
    this.notice(chunk);
    for (const queue of [...this.queues]) queue.push({ ...chunk });
  }

  private notice(chunk: StreamChunk): void {
    if (chunk.type === "RUN_STARTED") this.running = chunk.runId;
    if (chunk.type === "RUN_FINISHED") this.asked = chunk.outcome?.type === "interrupt" ? chunk.runId : undefined;
  }
}

/** What waits for a connection that its owner has closed is told so. */
class Closed extends TransportError {
  constructor() {
    super("closed", "the connection was closed");
  }
}

/** Of a thread that is only listened to. */
const nobody: ThreadOwner = {
  drive: () => Promise.resolve(),
  reserve: () => {},
  release: () => {},
  idle: true,
  messages: () => [],
  precede: () => {},
  clear: () => {},
  setPendingInterrupts: () => {},
};

/** A snapshot's messages as the chat makes them of it in a run. */
function asShown(snapshot: WireEvent): UIMessage[] {
  const processor = new StreamProcessor();
  const chunks = new Chunks({ threadId: "" }, (chunk) => processor.processChunk(chunk));
  chunks.next(snapshot);
  chunks.flush();
  return processor.getMessages();
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
