// Chunks on their way to a TanStack chat, which takes one at a time and paints in between.

import type { StreamChunk } from "@tanstack/ai/client";
import { TransportError } from "./errors.js";

/** How many chunks are held for a chat that does not take them. Text that goes on is one, however long it is. */
const BOUND = 10_000;

/** What a chunk goes on with, by the member that names it. */
const DELTAS: Record<string, string> = {
  TEXT_MESSAGE_CONTENT: "messageId",
  REASONING_MESSAGE_CONTENT: "messageId",
  TOOL_CALL_ARGS: "toolCallId",
};

/** ChunkQueue holds chunks until the one reader of it takes them. */
export class ChunkQueue {
  private held: StreamChunk[] = [];
  private failure?: Error;
  private over = false;
  /** The reader has worked on all that it took, and waits for more. */
  private waiting = false;
  private wake?: () => void;
  private idle: Array<() => void> = [];

  /** `closed` is called once, when nothing is read any more. */
  constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly closed: () => void,
  ) {
    if (signal?.aborted) this.end();
    else signal?.addEventListener("abort", this.end, { once: true });
  }

  push(chunk: StreamChunk): void {
    if (this.over || this.failure) return;
    const joined = this.joined(this.held.at(-1), chunk);
    if (joined) this.held[this.held.length - 1] = joined;
    else this.held.push(chunk);
    if (this.held.length > BOUND) {
      this.held = [];
      this.fail(new TransportError("too_slow", "the chat has not taken what the run said"));
    }
    this.wake?.();
  }

  /** Takes back what was not read, but for what is to be kept. */
  keep(which: (chunk: StreamChunk) => boolean): void {
    this.held = this.held.filter(which);
  }

  /** The reader rejects, behind what is held. */
  fail(error: Error): void {
    this.failure ??= error;
    this.wake?.();
  }

  /** The reader takes what is held, and ends. */
  finish(): void {
    if (this.over) return;
    this.over = true;
    this.signal?.removeEventListener("abort", this.end);
    this.closed();
    this.wake?.();
    this.rest();
  }

  /** Resolves when the reader has worked on everything, or reads no more. */
  drained(): Promise<void> {
    if (this.over || this.failure || (this.waiting && this.held.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  async *read(): AsyncGenerator<StreamChunk, void, undefined> {
    try {
      for (;;) {
        const chunk = this.held.shift();
        if (chunk) {
          yield chunk;
          continue;
        }
        if (this.failure) throw this.failure;
        if (this.over) return;
        this.waiting = true;
        this.rest();
        await new Promise<void>((resolve) => (this.wake = resolve));
        this.waiting = false;
      }
    } finally {
      this.end();
    }
  }

  private readonly end = (): void => {
    this.held = [];
    this.finish();
  };

  private rest(): void {
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private joined(last: StreamChunk | undefined, next: StreamChunk): StreamChunk | undefined {
    const name = DELTAS[next.type];
    if (!last || name === undefined || last.type !== next.type) return undefined;
    const [before, after] = [last, next] as unknown as Array<Record<string, unknown>>;
    if (before![name] !== after![name] || before!.metadata !== undefined || after!.metadata !== undefined) return undefined;
    return { ...before, delta: `${String(before!.delta)}${String(after!.delta)}` } as unknown as StreamChunk;
  }
}
