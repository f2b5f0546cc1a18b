// Connects that have not ended and that no event goes to: the thread has yet to be told to them, or a run of the agent's
// own tells it.

import type { Pipeline } from "./pipeline.js";

export class Connects {
  private readonly untold = new Set<Pipeline>();
  private readonly resting = new Set<Pipeline>();

  /** Whether none is here. */
  get empty(): boolean {
    return this.untold.size + this.resting.size === 0;
  }

  add(pipeline: Pipeline): void {
    this.untold.add(pipeline);
  }

  delete(pipeline: Pipeline): void {
    this.untold.delete(pipeline);
    this.resting.delete(pipeline);
  }

  /** Hands out those that the thread has to be told to. */
  take(): Pipeline[] {
    const taken = [...this.untold];
    this.untold.clear();
    return taken;
  }

  /** Keeps one to which nothing has to be told, until the thread is at rest. */
  rest(pipeline: Pipeline): void {
    this.resting.add(pipeline);
  }

  /** What told them the thread is gone: it has to be told to them after all. Answers whether there is such a one. */
  reclaim(): boolean {
    const any = this.resting.size > 0;
    for (const pipeline of this.resting) this.untold.add(pipeline);
    this.resting.clear();
    return any;
  }

  /** The thread is at rest. */
  atRest(): void {
    for (const pipeline of [...this.resting]) pipeline.finish();
  }

  finish(): void {
    for (const pipeline of this.all()) pipeline.finish();
  }

  fail(error: unknown): void {
    for (const pipeline of this.all()) pipeline.fail(error);
  }

  /** As they are at the call: an end deletes. */
  private all(): Pipeline[] {
    return [...this.untold, ...this.resting];
  }
}
