// Work that nobody waits for.

/** So many times as long as something took, nothing is done: the page has that for itself. */
const REST = 3;

/** Does one thing at a time, what was asked for last first: it has just come into sight. */
export class Spare {
  private readonly waiting: Array<() => void> = [];
  private underWay = false;

  constructor(
    private readonly now: () => number,
    private readonly later: (run: () => void, ms: number) => void,
  ) {}

  /** Does it some time; what is returned says that it is not wanted any more. What fails is left. */
  ask(work: () => void): () => void {
    this.waiting.push(work);
    if (!this.underWay) this.goOn(0);
    return () => {
      const at = this.waiting.lastIndexOf(work);
      if (at >= 0) this.waiting.splice(at, 1);
    };
  }

  private goOn(ms: number): void {
    this.underWay = true;
    this.later(() => {
      this.underWay = false;
      const began = this.now();
      try {
        this.waiting.pop()?.();
      } catch {
        // The next one may do.
      }
      const took = this.now() - began;
      if (this.waiting.length > 0 || took > 0) this.goOn(took * REST);
    }, ms);
  }
}

export const spare = new Spare(
  () => performance.now(),
  (run, ms) => void setTimeout(run, ms),
);
