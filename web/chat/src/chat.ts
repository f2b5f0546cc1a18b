// One thread as the page holds it: an agent that follows it, and what was done with it here.

import { randomUUID, type Interrupt, type Message, type ResumeEntry, type RunErrorEvent } from "@ag-ui/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { TransportError, WebSocketAgent, type Position, type ThreadStatus } from "../../client";
import { credential, useSession, whenOver } from "./session";
import { namesInLog } from "./lognames";
import { namesOf, rememberName } from "./subagents";
import { Tape } from "./tape";

/** A failure of a run, as its event told it. */
export interface Notice {
  code: string;
  message: string;
  /** It refused what was done here, so it stays until something else is done here. */
  refusal?: boolean;
  details?: { retryAfterMs?: number; fields?: unknown; interruptIds?: string[] };
}

/** `hide` the failure; `attach` to the thread, which was never told; `connect` again after giving up. */
export type Remedy = "hide" | "attach" | "connect";

/** A picture of the chat; another object after every change. */
export interface Picture {
  messages: readonly Message[];
  state: unknown;
  status: ThreadStatus;
  /** Up to where the thread's log is held here. */
  position?: Position;
  /** What subagents are called, by their ids. */
  subagents: ReadonlyMap<string, string>;
  /** The last failure that nobody has put away, of a run or of the connection. */
  failure?: Notice;
  /** What `dismiss` does about it. */
  remedy: Remedy;
  /** Answers are on their way. */
  answering: boolean;
  /** Text that could not be sent, to be edited again. */
  returned?: string;
}

/** Changes within this time are painted together. */
const PAINT_MS = 16;

type Connection = WebSocketAgent["connection"];

/** How each connection of the page is closed, so that it ends with its session and not when it is noticed to be idle. */
const closers = new WeakMap<Connection, () => void>();

function closerOf(connection: Connection): () => void {
  const closer = closers.get(connection) ?? (() => connection.close());
  closers.set(connection, closer);
  return closer;
}

export class Chat {
  readonly agent: WebSocketAgent;
  readonly tape = new Tape();
  private picture: Picture;
  private notice?: Notice;
  /** The failure in the agent's status that was put away; a later one is another object. */
  private dismissed?: ThreadStatus["failure"];
  private unfollow?: () => void;
  private answering = false;
  private returned?: string;
  private subagents: ReadonlyMap<string, string>;
  private namesAsked = false;
  private readonly watchers = new Set<() => void>();
  private paint?: ReturnType<typeof setTimeout>;

  constructor(threadId: string) {
    const token = credential();
    this.agent = new WebSocketAgent({ url: "/agui/ws", threadId, ...(token && { token }) });
    whenOver(closerOf(this.agent.connection));
    this.subagents = namesOf(threadId);
    this.picture = this.take();
  }

  /** Follows the thread until the returned function is called. */
  open(): () => void {
    const { agent } = this;
    const changed = () => this.changed();
    const subscription = agent.subscribe({
      onMessagesChanged: changed,
      onStateChanged: changed,
      onRunStartedEvent: () => {
        if (!this.notice?.refusal) this.notice = undefined;
        changed();
      },
      onRunErrorEvent: ({ event }) => {
        this.notice = noticeOf(event);
        changed();
      },
      onSubagentStartedEvent: ({ event }) => {
        this.subagents = rememberName(agent.threadId, this.subagents, event.subagentRunId, event.name);
        changed();
      },
      onRunFinalized: changed,
    });
    const untap = this.tape.record(agent.connection);
    const unwatch = agent.watchStatus(changed);
    this.unfollow = agent.follow();
    // Another token may be let in where the one before was not.
    if (agent.connection.state === "failed") agent.connection.retry();
    return () => {
      untap();
      this.unfollow?.();
      this.unfollow = undefined;
      unwatch();
      subscription.unsubscribe();
    };
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  look = (): Picture => this.picture;

  /** Asks for a run with this text; open interrupts are cancelled with it. */
  async send(text: string): Promise<void> {
    const message: Message = { id: randomUUID(), role: "user", content: text };
    const open = this.agent.status.interrupts;
    this.agent.addMessage(message);
    const refused = await this.run(open.length > 0 ? open.map(cancelled) : undefined);
    if (!refused) return;
    this.agent.setMessages(this.agent.messages.filter((one) => one.id !== message.id));
    this.returned = text;
    this.changed();
  }

  /** Answers every open interrupt. */
  async answer(resume: ResumeEntry[]): Promise<void> {
    this.answering = true;
    this.changed();
    await this.run(resume);
    this.answering = false;
    this.changed();
  }

  stop(runId?: string): void {
    if (runId === undefined) this.agent.abortRun();
    else this.agent.stopRun(runId);
  }

  /** Puts the failure away, and tries again what did not come about: the connection, or following the thread. */
  dismiss(): void {
    const { remedy } = this.take();
    this.notice = undefined;
    this.dismissed = this.agent.status.failure;
    if (remedy === "connect") this.agent.connection.retry();
    else if (remedy === "attach" && this.unfollow) {
      this.unfollow();
      this.unfollow = this.agent.follow();
    }
    this.changed();
  }

  /** The returned text is in the composer again. */
  takeReturned(): void {
    this.returned = undefined;
    this.changed();
  }

  /** Answers whether nothing of the run began. */
  private async run(resume?: ResumeEntry[]): Promise<boolean> {
    let began = false;
    let failed = false;
    this.notice = undefined;
    try {
      await this.agent.runAgent(resume ? { resume } : {}, {
        onRunStartedEvent: () => {
          began = true;
          this.answering = false;
        },
        onRunErrorEvent: ({ event }) => {
          failed = true;
          if (!began) this.notice = { ...noticeOf(event), refusal: true };
        },
      });
    } catch (error) {
      failed = true;
      this.notice = {
        refusal: true,
        code: error instanceof TransportError ? error.code : "client",
        message: error instanceof Error ? error.message : String(error),
      };
    }
    this.changed();
    return failed && !began;
  }

  private changed(): void {
    this.paint ??= setTimeout(() => {
      this.paint = undefined;
      this.picture = this.take();
      void this.learnNames();
      for (const watcher of [...this.watchers]) watcher();
    }, PAINT_MS);
  }

  /** Asks the log, once, for names that no event has told here. */
  private async learnNames(): Promise<void> {
    const { messages, position, threadId } = this.agent;
    if (this.namesAsked || !position || messages.every((message) => this.named(message))) return;
    this.namesAsked = true;
    for (const [id, name] of await namesInLog(threadId, position)) {
      this.subagents = rememberName(threadId, this.subagents, id, name);
    }
    this.changed();
  }

  private named({ subagentRunId: by }: Message & { subagentRunId?: string }): boolean {
    return by === undefined || this.subagents.has(by);
  }

  private take(): Picture {
    const { agent, notice } = this;
    const { status } = agent;
    const failed = status.connection === "failed";
    const failure = notice ?? (failed || status.failure !== this.dismissed ? status.failure : undefined);
    return {
      messages: [...agent.messages],
      state: agent.state,
      status,
      position: agent.position,
      subagents: this.subagents,
      failure,
      remedy: failed ? "connect" : notice || status.synced ? "hide" : "attach",
      answering: this.answering,
      returned: this.returned,
    };
  }
}

function cancelled(interrupt: Interrupt): ResumeEntry {
  return { interruptId: interrupt.id, status: "cancelled" };
}

function noticeOf(event: RunErrorEvent): Notice {
  const details = (event.metadata as { aguiws?: Notice["details"] } | undefined)?.aguiws;
  return { code: event.code ?? "agent_error", message: event.message, details };
}

export function useChat(threadId: string): [Chat, Picture] {
  const session = useSession();
  const chat = useMemo(() => new Chat(threadId), [threadId, session]);
  useEffect(() => chat.open(), [chat]);
  return [chat, useSyncExternalStore(chat.watch, chat.look)];
}
