// One run's events on their way into an Observable: the place where a restatement is spliced into a run that is
// already open at the client.

import { isTerminal, type WireEvent } from "./frames.js";
import { OpenItems } from "./openitems.js";

/** Where a pipeline's events go: an rxjs Subscriber, or a buffer until there is one. */
export interface Sink {
  next(event: WireEvent): void;
  complete(): void;
  error(error: unknown): void;
}

/**
 * Pipeline delivers the events of one run to a sink and ends it with the run's terminal event. It is not told
 * positions: whoever feeds it has counted already.
 */
export class Pipeline {
  /** The run whose events these are, once they have begun. */
  runId?: string;
  private delivered = false;
  private begun = false;
  private over = false;
  private readonly open = new OpenItems();
  private endHeld = false;

  /**
   * `begins` is called before the first event; `requestedRunId` is what the run is called towards the sink, whatever
   * the log calls it.
   */
  constructor(
    private readonly sink: Sink,
    private readonly begins: () => void,
    private readonly requestedRunId?: string,
  ) {}

  get started(): boolean {
    return this.begun;
  }

  get ended(): boolean {
    return this.over;
  }

  /** Delivers one event. Events after the end are dropped. */
  push(event: WireEvent): void {
    if (this.over) return;
    if (event.type === "RUN_STARTED") {
      if (this.begun) {
        this.beginAgain();
        return;
      }
      this.begun = true;
      this.runId = String(event.runId);
    }
    // A subagent's id cannot be used twice in one run; its attributed events are legal without it.
    if (this.open.concernsEndedSubagent(event)) return;
    this.open.fold(event);
    if (!this.delivered) this.begins();
    this.delivered = true;
    this.sink.next(this.named(event));
    if (isTerminal(event)) this.end();
  }

  /**
   * Delivers a restatement. Into a pipeline that has not begun it goes as it is. Into an open one it goes without
   * its RUN_STARTED: what is no longer open is ended, the snapshots replace what was missed, and what is open on
   * both sides is not opened again.
   */
  restate(events: WireEvent[]): void {
    if (!this.begun) {
      for (const event of events) this.push(event);
      return;
    }
    for (const event of this.open.closingsExcept(events)) this.push(event);
    for (const event of events) {
      if (event.type === "RUN_STARTED" || (OpenItems.opens(event) && this.open.has(event))) continue;
      this.push(event);
    }
  }

  /** Keeps the sink open past the terminal event, until `releaseEnd`. */
  holdEnd(): void {
    this.endHeld = true;
  }

  releaseEnd(): void {
    if (!this.endHeld) return;
    this.endHeld = false;
    if (this.over) this.sink.complete();
  }

  /** Ends without a terminal event: the rest of the run will be told elsewhere. */
  finish(): void {
    if (this.over) return;
    this.over = true;
    this.sink.complete();
  }

  /**
   * Ends as failed. Deferred by a macrotask: the reducer of @ag-ui/client works asynchronously and forgets what
   * is queued when an error overtakes it.
   */
  fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    setTimeout(() => this.sink.error(error), 0);
  }

  /** The server had forgotten the run and does it anew: to the sink it is still the same one. */
  private beginAgain(): void {
    for (const event of this.open.closingsExcept([])) this.push(event);
  }

  private end(): void {
    this.over = true;
    if (!this.endHeld) this.sink.complete();
  }

  private named(event: WireEvent): WireEvent {
    if (this.requestedRunId === undefined || event.runId === this.requestedRunId) return event;
    if (event.type !== "RUN_STARTED" && event.type !== "RUN_FINISHED") return event;
    return { ...event, runId: this.requestedRunId } as WireEvent;
  }
}

/** Buffer holds a pipeline's events until a subscriber takes them. */
export class Buffer implements Sink {
  private held: Array<(sink: Sink) => void> = [];
  private sink?: Sink;

  next(event: WireEvent): void {
    this.give((sink) => sink.next(event));
  }

  complete(): void {
    this.give((sink) => sink.complete());
  }

  error(error: unknown): void {
    this.give((sink) => sink.error(error));
  }

  /** Hands over what was held, then everything as it comes. */
  drainTo(sink: Sink): void {
    this.sink = sink;
    const held = this.held;
    this.held = [];
    for (const item of held) item(sink);
  }

  private give(item: (sink: Sink) => void): void {
    if (this.sink) item(this.sink);
    else this.held.push(item);
  }
}
