// A thread as assistant-ui shows it, kept as the agent has it: after a reload, in runs that others have begun, and where
// an answer was refused.

import type { AgentSubscriber, Interrupt, Message, RunAgentParameters } from "@ag-ui/client";
import { ExportedMessageRepository, type ThreadHistoryAdapter, type ThreadMessage, type ThreadRuntime } from "@assistant-ui/react";
import { fromAgUiMessages, type FromAgUiMessagesOptions } from "@assistant-ui/react-ag-ui";
import type { WebSocketAgent } from "./agent.js";
import { TransportError } from "./errors.js";

/** Showing a thread takes at most a fifth of the page's time, and happens this often at most. */
const SHARE = 4;
const PAUSE_MS = 16;
/** How often a thread is shown again that assistant-ui has otherwise than the agent, after a run. */
const RETELLS = 10;

export type Shown = Pick<ThreadRuntime, "getState" | "reset" | "importExternalState" | "resumeRun">;

interface Loading {
  resolve: (told: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * ShownThread is what assistant-ui gets instead of an agent, and brings what assistant-ui has not asked for itself.
 * assistant-ui's own runs are left to it: they come through `agent.runAgent`.
 */
export class ShownThread {
  private readonly own = new Set<string>();
  private thread?: Shown;
  private loading?: Loading;
  private loaded = false;
  /** Something has changed that assistant-ui was not told. */
  private stale = false;
  private mounted = false;
  private due?: ReturnType<typeof setTimeout>;
  private pause = PAUSE_MS;
  /** Ends what assistant-ui takes for a run of its own while others' runs are in progress. */
  private rest?: () => void;
  /** The questions that it was shown for last: should they still not be there, assistant-ui does not take them. */
  private failed?: string;
  /** How often the thread may be shown again because its last text is not there. */
  private retells = 0;
  /** How often the thread may be shown again because a call is there twice. */
  private repairs = 0;
  /** The run that somebody has stopped here: it is not shown as in progress again. */
  private stopped?: string;

  constructor(
    private readonly agent: WebSocketAgent,
    private readonly options?: FromAgUiMessagesOptions,
  ) {}

  // What follows is called by assistant-ui, as on an agent of its own.

  get threadId(): string {
    return this.agent.threadId;
  }

  // It writes back what it has read.
  set threadId(_: string) {}

  get messages(): Message[] {
    return this.agent.messages;
  }

  /** The server takes messages that are left out at the end for taken back: those that are not shown yet stay. */
  set messages(messages: Message[]) {
    const held = new Set(this.stale ? this.agent.messages.map(({ id }) => id) : []);
    this.agent.messages = this.stale ? [...this.agent.messages, ...messages.filter(({ id }) => !held.has(id))] : messages;
  }

  get state(): unknown {
    return this.agent.state;
  }

  set state(state: unknown) {
    this.agent.state = state;
  }

  async runAgent(parameters: RunAgentParameters & { runId: string }, subscriber: AgentSubscriber): Promise<unknown> {
    this.own.add(parameters.runId);
    this.retells = 0;
    try {
      return await this.agent.runAgent(parameters, subscriber);
    } finally {
      this.own.delete(parameters.runId);
      this.failed = undefined;
      this.repairs = RETELLS;
      this.schedule();
    }
  }

  /** Comes of a stop, and of a component that goes away: layout effects end before the effect that this is called from. */
  abortRun(): void {
    if (!this.mounted) {
      void this.agent.detachActiveRun();
      return;
    }
    if (this.own.size === 0) this.stopped = this.agent.status.activeRunId;
    this.rest?.();
    this.agent.stopRun();
  }

  readonly history: ThreadHistoryAdapter = {
    load: async () => {
      const told = await new Promise<boolean>((resolve, reject) => {
        this.loading = { resolve, reject };
        this.schedule();
      });
      // Which is nothing to assistant-ui: another agent's thread may be shown by now.
      if (!told) return undefined as never;
      return { ...ExportedMessageRepository.fromArray(this.told()), state: this.agent.state };
    },
    // The server has it already.
    append: async () => {},
  };

  // What follows is called by the hook.

  /** For a layout effect. */
  mount(): () => void {
    this.mounted = true;
    return () => (this.mounted = false);
  }

  /** Follows the thread and shows it there, until the returned function is called. */
  start(thread: Shown): () => void {
    this.thread = thread;
    const { unsubscribe } = this.agent.subscribe({
      onMessagesChanged: ({ input }) => this.changed(input?.runId),
      onStateChanged: ({ input }) => this.changed(input?.runId),
      onRunFinalized: () => this.schedule(),
    });
    const ends = [this.agent.follow(), this.agent.watchStatus(() => this.schedule()), unsubscribe];
    if (!this.loading && !this.loaded) {
      // assistant-ui loads once: this is another agent than it began with.
      this.loaded = this.stale = true;
    }
    this.schedule();
    return () => {
      for (const end of ends) end();
      clearTimeout(this.due);
      this.due = this.thread = undefined;
      this.rest?.();
      // What was in progress goes on at the server, and is told to whoever follows next.
      if (this.own.size > 0) void this.agent.detachActiveRun();
      setTimeout(() => {
        if (this.thread) return;
        this.loading?.resolve(false);
        this.loading = undefined;
      });
    };
  }

  /** After every rendering: what assistant-ui tells of itself is as of the last one. */
  rendered(): void {
    this.schedule();
  }

  private changed(runId: string | undefined): void {
    if (runId !== undefined && this.own.has(runId)) return;
    this.stale = true;
    this.schedule();
  }

  private schedule(): void {
    if (!this.thread || this.due !== undefined) return;
    this.due = setTimeout(() => {
      this.due = undefined;
      this.update();
    }, this.pause);
  }

  private update(): void {
    if (!this.loaded) {
      this.load();
      return;
    }
    const { thread } = this;
    if (!thread || this.own.size > 0) return;
    const { activeRunId, interrupts } = this.agent.status;
    const asks = idsOf(interrupts);
    const differs = asks !== idsOf(askedIn(thread.getState().messages));
    // It may end the run with what it held of it some time before.
    if (this.retells > 0 && lags(thread.getState().messages, this.agent.messages)) {
      this.retells--;
      this.stale = true;
    }
    // The snapshot before a question tells a call by another message than the one that it has made of the call itself.
    if (this.repairs > 0 && asks && doubled(thread.getState().messages)) {
      this.repairs--;
      this.stale = true;
    }
    if (this.stale || (differs && asks !== this.failed)) this.show(thread);
    this.failed = differs ? asks : undefined;
    if (activeRunId === undefined) this.rest?.();
    else if (!this.rest && activeRunId !== this.stopped) this.goOn(thread);
  }

  /** Answers assistant-ui's load as soon as the thread is told, or cannot be. */
  private load(): void {
    const { loading } = this;
    if (!loading) return;
    const { synced, failure } = this.agent.status;
    if (failure && !synced) loading.reject(new TransportError(failure.code, failure.message));
    else if (synced && (this.agent.messages.length > 0 || !this.agent.isRunning)) {
      this.stale = false;
      loading.resolve(true);
    } else {
      // Told, and on its way through the agent's pipeline.
      if (synced) this.schedule();
      return;
    }
    this.loaded = true;
    this.loading = undefined;
    this.schedule();
  }

  private show(thread: Shown): void {
    this.stale = false;
    const before = performance.now();
    // Emptied first: what is in its tree and not in the thread would be another branch. It is rendered once.
    thread.reset([]);
    thread.reset(this.told());
    // Makes calls in the thread history, so that no tool of the page's own is called for another page's run.
    thread.importExternalState(this.agent.state);
    setTimeout(() => (this.pause = Math.max(PAUSE_MS, SHARE * (performance.now() - before))));
  }

  /** Lets assistant-ui take the run in progress for its own, so that it can be stopped. */
  private goOn(thread: Shown): void {
    const stream = (over: Promise<void>) =>
      async function* ({ abortSignal }: { abortSignal: AbortSignal }) {
        await Promise.race([over, new Promise((resolve) => abortSignal.addEventListener("abort", resolve, { once: true }))]);
      };
    const over = new Promise<void>((resolve) => (this.rest = resolve)).then(() => {
      this.rest = undefined;
      this.retells = RETELLS;
      this.schedule();
    });
    // It refuses where a question has come in between; what is asked is shown then.
    Promise.resolve(thread.resumeRun({ parentId: this.told().at(-1)?.id ?? null, stream: stream(over) })).catch(() => this.rest?.());
    // Takes away the message that it has begun for that run.
    this.show(thread);
  }

  private told() {
    const { messages, status } = this.agent;
    return fromAgUiMessages(asking(messages, status.interrupts), this.options);
  }
}

/** assistant-ui has questions at the last message of the assistant. Where nothing was said before asking, that is an empty one. */
export function asking(messages: readonly Message[], interrupts: readonly Interrupt[]): object[] {
  const [first] = interrupts;
  if (!first) return [...messages];
  const metadata = { custom: { agui: { interrupts } } };
  const at = messages.findLastIndex(({ role }) => role !== "tool" && role !== "activity");
  const last = messages[at];
  if (last?.role !== "assistant") return [...messages, { id: `asked-${first.id}`, role: "assistant", content: "", metadata }];
  return messages.map((message) => (message === last ? { ...message, metadata } : message));
}

function askedIn(messages: readonly ThreadMessage[]): { id: string }[] {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last?.status?.type !== "requires-action" || last.status.reason !== "interrupt") return [];
  const { interrupts } = (last.metadata.custom.agui ?? {}) as { interrupts?: { id: string }[] };
  return interrupts ?? [];
}

/** Whether a call is shown in two messages. */
function doubled(shown: readonly ThreadMessage[]): boolean {
  const calls = shown.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : [])));
  return new Set(calls).size < calls.length;
}

/** Whether the last message that is shown has not all of the text that the thread ends with. */
function lags(shown: readonly ThreadMessage[], held: readonly Message[]): boolean {
  const last = held.at(-1);
  if (last?.role !== "assistant" || !last.content) return false;
  const text = shown.at(-1)?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
  return !text.endsWith(last.content);
}

const idsOf = (interrupts: readonly { id: string }[]) => interrupts.map(({ id }) => id).join();
