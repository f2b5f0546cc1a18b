// Positions are counted, not carried: the server says where a stream starts, and every event frame after
// that is the next one.

/** A place in a thread's log. */
export interface Position {
  epoch: string;
  seq: number;
}

/** What to do with an event frame that has just been counted. */
export type Verdict = "apply" | "ignore" | "gap";

/**
 * Cursor counts the event frames of one thread on one socket, and remembers up to where they were applied.
 * The two differ after a second attach, when the server sends again what is already held.
 */
export class Cursor {
  private wire?: Position;
  private applied?: Position;

  /** The position up to which everything was applied; undefined when nothing is held. */
  get held(): Position | undefined {
    return this.applied && { ...this.applied };
  }

  /** The next event frame has position seq + 1. */
  base(epoch: string, seq: number): void {
    this.wire = { epoch, seq };
  }

  /** The socket is gone: what was applied is still held. */
  unbase(): void {
    this.wire = undefined;
  }

  /** Everything up to this position is held, by a restatement rather than by events. */
  hold(position: Position): void {
    this.applied = { ...position };
    this.wire = { ...position };
  }

  /** Nothing is held any more. */
  forget(): void {
    this.applied = undefined;
  }

  /** Counts one event frame. The first one ever counted is where holding begins. */
  count(): Verdict {
    if (!this.wire) return "ignore";
    this.wire.seq++;
    if (!this.applied) {
      this.applied = { ...this.wire };
      return "apply";
    }
    if (this.wire.epoch !== this.applied.epoch) return "gap";
    if (this.wire.seq <= this.applied.seq) return "ignore";
    if (this.wire.seq > this.applied.seq + 1) return "gap";
    this.applied.seq++;
    return "apply";
  }

  /** Whether the server has written more to this socket than was counted here. */
  isBehind(seq: number): boolean {
    return this.applied !== undefined && this.applied.seq < seq;
  }
}
