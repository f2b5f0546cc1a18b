// Many questions answered by one request: which can be, and what becomes of it.

import { isInterruptExpired, randomUUID, type Interrupt, type Message } from "@ag-ui/client";
import { ApiError, type Entry, type InboxItem } from "../server/api";
import { answersOf } from "../../../client/answers";
import { entryOf, type Answer } from "../../../react/forms/answers";
import { isDestructive, questionOf, reasonOnly } from "../../../react/forms/question";
import { pretty } from "../../../react/forms/readjson";
import { folds } from "../../../react/lib/folds";
import { parts } from "../words";
import { inbox } from "../words/inbox";

/** So many threads are answered by one request. */
export const MOST = 100;

export type Way = "approve" | "decline";

/** What a plain yes or no to a question is; undefined where it takes none. */
export function plainAnswer(way: Way, interrupt: Interrupt): Answer | undefined {
  const choice = answersOf(interrupt).choices.find(({ means }) => means === (way === "approve" ? "yes" : "no"));
  return choice && { status: "resolved", payload: choice.payload };
}

/** Whether a no to a question may say why; `most`: how long that may be. */
export function takesWhy(interrupt: Interrupt): { most?: number } | undefined {
  const question = questionOf(interrupt, parts.answer);
  return question.kind === "approval" ? reasonOnly(question.extras) : undefined;
}

/** A plain yes or no, with the reason for it if it may have one. */
function answerWith(way: Way, interrupt: Interrupt, why: string): Answer {
  const plain = plainAnswer(way, interrupt)!;
  if (way !== "decline" || why.trim() === "" || !takesWhy(interrupt)) return plain;
  return { ...plain, payload: { ...(plain.payload as object), reason: why } };
}

/** The one message that the card looks the call up in. */
export function messagesOf({ toolCallId }: Interrupt, toolCall: { name: string; arguments: string } | undefined): Message[] {
  if (!toolCall || !toolCallId) return [];
  return [{ id: "call", role: "assistant", toolCalls: [{ id: toolCallId, type: "function", function: toolCall }] }];
}

/** What an item asks as it is: another selection when it asks something else. */
export function questionsKey({ namespace, threadId, interrupts }: InboxItem): string {
  return JSON.stringify([namespace, threadId, interrupts.map(({ id }) => id)]);
}

/** Why a thread has to be answered on its own: what it asks is not all in sight, is answered in part, too late, no matter of yes and no, not to be undone, or somebody else's. */
export type Barred = "long" | "begun" | "late" | "more" | "destructive" | "assigned";

/** What keeps a plain yes or no of `me` from answering all that a thread asks. */
export function barredBy({ corrupted, omitted, interrupts, assignee }: InboxItem, me?: string): Barred | undefined {
  if (corrupted || omitted || interrupts.length === 0) return "long";
  const found = interrupts.map(({ interrupt, toolCall, truncated, stale, draft }): Barred | undefined => {
    const asked = interrupt as unknown as Interrupt;
    if (draft) return "begun";
    if (stale || isInterruptExpired(asked)) return "late";
    if (isDestructive(asked)) return "destructive";
    if (truncated) return "long";
    if (!plainAnswer("approve", asked) || !plainAnswer("decline", asked)) return "more";
    return folds(asked.message ?? "") || folds(pretty(toolCall?.arguments ?? "")) ? "long" : undefined;
  });
  return found.find((one) => one !== undefined) ?? (assignee !== undefined && me !== undefined && assignee !== me ? "assigned" : undefined);
}

export const bulkable = (item: InboxItem, me?: string): boolean => barredBy(item, me) === undefined;

/** The chosen ones, by questionsKey, that are on offer; the same set if all are. */
export function among(chosen: ReadonlySet<string>, offered: readonly InboxItem[]): ReadonlySet<string> {
  const left = offered.map(questionsKey).filter((key) => chosen.has(key));
  return left.length === chosen.size ? chosen : new Set(left);
}

/** The tools that items ask about, with how many of them do, the most frequent first. */
export function toolsOf(items: readonly InboxItem[]): Array<[tool: string, items: number]> {
  const counts = new Map<string, number>();
  for (const { interrupts } of items) {
    for (const tool of new Set(interrupts.flatMap(({ toolCall }) => toolCall?.name ?? []))) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** How many questions these ask, in words, and of how many chats unless each asks one. */
export function countWords(items: readonly InboxItem[]): string {
  const count = countOf(items);
  return count === items.length ? inbox.questions(count) : inbox.questionsOf(count, items.length);
}

/** How many questions these ask. */
export const countOf = (items: readonly InboxItem[]): number => items.reduce((sum, { interrupts }) => sum + interrupts.length, 0);

/** Whether a yes to these carries out calls, answers with a yes, or does both. */
export function called(items: readonly InboxItem[]): "calls" | "answers" | "both" {
  const kinds = new Set(items.flatMap(({ interrupts }) => interrupts.map(({ toolCall }) => (toolCall ? "calls" : "answers"))));
  return kinds.size > 1 ? "both" : kinds.has("calls") ? "calls" : "answers";
}

/** What became of one thread's answers. */
export interface Result {
  item: InboxItem;
  error?: { status: number; code: string; detail: string };
  /** So many of its questions are unanswered still; those answered are drafts until they are. */
  missing?: number;
  /** The run that its answers began. */
  run?: string;
}

export interface BulkPicture {
  way: Way;
  /** What is to be answered, as it was chosen. */
  items: readonly InboxItem[];
  /** Why it is a no. */
  why: string;
  /** `asking` and `held`: nothing is sent. `unanswered`: it was, and what became of `items` is not known. */
  state: "idle" | "asking" | "held" | "sending" | "unanswered";
  /** Why all of it was refused, or is unanswered. */
  fault?: ApiError;
  /** Of what was sent last, as far as it is known. */
  results: readonly Result[];
}

export interface Request {
  idempotencyKey: string;
  items: Array<{ threadId: string; namespace: string; entries: Entry[] }>;
}

interface Reply {
  items: Array<{ resolved?: { missing?: string[]; admitted?: { id: string } }; error?: Result["error"] }>;
}

let bulks = 0;

/** A request keeps its key until it is answered, so that sending it again answers nothing twice. */
export class Bulk {
  /** Tells it from others. */
  readonly number = ++bulks;
  private key = "";
  private readonly watchers = new Set<() => void>();
  private picture: BulkPicture = { way: "approve", items: [], why: "", state: "idle", results: [] };

  constructor(
    private readonly post: (request: Request) => Promise<Reply>,
    private readonly newKey: () => string = randomUUID,
  ) {}

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  look = (): BulkPicture => this.picture;

  /** Asks whether these are to be answered so; not while other answers are on their way. */
  propose(way: Way, items: readonly InboxItem[]): void {
    if (this.picture.state !== "idle" || items.length === 0) return;
    this.key = this.newKey();
    this.show({ way, items: items.slice(0, MOST), why: "", state: "asking", results: [], fault: undefined });
  }

  /** Says why it is a no, as long as nothing is sent. */
  explain(why: string): void {
    if (this.picture.state === "asking") this.show({ why });
  }

  /** Hears what can be answered now: what was proposed and is not among it any more, as it was proposed, is not answered. */
  keep(offered: readonly InboxItem[]): void {
    const { state, items } = this.picture;
    if (state !== "asking") return;
    const there = new Set(offered.map(questionsKey));
    const left = items.filter((item) => there.has(questionsKey(item)));
    if (left.length === 0) this.leave();
    else if (left.length < items.length) this.show({ items: left });
  }

  /** What became of the last ones has been seen. */
  clear(): void {
    const { state, fault, results } = this.picture;
    if (state === "idle" && (fault || results.length > 0)) this.show({ fault: undefined, results: [] });
  }

  /** Does without: what was not sent never is, and what became of the rest is for the list to show. */
  leave(): void {
    if (this.picture.state !== "sending") this.show({ state: "idle", items: [], fault: undefined });
  }

  /** Keeps what was proposed as it is until it is sent or left, and answers what will be sent. */
  hold(): Request | undefined {
    if (this.picture.state !== "asking") return undefined;
    this.show({ state: "held" });
    return this.request();
  }

  /** Sends what was proposed, or again what is unanswered. Answers what became known. */
  async send(): Promise<readonly Result[]> {
    const { state, items, results } = this.picture;
    if (state !== "asking" && state !== "held" && state !== "unanswered") return [];
    this.show({ state: "sending", fault: undefined });
    try {
      const { items: told } = await this.post(this.request());
      if (!Array.isArray(told) || told.length !== items.length) throw new ApiError(200, "unreadable", inbox.notResults);
      const all = items.map((item, i): Result => ({ item, error: told[i]!.error, missing: told[i]!.resolved?.missing?.length, run: told[i]!.resolved?.admitted?.id }));
      const open = all.filter(({ error }) => error && passes(error.status));
      const known = all.filter(({ error }) => !error || !passes(error.status));
      const [first] = open;
      this.show({
        state: open.length > 0 ? "unanswered" : "idle",
        items: open.map(({ item }) => item),
        fault: first?.error && new ApiError(first.error.status, first.error.code, first.error.detail),
        results: [...results, ...known],
      });
      return known;
    } catch (error) {
      const fault = error instanceof ApiError ? error : new ApiError(0, "client", String(error));
      // A refusal says nothing about what was sent under this key before.
      const refused = state !== "unanswered" && fault.status >= 400 && !passes(fault.status);
      this.show({ state: refused ? "idle" : "unanswered", items: refused ? [] : items, fault });
      return [];
    }
  }

  private request(): Request {
    const { way, items, why } = this.picture;
    return {
      idempotencyKey: this.key,
      items: items.map(({ threadId, namespace, interrupts }) => ({
        threadId,
        namespace,
        entries: interrupts.map(({ id, interrupt }) => entryOf(id, answerWith(way, interrupt as unknown as Interrupt, why))),
      })),
    };
  }

  private show(some: Partial<BulkPicture>): void {
    this.picture = { ...this.picture, ...some };
    for (const watcher of [...this.watchers]) watcher();
  }
}

/** Whether a status says nothing for good. */
function passes(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** How many end below what is seen of a list, by where they end and where that does, in pixels. */
export const endBelow = (ends: readonly number[], end: number): number => ends.filter((one) => one > end + 1).length;
