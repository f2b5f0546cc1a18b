// One thread on one connection: which position is held, attaching, and telling restatements from answers and from
// the log's own events.

import { Cursor, type Position } from "./cursor.js";
import type { TransportError } from "./errors.js";
import type { Message } from "@ag-ui/client";
import type { Attached, ControlFrame, ErrorFrame, RunAnswer, StreamFrame, WireEvent } from "./frames.js";
import type { ConnectionState } from "./options.js";
import { Window } from "./window.js";

/** A thread as it is at a position, told by snapshots in the form of one run. No events: nothing has run yet. */
export interface Restatement {
  events: WireEvent[];
  attached: Attached;
  /** The position was held already: it says nothing new to whoever applied the events up to it. */
  redundant: boolean;
}

/** What a feed tells. Calls come in the order of the wire, never from inside a call into the feed. */
export interface FeedListener {
  /** The next event of the log. */
  counted(event: WireEvent): void;
  restated(restatement: Restatement): void;
  attached(frame: Attached): void;
  /** Messages that stand before those that were told. */
  preceded(messages: Message[]): void;
  /** How an input was taken. */
  answered(frame: RunAnswer): void;
  /** Events of one requested run that are not the log's: a refusal, or a run told again. */
  answer(runId: string, events: WireEvent[]): void;
  /** The server's store answers again. */
  storeIsBack(): void;
  /** The socket is up and nothing is missing: what was sent on an earlier socket may be sent again. */
  caughtUp(): void;
  /** A frame with this id was refused; undefined when the refusal names none. */
  refused(id: string | undefined, code: string, message: string, retryAfterMs?: number): void;
  /** An answer to `cancel`: the run has been stopped, or had ended, or is unknown. */
  cancelled(runId: string): void;
  lost(): void;
  /** The thread was deleted, and all that was open in it. */
  deleted(reason: string): void;
  failed(error: TransportError): void;
}

/** What a feed needs of the connection that carries it. */
export interface Carrier {
  readonly state: ConnectionState;
  /** False while the server says that its store does not answer. */
  readonly storeAvailable: boolean;
  /** How many messages a thread is told with; undefined for all. */
  readonly window?: number;
  /** Keeps the socket open until the returned function is called. */
  use(): () => void;
  /** Sends a frame; false when there is no socket that has greeted. */
  send(frame: object): boolean;
  /** An id to recognise an answer by. */
  id(): string;
  /** The feed has nobody left. */
  drops(feed: Feed): void;
}

/** How long to wait before an attach that was refused for now is tried again, where the server does not say. */
const RETRY_ATTACH_MS = 1_000;
/** The same, while the server says that its store does not answer; it says when it does. */
const RETRY_ATTACH_DOWN_MS = 5_000;
const FOR_NOW = new Set(["rate_limited", "store_unavailable", "server_draining"]);

export class Feed {
  private readonly cursor = new Cursor();
  private readonly window = new Window();
  private pageId?: string;
  private readonly listeners = new Set<FeedListener>();
  private release?: () => void;
  private wanted = false;
  private freshWanted = false;
  private attachId?: string;
  private restating?: { attached: Attached; events: WireEvent[] };
  private answering?: string;
  private readonly asked = new Set<string>();
  private attachLater = false;
  private retryAttach?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly carrier: Carrier,
    readonly threadId: string,
  ) {}

  /** The position up to which everything was given to the listeners. */
  get position(): Position | undefined {
    return this.cursor.held;
  }

  /** How many messages stand before those that were told. */
  get older(): number {
    return this.window.left?.older ?? 0;
  }

  /** Whether the socket delivers what follows the held position. */
  private get settled(): boolean {
    return this.carrier.state === "connected" && this.attachId === undefined && !this.restating;
  }

  join(listener: FeedListener): void {
    this.listeners.add(listener);
    this.release ??= this.carrier.use();
  }

  /** The last one to leave detaches the thread. */
  leave(listener: FeedListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return;
    if (this.wanted) this.carrier.send({ type: "ws.detach", threadId: this.threadId, id: this.carrier.id() });
    clearTimeout(this.retryAttach);
    this.carrier.drops(this);
    this.release?.();
    this.release = undefined;
  }

  /** Follows the thread from the held position, or, `fresh`, from a restatement. Now, or as soon as there is a socket. */
  attach(fresh = false): void {
    this.wanted = true;
    if (fresh) this.freshWanted = true;
    if (this.carrier.state !== "connected") return;
    clearTimeout(this.retryAttach);
    this.attachLater = false;
    const after = this.freshWanted ? undefined : this.cursor.held;
    const id = this.carrier.id();
    const { window } = this.carrier;
    if (this.carrier.send({ type: "ws.attach", id, threadId: this.threadId, ...(after && { after }), ...(window && { window }) })) {
      this.attachId = id;
    }
  }

  /** What was built from the events is gone: the next attach is from a restatement, whenever it comes. */
  forget(): void {
    this.freshWanted = true;
  }

  /** Asks for messages before those that were told; false when there are none, or it is asked already, or there is no socket. */
  askOlder(limit?: number): boolean {
    const left = this.window.left;
    if (!left || !this.settled || this.pageId !== undefined) return false;
    const id = this.carrier.id();
    const { before } = left;
    if (!this.carrier.send({ type: "ws.messages", id, threadId: this.threadId, ...(before !== undefined && { before }), ...(limit && { limit }) })) return false;
    this.pageId = id;
    return true;
  }

  /** Asks to stop a run; see `ask`. */
  cancel(runId: string): string | undefined {
    return this.ask({ type: "ws.cancel", threadId: this.threadId, runId });
  }

  /** Sends a frame under an id that a refusal of it will name, and answers the id; undefined when there is no socket. */
  ask(frame: object): string | undefined {
    const id = this.carrier.id();
    if (!this.carrier.send({ ...frame, id })) return undefined;
    this.asked.add(id);
    return id;
  }

  // What follows is called by the connection.

  connected(): void {
    if (this.wanted) this.attach();
    else this.tell((listener) => listener.caughtUp());
  }

  lost(): void {
    this.cursor.unbase();
    this.attachId = this.restating = this.answering = this.pageId = undefined;
    this.asked.clear();
    clearTimeout(this.retryAttach);
    this.tell((listener) => listener.lost());
  }

  failed(error: TransportError): void {
    this.tell((listener) => listener.failed(error));
  }

  storeIsBack(): void {
    if (this.attachLater) this.attach();
    this.tell((listener) => listener.storeIsBack());
  }

  stream(frame: StreamFrame): void {
    this.cursor.base(frame.epoch, frame.seq);
  }

  counted(event: WireEvent): void {
    this.finishRestating();
    const verdict = this.cursor.count();
    if (verdict === "apply") {
      const told = this.window.cut(event);
      this.tell((listener) => listener.counted(told));
    }
    else if (verdict === "gap" && this.attachId === undefined) this.attach();
  }

  uncounted(all: WireEvent[]): void {
    const [first] = all;
    if (!first) return;
    const answering = this.answering;
    const events = this.restating && answering === undefined ? all : all.map((event) => this.window.cut(event));
    if (answering !== undefined && (first.type === "RUN_ERROR" || first.runId === answering)) {
      this.answering = undefined;
      this.tell((listener) => listener.answer(answering, events));
    } else if (this.restating) {
      this.restating.events.push(...events);
    } else if (typeof first.runId === "string") {
      const runId = first.runId;
      this.tell((listener) => listener.answer(runId, events));
    }
  }

  writtenUpTo(seq: number): void {
    if (this.wanted && this.settled && this.cursor.isBehind(seq)) this.attach();
  }

  control(frame: ControlFrame): void {
    switch (frame.type) {
      case "ws.run":
        this.answering =
          frame.disposition === "repeat" || frame.disposition === "refused" ? frame.runId : undefined;
        // An accepted input attaches the socket, so after a loss it is this position that counts.
        if (frame.disposition !== "refused") this.wanted = true;
        if (frame.id !== undefined) this.asked.delete(frame.id);
        this.tell((listener) => listener.answered(frame));
        return;
      case "ws.cancelled":
        if (frame.id !== undefined) this.asked.delete(frame.id);
        this.tell((listener) => listener.cancelled(frame.runId));
        return;
      case "ws.attached":
        this.answering = undefined;
        if (frame.id === undefined || frame.id === this.attachId) this.attachId = undefined;
        if (frame.recovered) this.cursor.base(frame.epoch, frame.seq);
        else this.restating = { attached: frame, events: [] };
        this.tell((listener) => listener.attached(frame));
        return;
      case "ws.messages":
        if (frame.id === undefined || frame.id !== this.pageId) return;
        this.pageId = undefined;
        this.window.precede(frame.messages, frame.older ?? 0, frame.before);
        this.tell((listener) => listener.preceded(frame.messages));
        return;
      case "ws.live":
        this.finishRestating();
        if (this.attachId !== undefined) return;
        if (this.cursor.isBehind(frame.seq)) this.attach();
        else this.tell((listener) => listener.caughtUp());
        return;
      case "ws.detached":
        // Answers to our own carry an id; without one the thread is gone.
        if (frame.id !== undefined) return;
        this.cursor.forget();
        this.tell((listener) => listener.deleted("the thread was deleted"));
    }
  }

  /** Answers whether the refusal was about this thread. */
  refusal(frame: ErrorFrame): boolean {
    if (frame.id !== undefined && frame.id === this.pageId) {
      this.pageId = undefined;
      console.warn(`[aguiws] older messages: ${frame.code}: ${frame.message}`);
      return true;
    }
    if (frame.id !== undefined && frame.id === this.attachId) {
      this.attachId = undefined;
      if (FOR_NOW.has(frame.code)) {
        this.attachLater = true;
        const wait = this.carrier.storeAvailable ? RETRY_ATTACH_MS : RETRY_ATTACH_DOWN_MS;
        this.retryAttach = setTimeout(() => this.attach(), frame.retryAfterMs ?? wait);
        return true;
      }
    } else if (frame.id !== undefined ? !this.asked.has(frame.id) : frame.threadId !== this.threadId) {
      return false;
    }
    this.tell((listener) => listener.refused(frame.id, frame.code, frame.message, frame.retryAfterMs));
    return true;
  }

  private finishRestating(): void {
    const restating = this.restating;
    if (!restating) return;
    this.restating = undefined;
    this.freshWanted = false;
    this.pageId = undefined;
    const { attached, events } = restating;
    this.window.told(attached, events);
    const held = this.cursor.held;
    const redundant = held !== undefined && held.epoch === attached.epoch && held.seq === attached.seq;
    this.cursor.hold({ epoch: attached.epoch, seq: attached.seq });
    this.tell((listener) => listener.restated({ events, attached, redundant }));
  }

  private tell(call: (listener: FeedListener) => void): void {
    for (const listener of [...this.listeners]) call(listener);
  }
}
