// Which of an agent's inputs a frame is about.

import type { Exchange } from "./exchange.js";
import type { Pipeline } from "./pipeline.js";

/** The inputs that an agent has asked a thread for and not given up, oldest first. */
export class Exchanges {
  private readonly all = new Set<Exchange>();

  get size(): number {
    return this.all.size;
  }

  add(exchange: Exchange): void {
    this.all.add(exchange);
  }

  delete(exchange: Exchange): void {
    this.all.delete(exchange);
  }

  /** As they are at the call: what one is told may end it, and an end deletes. */
  [Symbol.iterator](): Iterator<Exchange> {
    return [...this.all].values();
  }

  /** The one whose events this pipeline delivers. */
  of(pipeline: Pipeline | undefined): Exchange | undefined {
    return pipeline && [...this.all].find((one) => one.pipeline === pipeline);
  }

  /** The one whose input was last sent under this id. */
  sentAs(frameId: string | undefined): Exchange | undefined {
    return frameId === undefined ? undefined : [...this.all].find((one) => one.frameId === frameId);
  }

  /** The one that an answer is for: by the id it echoes, else by its runId. */
  answeredBy(runId: string, frameId?: string): Exchange | undefined {
    const open = this.unended();
    return open.find((one) => frameId !== undefined && one.frameId === frameId) ?? open.find((one) => one.runId === runId);
  }

  /** The one that a run which begins in the log belongs to. */
  claiming(runId: string): Exchange | undefined {
    return [...this.all].find((one) => one.runId === runId && one.claims);
  }

  /** The latest that has not ended, of this run where one is named. */
  latest(runId?: string): Exchange | undefined {
    return this.unended().findLast((one) => runId === undefined || one.runId === runId);
  }

  /** The thread was told anew; this run is its latest, if it has any. */
  toldAnew(latest: string | undefined): void {
    for (const exchange of this.all) {
      if (exchange.pipeline.started) continue;
      // What is told before the input is answered is from before its run, unless it is that run.
      if (exchange.underway && exchange.runId !== latest) exchange.overtaken = latest !== undefined;
      else exchange.mustAsk();
    }
  }

  private unended(): Exchange[] {
    return [...this.all].filter((one) => !one.pipeline.ended);
  }
}
