// What an agent is at work on: the promises of its runs and connects, its owner's among them.

/** A run or a connect that the agent's owner has begun. */
interface Work {
  connects: boolean;
  settled: Promise<unknown>;
  /** Its Observable was subscribed to. Before that there is nothing to give up. */
  begun: boolean;
  givenUp: boolean;
}

export class Underway {
  private readonly running = new Set<Promise<unknown>>();
  /** By the runId of the input. */
  private readonly own = new Map<string, Work>();

  /** `changed` hears, after each end, whether anything is still at work. */
  constructor(private readonly changed: (running: boolean) => void) {}

  /** Counts as work until it has ended. */
  track<T>(promise: Promise<T>): Promise<T> {
    const settled = promise.finally(() => {
      this.running.delete(settled);
      this.changed(this.running.size > 0);
    });
    this.running.add(settled);
    return settled;
  }

  /** Tracks what the owner has begun. */
  trackOwn<T>(runId: string, connects: boolean, promise: Promise<T>): Promise<T> {
    const settled = this.track(promise);
    const work: Work = { connects, settled, begun: false, givenUp: false };
    this.own.set(runId, work);
    const ended = () => {
      if (this.own.get(runId) === work) this.own.delete(runId);
    };
    settled.then(ended, ended);
    return settled;
  }

  /**
   * Gives up the owner's latest run, or the named one, if it has not begun: nothing has asked for it. Answers whether that
   * is so.
   */
  takeBack(runId?: string): boolean {
    const runs = [...this.own].filter(([, work]) => !work.connects);
    const [, latest] = runs.findLast(([id]) => runId === undefined || id === runId) ?? [];
    if (!latest || latest.begun) return false;
    return (latest.givenUp = true);
  }

  /** The Observable of this run is subscribed to. Answers false where it has been given up already. */
  begins(runId: string): boolean {
    const work = this.own.get(runId);
    if (!work) return true;
    work.begun = true;
    return !work.givenUp;
  }

  /**
   * Marks the owner's work as given up and answers what settles when that has come to its end. A run that has not begun
   * is left to begin: what it asks would be lost.
   */
  giveUp(): Promise<unknown>[] {
    const work = [...this.own.values()].filter((one) => one.begun || one.connects);
    for (const one of work) one.givenUp = true;
    return work.map((one) => one.settled);
  }
}
