// Waiting between attempts: exponential with full jitter, so that the tabs of a restarted server do not
// come back together. Somebody may be looking on at first, so that a wait may be kept short for a while.

export interface BackoffOptions {
  /** Upper bound of the first wait, in milliseconds. Default 250. */
  baseMs?: number;
  /** Upper bound of every wait, in milliseconds. Default 15,000. A connection waits 2,000 at most for its first 30 s. */
  capMs?: number;
  /** Source of randomness in [0, 1). Default Math.random. */
  random?: () => number;
}

/** Bounds the waits of the first `forMs` after a success by `capMs`, in milliseconds. */
export interface Early {
  forMs: number;
  capMs: number;
}

export class Backoff {
  /** The last wait's upper bound; 0 after a success. */
  private bound = 0;
  private since = 0;

  constructor(
    private readonly options: BackoffOptions = {},
    private readonly early?: Early,
  ) {}

  /** How long to wait before the next attempt, in milliseconds. */
  next(): number {
    const { baseMs = 250, capMs = 15_000, random = Math.random } = this.options;
    if (this.bound === 0) this.since = Date.now();
    const early = this.early && Date.now() - this.since < this.early.forMs;
    const most = early ? Math.min(capMs, Math.max(baseMs, this.early!.capMs)) : capMs;
    this.bound = Math.min(most, this.bound * 2 || baseMs);
    return Math.floor(random() * this.bound);
  }

  /** The last attempt succeeded. */
  reset(): void {
    this.bound = 0;
  }
}
