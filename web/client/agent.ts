// WebSocketAgent: an agent of @ag-ui/client whose runs travel over the WebSocket binding.

import {
  AbstractAgent,
  randomUUID,
  type AgentCapabilities,
  type AgentConfig,
  type AgentStateMutation,
  type AgentSubscriber,
  type BaseEvent,
  type defaultApplyEvents,
  type Interrupt,
  type RunAgentInput,
  type RunAgentParameters,
  type RunAgentResult,
} from "@ag-ui/client";
import { Observable } from "rxjs";
import type { Connection } from "./connection.js";
import type { Position } from "./cursor.js";
import { AbortedBeforeSending } from "./errors.js";
import { Fold } from "./fold.js";
import { ReducerQueue } from "./reducerqueue.js";
import type { ConnectionOptions } from "./options.js";
import { inSnapshotOrder, withBefore, withLast } from "./order.js";
import { outgoing } from "./outgoing.js";
import type { ThreadOwner } from "./owner.js";
import type { Sink } from "./pipeline.js";
import { connectionFor } from "./shared.js";
import type { ThreadStatus } from "./status.js";
import { AgentThread } from "./thread.js";
import { Underway } from "./underway.js";

export interface WebSocketAgentConfig extends AgentConfig, ConnectionOptions {
  /**
   * What `abortRun` means: `stop` cancels the run at the server, `detach` only gives up its events. Frontends that
   * abort when they unmount want `detach`. Default `stop`.
   */
  abort?: "stop" | "detach";
  /**
   * What a run means that answers none of the open questions. `refuse`: it rejects and nothing is sent, as
   * @ag-ui/client has it. `cancel`: it cancels them, so that whoever writes another message steers away; for frontends
   * that cannot say so, such as CopilotKit's. Default `refuse`.
   */
  unanswered?: "refuse" | "cancel";
  /** Use this connection instead of the page's shared one. */
  connection?: Connection;
}

// The Observables of the base class, by way of @ag-ui/client: an application may have another rxjs than that.
type Events = ReturnType<AbstractAgent["run"]>;
type Mutations = ReturnType<typeof defaultApplyEvents>;

type Behaviour = Required<Pick<WebSocketAgentConfig, "abort" | "unanswered">>;

/** Everything of an instance's own. One member, because a clone is made without running the constructor. */
interface Parts {
  connection: Connection;
  behaviour: Behaviour;
  reducers: ReducerQueue;
  threads: Map<string, AgentThread>;
  underway: Underway;
}

/**
 * WebSocketAgent runs, connects and follows over one socket shared with the page's other agents.
 *
 * A lost socket is invisible to subscribers: the run's Observable goes on where it was, or is spliced with snapshots.
 * It ends with the run's terminal event; giving up its subscription detaches and stops nothing. `connectAgent`
 * completes when the thread is at rest. A refusal before the run is a RUN_ERROR; what cannot be said in a stream (no
 * server, no permission, an unreadable input) rejects with a TransportError.
 */
export class WebSocketAgent extends AbstractAgent {
  private parts: Parts;

  constructor(config: WebSocketAgentConfig) {
    super(config);
    const { abort = "stop", unanswered = "refuse" } = config;
    this.parts = this.makeParts(config.connection ?? connectionFor(config), { abort, unanswered });
  }

  /** The peer speaks what this package's client speaks. A literal: the base constructor reads it. */
  override get maxProtocolVersion(): string {
    return "1.0.0";
  }

  /** The socket's owner: its state, its greeting, closing it. */
  get connection(): Connection {
    return this.parts.connection;
  }

  override run(input: RunAgentInput): Events {
    // All of it at subscription, where a throw is the run's failure and not the caller's.
    return new Observable<BaseEvent>((subscriber) => {
      if (!this.parts.underway.begins(input.runId)) {
        subscriber.error(new AbortedBeforeSending());
        return;
      }
      return this.thread(input.threadId).run(outgoing(input), subscriber as unknown as Sink);
    });
  }

  protected override connect(input: RunAgentInput): Events {
    return new Observable<BaseEvent>((subscriber) => {
      if (!this.parts.underway.begins(input.runId)) {
        subscriber.complete();
        return;
      }
      return this.thread(input.threadId).connect(input.runId, subscriber as unknown as Sink);
    });
  }

  override runAgent(parameters?: RunAgentParameters, subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    const runId = parameters?.runId || randomUUID();
    return this.parts.underway.trackOwn(runId, false, super.runAgent({ ...parameters, runId }, subscriber));
  }

  /** Interrupts held from another thread, or from before, do not stand in the way: the thread says which are open. */
  override connectAgent(parameters?: RunAgentParameters, subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    this.pendingInterrupts = [];
    const runId = parameters?.runId || randomUUID();
    return this.parts.underway.trackOwn(runId, true, super.connectAgent({ ...parameters, runId }, subscriber));
  }

  /** Stops this agent's latest run, else the one in progress on its thread; see the option `abort`. */
  override abortRun(): void {
    if (this.parts.behaviour.abort === "stop") this.stopRun();
    else void this.detachActiveRun();
  }

  /**
   * Stops a run of this agent's thread, active or queued, begun by anybody. Without a socket the server is told when there
   * is one again.
   */
  stopRun(runId?: string): void {
    if (!this.parts.underway.takeBack(runId)) this.thread(this.threadId).stop(runId);
  }

  /**
   * Gives up the events of this instance's own runs and waits for its pipelines to end. A run that has not begun is
   * left to begin, so that what it asks is not lost. A follow goes on.
   */
  override async detachActiveRun(): Promise<void> {
    const { underway, threads } = this.parts;
    const ends = underway.giveUp();
    for (const thread of threads.values()) thread.detach();
    await Promise.allSettled(ends);
  }

  /**
   * Keeps messages, state and pending interrupts up to date with runs begun by anybody: other tabs, other agents,
   * the server. Each foreign run goes through `connectAgent`, so subscribers see it like one of their own. It is about
   * the thread that the agent has at the call: end it, with the returned function, before giving the agent another.
   * Throws nothing; failures are in the status.
   */
  follow(): () => void {
    return this.thread(this.threadId).follow();
  }

  /**
   * Asks for messages before those that are held, `limit` at most; `status.older` says how many there are. They come into
   * `messages` as soon as no run is under way here. Answers false when there are none, when it is asked already, and while
   * there is no socket that follows the thread.
   */
  older(limit?: number): boolean {
    return this.thread(this.threadId).askOlder(limit);
  }

  /** What a page shows beside the messages; another object after every change. */
  get status(): ThreadStatus {
    const { connection } = this.parts;
    const status = this.thread(this.threadId).status.value;
    const { state, hello, storeAvailable } = connection;
    if (status.connection === state && status.hello === hello && status.storeAvailable === storeAvailable) return status;
    const store = this.thread(this.threadId).status;
    store.refresh({ connection: state, hello, storeAvailable });
    return store.value;
  }

  /** Up to where the thread's log is held here; undefined before anything is. */
  get position(): Position | undefined {
    return this.thread(this.threadId).position;
  }

  /** Calls `watcher` after every change of `status`. */
  watchStatus(watcher: () => void): () => void {
    const unwatch = [this.thread(this.threadId).status.watch(watcher), this.parts.connection.watch(watcher)];
    return () => unwatch.forEach((call) => call());
  }

  /** What the server declares, from its greeting; connects if need be. */
  override async getCapabilities(): Promise<AgentCapabilities> {
    return (await this.parts.connection.greeting()).capabilities ?? {};
  }

  /** Called by CopilotKit before it clears what it holds of a thread. */
  clearReconnectCursor(threadId: string): void {
    this.thread(threadId).forget();
  }

  /** A copy with its own threads and runs on the same socket. */
  override clone(): WebSocketAgent {
    const cloned = super.clone() as WebSocketAgent;
    cloned.parts = cloned.makeParts(this.parts.connection, this.parts.behaviour);
    cloned.isRunning = false;
    return cloned;
  }

  /** The client's own checks of an input, before any subscriber hears of it. */
  protected override onInitialize(input: RunAgentInput, subscribers: AgentSubscriber[]): Promise<void> {
    const held = this.pendingInterrupts;
    if (held.length > 0 && input.resume === undefined && this.parts.behaviour.unanswered === "cancel") {
      input.resume = held.map(({ id }) => ({ interruptId: id, status: "cancelled" as const }));
    }
    // 0.0.59 refuses to give up what has expired, so that nothing could ever be done on that thread again.
    const cancelled = new Set(input.resume?.filter((entry) => entry.status === "cancelled").map((entry) => entry.interruptId));
    // The server cancels what has expired, all of it, when a new message comes, and judges whether one has.
    const over = input.resume === undefined && held.every(({ expiresAt }) => Date.parse(expiresAt ?? "") <= Date.now());
    this.pendingInterrupts = over ? [] : held.filter(({ id }) => !cancelled.has(id));
    try {
      return super.onInitialize(input, subscribers);
    } finally {
      this.pendingInterrupts = held;
    }
  }

  protected override apply(input: RunAgentInput, events$: Events, subscribers: AgentSubscriber[]): Mutations {
    return this.parts.reducers.reduce(
      input.runId,
      events$,
      (own$) => {
        const fold = new Fold(this.messages);
        const told = [ordering, ...subscribers].map((subscriber) => fold.telling(subscriber));
        // The state may have moved since the input was made.
        const mutations$ = super.apply({ ...input, state: this.state }, own$, [fold.first, ...told]);
        return new Observable<AgentStateMutation>((out) =>
          mutations$.subscribe({ next: (mutation) => out.next(fold.whole(mutation)), error: (error) => out.error(error), complete: () => out.complete() }),
        ) as unknown as Mutations;
      },
      () => this.thread(input.threadId).settle(),
    );
  }

  private makeParts(connection: Connection, behaviour: Behaviour): Parts {
    const underway = new Underway((running) => (this.isRunning = running));
    return { connection, behaviour, reducers: new ReducerQueue(), threads: new Map(), underway };
  }

  private thread(threadId: string): AgentThread {
    let thread = this.parts.threads.get(threadId);
    if (!thread) {
      thread = new AgentThread(this.parts.connection, threadId, this.ownerOf(threadId));
      this.parts.threads.set(threadId, thread);
    }
    return thread;
  }

  private ownerOf(threadId: string): ThreadOwner {
    const { reducers, underway } = this.parts;
    return {
      drive: (key) => {
        // The agent shows another thread now: what this one does is not for it.
        if (this.threadId !== threadId) return Promise.resolve();
        // A run that others have begun can only have begun because what was open is answered.
        this.pendingInterrupts = [];
        return underway.track(super.connectAgent({ runId: key }));
      },
      reserve: (key) => reducers.reserve(key),
      release: (key) => reducers.release(key),
      get idle() {
        return reducers.idle;
      },
      messages: () => (this.threadId === threadId ? this.messages : []),
      precede: (messages) => {
        if (this.threadId !== threadId) return;
        this.setMessages(withBefore(this.messages, messages));
      },
      clear: () => {
        if (this.threadId !== threadId) return;
        this.setMessages([]);
        this.setState({});
      },
      setPendingInterrupts: (_, interrupts: Interrupt[]) => {
        if (this.threadId === threadId) this.pendingInterrupts = interrupts;
      },
    };
  }
}

/** Comes before every other subscriber, so that all of them see messages in the thread's order. */
const ordering: AgentSubscriber = {
  onRunStartedEvent: ({ event, messages }) => {
    const moved = withLast(messages, event.input?.messages ?? []);
    return moved && { messages: moved };
  },
  onMessagesSnapshotEvent: ({ event, messages }) => ({ messages: inSnapshotOrder(messages, event.messages) }),
};
