// One thread as the page holds it: an agent that follows it, and what was done with it here.

import { randomUUID, type Interrupt, type Message, type ResumeEntry, type RunAgentInput, type RunErrorEvent, type TokenUsage } from "@ag-ui/client";
import { at } from "../lib/base";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { TransportError, WebSocketAgent, type Position, type ThreadStatus, type WebSocketAgentConfig } from "../../../client";
import { call, type DecisionInfo, type Page, type RunInfo } from "../server/api";
import { FRAMES } from "../../../react/lib/json";
import type { Content } from "../files/media";
import { credential, useSession, whenOver } from "../server/session";
import { allOver } from "./instead";
import { namesInLog } from "../log/lognames";
import { Outbox, type Outgoing } from "./outbox";
import { namesOf, rememberName } from "./subagents";
import { ThreadRecord, type Ended, type Mark } from "../decision/record";
import { Tape } from "./tape";
import { Times } from "./times";
import type { Told } from "../decision/told";
import { turnsInLog } from "../log/turnsinlog";
import { rememberUsed, usedIn, usedWords, type Used } from "./used";
import { words } from "../words";

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
  /** How often messages were told anew. */
  restated: number;
  /** Up to where the thread's log is held here. */
  position?: Position;
  /** What subagents are called, by their ids. */
  subagents: ReadonlyMap<string, string>;
  /** What runs have used, in words, by the message that they ended behind. */
  used: ReadonlyMap<string, string>;
  /** What was decided about tool calls, by call. */
  decided: ReadonlyMap<string, Told>;
  /** When messages were said, by message. */
  times: ReadonlyMap<string, number>;
  /** What stands between messages: answers, and turns that did not succeed. */
  marks: readonly Mark[];
  /** The last failure that nobody has put away, of a run or of the connection. */
  failure?: Notice;
  /** The turn's end that the failure is. */
  ended?: Ended;
  /** What `dismiss` does about it. */
  remedy: Remedy;
  /** Answers are on their way. */
  answering: boolean;
  /** What the server has not taken yet, or has refused. */
  outgoing: readonly Outgoing[];
}

/** Of a longer conversation the last messages are held, and those before when they are asked for: each change of one costs what all that are held do. */
const WINDOW = 200;
const OLDER = 100;

/** So many of the latest decisions and runs are asked for. */
const ON_RECORD = 100;

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

/** Sends what is new, since the thread has the rest: no picture goes out with every message that follows it. */
class Writer extends WebSocketAgent {
  constructor(
    config: WebSocketAgentConfig,
    private readonly outbox: Outbox,
  ) {
    super(config);
  }

  override run(input: RunAgentInput): ReturnType<WebSocketAgent["run"]> {
    const id = this.outbox.items.find(({ runId }) => runId === input.runId)?.message?.id;
    return super.run({ ...input, messages: input.messages.filter((message) => message.id === id) });
  }
}

export class Chat {
  readonly agent: WebSocketAgent;
  readonly tape = new Tape();
  private picture: Picture;
  private notice?: Notice;
  /** The failure in the agent's status that was put away; a later one is another object. */
  private dismissed?: ThreadStatus["failure"];
  private unfollow?: () => void;
  private readonly outbox: Outbox;
  /** What is being sent from here. */
  private readonly sending = new Set<string>();
  private subagents: ReadonlyMap<string, string>;
  private namesAsked = false;
  private readonly record = new ThreadRecord();
  private readonly times = new Times();
  /** Of which telling anew the record was looked up. */
  private recordAsked?: string;
  /** The cursors behind which the record goes on. */
  private recordBefore: { decisions?: string; runs?: string } = {};
  private restated = 0;
  private used: readonly Used[];
  private usedWords: ReadonlyMap<string, string>;
  private readonly watchers = new Set<() => void>();
  private paint?: ReturnType<typeof setTimeout>;

  constructor(threadId: string, agent?: string) {
    const token = credential();
    this.outbox = new Outbox(threadId);
    this.agent = new Writer({ url: at(agent ? `/agui/${encodeURIComponent(agent)}/ws` : "/agui/ws"), threadId, json: FRAMES, window: WINDOW, ...(token && { token }) }, this.outbox);
    whenOver(closerOf(this.agent.connection));
    this.subagents = namesOf(threadId);
    this.used = usedIn(threadId);
    this.usedWords = usedWords(this.used);
    this.picture = this.take();
  }

  /** Follows the thread until the returned function is called. */
  open(): () => void {
    const { agent } = this;
    const changed = () => this.changed();
    let runId = ""; // of the run that goes on: a failure does not name its own, and what is told anew is another run's input
    const subscription = agent.subscribe({
      onEvent: ({ event, messages, input }) => {
        // What refuses an input ends no turn.
        if (event.type === "RUN_ERROR" && this.outbox.has(input.runId)) return;
        if (this.record.take(event, this.lastTold(messages.length > 0 ? messages : agent.messages))) changed();
      },
      onMessagesChanged: changed,
      onStateChanged: changed,
      onRunStartedEvent: ({ event }) => {
        runId = event.runId;
        const last = agent.messages.at(-1);
        if (last?.role === "user") this.times.note(last.id);
        if (!this.notice?.refusal) this.notice = undefined;
        changed();
      },
      onMessagesSnapshotEvent: () => {
        this.restated++;
        changed();
      },
      onRunFinishedEvent: ({ event }) => {
        this.times.note(this.lastTold(agent.messages));
        this.note(event.runId, event.usage);
      },
      onRunErrorEvent: ({ event, input }) => {
        this.note(runId, event.usage);
        // What refuses an input is said where the input is shown.
        if (!this.outbox.has(input.runId)) this.notice = noticeOf(event);
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

  /** Asks for a run with this; open interrupts are cancelled with it, by the server if their time is over. */
  send(content: Content): Promise<void> {
    const open = this.agent.status.interrupts;
    return this.deliver({
      runId: randomUUID(),
      at: Date.now(),
      message: { id: randomUUID(), content },
      ...(open.length > 0 && !allOver(open) && { resume: open.map(cancelled) }),
    });
  }

  /** Asks the run in progress to hear this at its next step; it answers nothing that is open. */
  join(content: Content): Promise<void> {
    return this.deliver({ runId: randomUUID(), at: Date.now(), message: { id: randomUUID(), content }, joins: true });
  }

  /** Answers every open interrupt; `said` is what is answered, in words. What was answered before and not taken is forgotten. */
  answer(resume: ResumeEntry[], said: string[]): Promise<void> {
    for (const item of this.outbox.items) if (!item.message) this.outbox.drop(item.runId);
    return this.deliver({ runId: randomUUID(), at: Date.now(), resume, said });
  }

  /** Sends again what was not taken. */
  retry(runId: string): void {
    const item = this.outbox.items.find((one) => one.runId === runId);
    if (item) void this.deliver({ ...item, at: Date.now(), refusal: undefined });
  }

  /** Forgets what was not taken. */
  discard(runId: string): void {
    const message = this.outbox.items.find((one) => one.runId === runId)?.message;
    this.outbox.drop(runId);
    if (this.sending.has(runId)) this.agent.stopRun(runId);
    if (message) this.takeBack(message.id);
    this.changed();
  }

  /** Stops a run, in progress or queued. */
  stop(runId: string): void {
    this.agent.stopRun(runId);
  }

  /** Asks for messages before those that are held, and answers whether it did. */
  older(): boolean {
    const asked = this.agent.older(OLDER);
    if (asked) void this.learnFrom(this.recordBefore);
    return asked;
  }

  /** Ends the wait for the next attempt to connect. */
  tryNow(): void {
    this.agent.connection.retry();
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

  private async deliver(item: Outgoing): Promise<void> {
    const { runId, message, resume, joins } = item;
    if (this.sending.has(runId)) return;
    this.sending.add(runId);
    this.outbox.put(item);
    this.times.note(message?.id, item.at);
    if (message && this.agent.messages.every(({ id }) => id !== message.id)) this.agent.addMessage({ role: "user", ...message });
    const refusal = await this.run(runId, resume, joins);
    this.sending.delete(runId);
    if (refusal) {
      const waits = this.outbox.has(runId);
      if (message) this.takeBack(message.id);
      // An answer that does not fit is corrected where it was given.
      if (waits && !(resume && !message && refusal.code.startsWith("interrupt"))) this.outbox.refuse(runId, refusal);
      else if (refusal.code !== CANCELLED) this.notice = refusal;
    }
    if (!this.outbox.items.find((one) => one.runId === runId)?.refusal) this.outbox.drop(runId);
    this.changed();
  }

  private takeBack(messageId: string): void {
    this.agent.setMessages(this.agent.messages.filter(({ id }) => id !== messageId));
  }

  /** Answers why nothing of the run began; undefined where something did. */
  private async run(runId: string, resume?: ResumeEntry[], joins?: boolean): Promise<Notice | undefined> {
    let began = false;
    // What ends without a word has been stopped before it was taken.
    let refusal: Notice = stopped();
    this.notice = undefined;
    this.changed();
    try {
      const forwardedProps = joins && { aguiws: { when: "step" } };
      await this.agent.runAgent({ runId, ...(resume && { resume }), ...(forwardedProps && { forwardedProps }) }, {
        onRunStartedEvent: () => {
          began = true;
          this.outbox.drop(runId);
        },
        onRunErrorEvent: ({ event }) => {
          refusal = { ...noticeOf(event), refusal: true };
        },
      });
    } catch (error) {
      refusal = {
        refusal: true,
        code: error instanceof TransportError ? error.code : "client",
        message: error instanceof Error ? error.message : String(error),
      };
      if (began) this.notice = refusal;
    }
    return began ? undefined : refusal;
  }

  /** Brings what is on its way up to what the server is known to have, and sends what an earlier page was about to. */
  private settle(): void {
    if (this.outbox.items.length === 0) return;
    const { messages, status } = this.agent;
    const taken = new Set([status.activeRunId, ...status.queued.map(({ runId }) => runId)]);
    const told = new Set(messages.map(({ id }) => id));
    const open = new Set(status.interrupts.map(({ id }) => id));
    for (const item of this.outbox.items) {
      const { runId, message, resume } = item;
      const here = this.sending.has(runId);
      if (taken.has(runId) || (!here && message && told.has(message.id))) this.outbox.drop(runId);
      else if (here || !status.synced || !this.unfollow) continue;
      // Somebody has answered meanwhile.
      else if (!message && !resume?.every(({ interruptId }) => open.has(interruptId))) this.outbox.drop(runId);
      else if (!item.refusal) void this.deliver({ ...item, ...(resume && { resume: resume.filter(({ interruptId }) => open.has(interruptId)) }) });
    }
  }

  private changed(): void {
    this.paint ??= setTimeout(() => {
      this.paint = undefined;
      this.settle();
      this.picture = this.take();
      void this.learnNames();
      void this.learnDecisions();
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

  /** Asks what is on record, once the thread is told and whenever it is told anew: decisions were made that nobody told here. */
  private async learnDecisions(): Promise<void> {
    const { position, status, threadId } = this.agent;
    // What could not be read then is read when the store is back.
    if (!status.storeAvailable) this.recordAsked = undefined;
    const telling = `${position?.epoch} ${status.restated ?? ""}`;
    // Of a thread that nothing has happened in there is none, and asking for it would be refused.
    if (!status.synced || !status.storeAvailable || !position?.seq || this.picture.messages.length === 0 || !this.unfollow || this.recordAsked === telling) return;
    this.recordAsked = telling;
    const learned = await this.learnFrom({ decisions: "", runs: "" });
    // Only the log tells between which messages of a turn something stands.
    if (!learned || !this.record.lacksPlaces) return;
    await turnsInLog(threadId, position, this.record).catch(() => {});
    this.changed();
  }

  /** Asks for a page of what is on record, behind these cursors, and answers whether it came: "" is the beginning, and behind undefined there is nothing. */
  private async learnFrom(cursors: { decisions?: string; runs?: string }): Promise<boolean> {
    const { threadId } = this.agent;
    const page = async <T>(list: "decisions" | "runs"): Promise<Page<T>> => {
      const cursor = cursors[list];
      if (cursor === undefined) return { items: [] };
      return call<Page<T>>("GET", `/threads/${encodeURIComponent(threadId)}/${list}?limit=${ON_RECORD}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    };
    try {
      const [decisions, runs] = await Promise.all([page<DecisionInfo>("decisions"), page<RunInfo>("runs")]);
      this.recordBefore = { decisions: decisions.next, runs: runs.next };
      this.record.learn(decisions.items, runs.items);
      this.times.learn(runs.items);
    } catch {
      // A server without the control API: what runs tell is known without it.
      return false;
    }
    this.changed();
    return true;
  }

  private note(runId: string, usage: readonly TokenUsage[] | undefined): void {
    const used = rememberUsed(this.agent.threadId, this.used, runId, usage, this.agent.messages);
    if (used === this.used) return;
    this.used = used;
    this.usedWords = usedWords(used);
    this.changed();
  }

  /** The last message that the conversation has: one that waits or is not taken yet comes later. */
  private lastTold(messages: readonly Message[]): string | undefined {
    const later = new Set(this.agent.status.queued.flatMap((input) => (input.messages ?? []).map(({ id }) => id)));
    for (const { message } of this.outbox.items) if (message) later.add(message.id);
    return messages.findLast(({ id }) => !later.has(id))?.id;
  }

  private named({ subagentRunId: by }: Message & { subagentRunId?: string }): boolean {
    return by === undefined || this.subagents.has(by);
  }

  private take(): Picture {
    const { agent, notice } = this;
    const { status } = agent;
    for (const question of status.interrupts) this.record.asks(question, this.lastTold(agent.messages));
    const { calls, marks } = this.record.look();
    const outgoing = this.outbox.items;
    const unsent = new Set(outgoing.map(({ message }) => message?.id));
    const failed = status.connection === "failed";
    const failure = notice ?? (failed || status.failure !== this.dismissed ? status.failure : undefined);
    // What is said at length is not marked as well.
    const said = failure && marks.findLast((mark): mark is Ended => mark.kind === "end" && mark.message === failure.message);
    return {
      messages: agent.messages.filter(({ id }) => !unsent.has(id)),
      state: agent.state,
      status,
      restated: this.restated,
      position: agent.position,
      subagents: this.subagents,
      used: this.usedWords,
      decided: calls,
      times: this.times.look(),
      marks: said ? marks.filter((mark) => mark !== said) : marks,
      failure,
      ended: said,
      remedy: failed ? "connect" : notice || status.synced ? "hide" : "attach",
      answering: outgoing.some(({ message, refusal }) => !message && !refusal),
      outgoing,
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

const CANCELLED = "cancelled";

/** The person stopped it before. */
const stopped = (): Notice => ({ refusal: true, code: CANCELLED, message: words.chat.stoppedBefore });

/** The thread, with the default agent if none is named. */
export function useChat(threadId: string, agent?: string): [Chat, Picture] {
  const session = useSession();
  const chat = useMemo(() => new Chat(threadId, agent), [threadId, agent, session]);
  useEffect(() => chat.open(), [chat]);
  return [chat, useSyncExternalStore(chat.watch, chat.look)];
}
