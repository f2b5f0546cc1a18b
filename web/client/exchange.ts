// A run that this client asked for: its input, how far its answer has come, and the pipeline it is told through.

import type { Message, RunAgentInput } from "@ag-ui/client";
import { Pipeline, type Sink } from "./pipeline.js";
import type { ThreadStatus } from "./status.js";

export class Exchange {
  readonly pipeline: Pipeline;
  /** The id of the frame on the present socket, while there is one. */
  frameId?: string;
  /** It was sent on some socket, so the server may know it. */
  sent = false;
  /** The server has taken it. */
  accepted = false;
  /** It had begun, and the server, which had forgotten it, begins it anew. */
  anew = false;
  /** The run that answers it, when that is another one. */
  of?: string;
  /** Its input has to be sent, or sent again to learn what became of it. */
  unsure = true;
  /** The user has stopped it; the server is to be told as soon as it can be. */
  stopRequested = false;
  /** It was sent, and its answer has not come whole: a repeat's is more than the frame that announces it. */
  asking = false;
  /**
   * The thread was told anew before the answer, and another run was its latest: should this one have begun and ended
   * before that all the same, only asking shows it.
   */
  overtaken = false;
  /** How often the server could not judge the input. */
  attempts = 0;
  /** Since when the store has not answered for it, by Date.now, and how often; undefined: it has, or was not asked. */
  withoutStore?: { since: number; times: number };
  /** The messages that it brings: those at the input's end that nothing has answered and no other has brought. */
  readonly question: Message[];
  /** The length of the input as it is sent. */
  readonly bytes: number;

  /** `known`: whether the thread has a message already, or will have it by another input. */
  constructor(
    readonly input: RunAgentInput,
    sink: Sink,
    begins: () => void,
    private readonly stringify: (input: RunAgentInput) => string,
    known: (messageId: string) => boolean,
  ) {
    const { messages } = input;
    this.question = messages.slice(messages.findLastIndex((message) => message.role !== "user") + 1).filter(({ id }) => !known(id));
    this.pipeline = new Pipeline(sink, begins, input.runId);
    this.bytes = this.measured(input);
  }

  /** The input for a server that keeps the thread: without what that has been told. The same each time, so that it is recognised. */
  brief(): { input: RunAgentInput; bytes: number } {
    const { messages } = this.input;
    const behind = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
    const input = { ...this.input, messages: behind.filter((message) => message.role === "tool" || this.question.includes(message)) };
    return { input, bytes: this.measured(input) };
  }

  private measured(input: RunAgentInput): number {
    return new TextEncoder().encode(this.stringify(input)).length;
  }

  get runId(): string {
    return this.input.runId;
  }

  /** What the log calls it. */
  get knownAs(): string {
    return this.of ?? this.runId;
  }

  /** Whether a RUN_STARTED of the log with this run's id can be this run's: not while the answer is on its way. */
  get claims(): boolean {
    if (this.pipeline.ended || (this.pipeline.started && !this.anew)) return false;
    return this.accepted || (this.sent && this.frameId === undefined);
  }

  /** It was sent on the present socket, which has not brought an answer. */
  get underway(): boolean {
    return this.frameId !== undefined && !this.accepted && !this.unsure;
  }

  /** The server is not known to have taken it. */
  get pending(): boolean {
    return !this.accepted && !this.pipeline.started && !this.pipeline.ended;
  }

  /** It was refused for the store, and will be sent again. */
  get waitsForStore(): boolean {
    return this.withoutStore !== undefined && this.unsure;
  }

  /** It has begun, and its end has not come. */
  get begun(): boolean {
    return this.pipeline.started && !this.pipeline.ended;
  }

  /** The server has taken it, and its RUN_STARTED is what comes next. */
  get awaited(): boolean {
    return this.accepted && !this.unsure && this.claims;
  }

  /** Whether the server, as far as it has told, still has the run before it. */
  isAmong({ activeRunId, queued }: ThreadStatus): boolean {
    return activeRunId === this.knownAs || queued.some(({ runId }) => runId === this.runId || runId === this.knownAs);
  }

  wasSent(frameId: string): void {
    this.frameId = frameId;
    this.sent = true;
    this.asking = true;
    this.unsure = false;
  }

  mustAsk(): void {
    this.unsure = true;
    this.overtaken = false;
    this.frameId = undefined;
  }

  /** An answer that was on its way is lost; one that came holds. */
  socketLost(): void {
    this.frameId = undefined;
    this.overtaken = false;
    if (!this.accepted || this.asking) this.unsure = true;
  }
}
