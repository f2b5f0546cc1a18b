// What a page shows beside the messages: the connection, what runs, what waits, what is asked.

import type { Interrupt } from "@ag-ui/client";
import type { Hello, QueuedInput } from "./frames.js";
import type { ConnectionState } from "./options.js";

/** A failure in words. `code` is the binding's code, or a close code. */
export interface Failure {
  code: string;
  message: string;
}

/** An immutable picture of a thread; another object after every change. */
export interface ThreadStatus {
  connection: ConnectionState;
  hello?: Hello;
  /** False while the server says that its store does not answer. True without a socket, and with a server that never says. */
  storeAvailable: boolean;
  /** The run in progress on this thread, begun by anybody. */
  activeRunId?: string;
  /** Open interrupts as of the last event received. */
  interrupts: readonly Interrupt[];
  /** The run that asked them, as the log calls it: `agent.stopRun(id)` cancels them all and ends it. */
  waitingRunId?: string;
  /** Inputs in the queue, behind the active run or open interrupts: this client's, and others' as of the last attach. */
  queued: readonly QueuedInput[];
  /** Inputs of this client that the server has not taken, as far as is known here: they are sent, again if need be. */
  pending: readonly QueuedInput[];
  /** How many messages stand before those that are shown, where a window was asked for; see `older` of the agent. */
  older: number;
  /** The thread has been told to a follower at least once. */
  synced: boolean;
  /** Why the thread was last restated to somebody who had been following it; undefined before. */
  restated?: string;
  /** Whether something that was shown before that, a message or the end of one, was not in it. */
  lost?: boolean;
  /** The latest run, if its worker was lost and another went on with it, from the last step that was recorded. */
  takenOver?: string;
  failure?: Failure;
}

/** A status that can be watched, in the form of React's external stores. */
export class StatusStore {
  private current: ThreadStatus;
  private readonly watchers = new Set<() => void>();

  constructor(initial: ThreadStatus) {
    this.current = initial;
  }

  get value(): ThreadStatus {
    return this.current;
  }

  set(change: Partial<ThreadStatus>): void {
    this.current = { ...this.current, ...change };
    for (const watcher of [...this.watchers]) watcher();
  }

  queued(input: QueuedInput): void {
    const others = this.current.queued.filter((one) => one.runId !== input.runId);
    this.set({ queued: [...others, input] });
  }

  unqueued(runId: string): void {
    const left = this.current.queued.filter((one) => one.runId !== runId);
    if (left.length < this.current.queued.length) this.set({ queued: left });
  }

  pending(inputs: QueuedInput[]): void {
    const held = this.current.pending;
    if (held.length === inputs.length && held.every(({ runId }, i) => runId === inputs[i]?.runId)) return;
    this.set({ pending: inputs });
  }

  /** Brings in what others own, without telling the watchers, who are told by them. */
  refresh(change: Partial<ThreadStatus>): void {
    this.current = { ...this.current, ...change };
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}
