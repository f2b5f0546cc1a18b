// Waiting between attempts: exponential with full jitter, so that the tabs of a restarted server do not
// come back together.

export interface BackoffOptions {
  /** Upper bound of the first wait, in milliseconds. Default 250. */
  baseMs?: number;
  /** Upper bound of every wait, in milliseconds. Default 15,000. */
  capMs?: number;
  /** Source of randomness in [0, 1). Default Math.random. */
  random?: () => number;
}

export class Backoff {
  private attempt = 0;

  constructor(private readonly options: BackoffOptions = {}) {}

  /** How long to wait before the next attempt, in milliseconds. */
  next(): number {
    const { baseMs = 250, capMs = 15_000, random = Math.random } = this.options;
    const bound = Math.min(capMs, baseMs * 2 ** Math.min(this.attempt++, 30));
    return Math.floor(random() * bound);
  }

  /** The last attempt succeeded. */
  reset(): void {
    this.attempt = 0;
  }
}
