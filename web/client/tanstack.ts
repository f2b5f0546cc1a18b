// A TanStack AI connection, for `ChatClient` and what is built on it, such as `useChat`.

import type { SubscribeConnectionAdapter } from "@tanstack/ai-client";
import { ChunkQueue } from "./chunkqueue.js";
import type { Connection } from "./connection.js";
import { TransportError } from "./errors.js";
import type { ConnectionOptions } from "./options.js";
import { connectionFor } from "./shared.js";
import { ChatThread } from "./tanstackthread.js";

export type { ConnectionOptions } from "./options.js";
export { TransportError } from "./errors.js";

export interface AguiwsOptions extends ConnectionOptions {
  /** The chat's thread. Needed by a `live` chat that is not hydrated, and to join a run without that. */
  threadId?: string;
  /**
   * What it means that the chat gives up a run: `stop` cancels it at the server, `detach` only gives up its events, and `stop`
   * of the connection cancels it. The chat does not tell its `stop` from a component that unmounts. Default `stop`.
   */
  abort?: "stop" | "detach";
  /** Use this connection instead of the page's shared one. */
  connection?: Connection;
}

export interface AguiwsConnection extends SubscribeConnectionAdapter {
  joinRun: NonNullable<SubscribeConnectionAdapter["joinRun"]>;
  hydrate: NonNullable<SubscribeConnectionAdapter["hydrate"]>;
  /** The socket's owner: its state, its failure, closing it. */
  readonly connection: Connection;
  /** Stops the run that the chat was last shown, at the server; of this thread, else of the latest. */
  stop(threadId?: string): void;
  /** Ends what chats read, fails what they wait for with `closed`, and closes the socket; see `close` of `Connection`. */
  close(): void;
}

/** What one `subscribe` reads. */
interface Reader {
  queue: ChunkQueue;
  thread?: ChatThread;
  /** It is known to be the one that sends on that thread. */
  sends: boolean;
  /** It is taken for the one that was hydrated with that thread. */
  hydrated: boolean;
}

/**
 * Makes the `connection` of a TanStack AI chat. A lost socket is invisible to it; a chat with `persistence: true` is told the
 * thread when it attaches, with its open interrupts or the rest of the run under way. From its first message on, or at once
 * where it is `live`, it sees what others do on the thread.
 */
export function aguiws(options: AguiwsOptions): AguiwsConnection {
  const connection = options.connection ?? connectionFor(options);
  const threads = new Map<string, ChatThread>();
  const readers = new Set<Reader>();
  let latest: ChatThread | undefined;

  const threadOf = (threadId: string): ChatThread => {
    for (const [id, thread] of threads) if (id !== threadId && thread.unused && thread !== latest) threads.delete(id);
    latest = threads.get(threadId) ?? new ChatThread(connection, threadId, options.abort ?? "stop");
    threads.set(threadId, latest);
    return latest;
  };
  const read = (reader: Reader, thread: ChatThread) => {
    if (reader.thread === thread) return;
    reader.thread?.unsubscribe(reader.queue);
    reader.thread = thread;
    thread.subscribe(reader.queue);
  };
  if (options.threadId !== undefined) threadOf(options.threadId);

  return {
    connection,

    subscribe(signal) {
      const queue = new ChunkQueue(signal, () => {
        readers.delete(reader);
        reader.thread?.unsubscribe(queue);
      });
      const reader: Reader = { queue, sends: false, hydrated: false };
      readers.add(reader);
      if (latest && !signal?.aborted) read(reader, latest);
      return queue.read();
    },

    async send(messages, data, signal, context) {
      if (!context) throw new TransportError("no_run", "the chat does not say which thread and run it sends to");
      const thread = threadOf(context.threadId);
      // A chat subscribes right before it first sends, and does not say on which thread it will.
      const all = [...readers];
      const own = all.find((one) => (one.sends || one.hydrated) && one.thread === thread);
      const reader = own ?? all.findLast((one) => !one.sends);
      if (reader) {
        reader.sends = true;
        read(reader, thread);
      }
      await thread.send({ messages, forwardedProps: { ...context.forwardedProps, ...data }, context, ...(signal && { signal }) });
    },

    async *joinRun(runId, signal) {
      const thread = [...threads.values()].find((one) => one.knows(runId)) ?? latest;
      if (!thread) throw new TransportError("no_thread", "give the option threadId to join a run of a thread that was not hydrated");
      yield* thread.join(runId, signal);
    },

    hydrate(threadId) {
      const thread = threadOf(threadId);
      // A live chat subscribes right before it hydrates; until then it reads the thread that another has shown before it.
      const reader = [...readers].findLast((one) => !one.sends && !one.hydrated);
      if (reader) {
        reader.hydrated = true;
        read(reader, thread);
      }
      return thread.hydrate();
    },

    stop(threadId) {
      (threadId === undefined ? latest : threads.get(threadId))?.stop();
    },

    close() {
      for (const thread of threads.values()) thread.close();
      connection.close();
    },
  };
}
