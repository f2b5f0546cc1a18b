// Runs that others began, each on its way through a pipeline of the agent's own.

import { randomUUID } from "@ag-ui/client";
import { Buffer, Pipeline, type Sink } from "./pipeline.js";

interface Segment {
  buffer: Buffer;
  pipeline: Pipeline;
}

/** Segments holds foreign runs from their first event until the agent's pipeline over them has ended. */
export class Segments {
  private readonly held = new Map<string, Segment>();

  /** `drive` runs the agent's pipeline over the segment of a key, `begins` hears of its first event, `done` of its end. */
  constructor(
    private readonly begins: (key: string) => void,
    private readonly drive: (key: string) => Promise<unknown>,
    private readonly done: (key: string, pipeline: Pipeline, error?: unknown) => void,
  ) {}

  /** Begins a segment and sets the agent to work on it. */
  begin(): Pipeline {
    const key = randomUUID();
    const buffer = new Buffer();
    const pipeline = new Pipeline(buffer, () => this.begins(key));
    this.held.set(key, { buffer, pipeline });
    this.drive(key).then(
      () => this.end(key, pipeline),
      (error: unknown) => this.end(key, pipeline, error),
    );
    return pipeline;
  }

  /** Gives a segment's events to the pipeline that asks for them; undefined when there is no such segment. */
  drainTo(key: string, sink: Sink): Pipeline | undefined {
    const segment = this.held.get(key);
    segment?.buffer.drainTo(sink);
    return segment?.pipeline;
  }

  /** Ends all of them where they are. */
  finish(): void {
    for (const { pipeline } of this.held.values()) pipeline.finish();
  }

  private end(key: string, pipeline: Pipeline, error?: unknown): void {
    this.held.delete(key);
    this.done(key, pipeline, error);
  }
}
