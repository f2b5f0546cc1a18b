// The agent as its thread sees it.

import type { Interrupt, Message } from "@ag-ui/client";

export interface ThreadOwner {
  /** Runs a pipeline over the events held under this key. Rejects when the events were not acceptable. */
  drive(key: string): Promise<unknown>;
  /** Keeps the place of a pipeline whose first event has come, by the runId of its input. */
  reserve(key: string): void;
  /** Gives that place up if it was not used. */
  release(key: string): void;
  /** Whether no reducer is at work on the agent. */
  readonly idle: boolean;
  /** The agent's messages, if it shows this thread. */
  messages(): readonly Message[];
  /** Puts messages before the agent's. */
  precede(messages: readonly Message[]): void;
  /** Empties the agent's messages and state. */
  clear(threadId: string): void;
  /** Makes these the agent's pending interrupts. */
  setPendingInterrupts(threadId: string, interrupts: Interrupt[]): void;
}
