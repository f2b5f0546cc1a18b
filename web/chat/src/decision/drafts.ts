// Answers that wait for the others of their thread. A server with the control API keeps them, for everybody who may
// answer; what it does not keep stays here until all are sent together.

import { type RefObject, useEffect, useMemo, useSyncExternalStore } from "react";
import { ApiError, asker, call, type Entry, type InboxItem, type Page } from "../server/api";
import { entryOf, type Answer } from "../../../react/forms/answers";
import { ownPerson } from "../server/own";
import { useSession } from "../server/session";
import { words } from "../words";

/** What a server does for drafts. Each call rejects with an ApiError. */
export interface Keeper {
  /** The drafts of the thread. */
  load(): Promise<Entry[]>;
  keep(entry: Entry): Promise<unknown>;
  drop(interruptId: string): Promise<unknown>;
}

export interface DraftsPicture {
  /** By interrupt id. */
  answers: Readonly<Record<string, Answer>>;
  /** Whether the server holds some of them. */
  kept: boolean;
  /** Why an answer could not be kept, by interrupt id. */
  faults: Readonly<Record<string, ApiError>>;
}

/** How often others' drafts are asked for, in milliseconds. */
const EVERY_MS = 2_000;

/** Statuses of a server that keeps no drafts, or not for this identity. */
const UNABLE = new Set([401, 403, 404, 405, 501]);

type Here = Map<string, Answer | undefined>;

const heres = new Map<string, Here>();

const keyOf = (threadId: string, namespace: string | undefined) => JSON.stringify([ownPerson(), namespace, threadId]);

/**
 * The answer that would complete a thread's is not kept: the server would take it for the order to go on, which is
 * given here by sending all. One call to the server is under way at a time.
 */
export class Drafts {
  private open: readonly string[] = [];
  private kept: Record<string, Answer> = {};
  private faults: Record<string, ApiError> = {};
  private able = true;
  private busy = false;
  private again = false;
  private readonly watchers = new Set<() => void>();
  private picture: DraftsPicture = { answers: {}, kept: false, faults: {} };

  /** `known`: what the server is known to hold. `here`: what was decided here and the server does not know; undefined takes back. */
  constructor(
    private readonly keeper: Keeper,
    known: Readonly<Record<string, Answer>> = {},
    private readonly here: Here = new Map(),
  ) {
    this.kept = { ...known };
    this.changed();
  }

  /** These are the open questions now. A lone one is sent when it is answered, so nothing is kept for it. */
  ask(open: readonly string[]): void {
    if (open.length === this.open.length && open.every((id, i) => id === this.open[i])) return;
    this.open = open;
    const gone = (id: string) => !open.includes(id);
    for (const id of [...this.here.keys()].filter(gone)) this.here.delete(id);
    for (const id of Object.keys(this.kept).filter(gone)) delete this.kept[id];
    this.faults = {};
    this.changed();
    void this.meet();
  }

  /** Decides, or, with undefined, takes a decision back. */
  decide(id: string, answer: Answer | undefined): void {
    this.here.set(id, answer);
    delete this.faults[id];
    this.changed();
    void this.meet();
  }

  /** Keeps up with what others decide while it is shown, until the returned function is called. */
  follow(shown: () => boolean): () => void {
    const timer = setInterval(() => {
      if (!globalThis.document?.hidden && shown()) void this.meet();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  look = (): DraftsPicture => this.picture;

  /** Learns what the server holds and tells it what it does not. */
  private async meet(): Promise<void> {
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.again && this.able && this.open.length > 1) {
        this.again = false;
        this.kept = this.readable(await this.keeper.load());
        this.changed();
        for (let next = this.unsaid(); next; next = this.unsaid()) await this.say(...next);
      }
    } catch (error) {
      // Whoever does not answer now is asked again later.
      if (!(error instanceof ApiError) || UNABLE.has(error.status) || error.code === "unreadable") this.able = false;
    }
    this.busy = false;
  }

  private readable(entries: Entry[]): Record<string, Answer> {
    const kept: Record<string, Answer> = {};
    for (const { interruptId, status, payload } of entries) {
      if (this.open.includes(interruptId)) kept[interruptId] = { status, payload };
    }
    return kept;
  }

  /** The next decision for the server. */
  private unsaid(): [id: string, answer: Answer | undefined] | undefined {
    const answers = this.answers();
    const complete = this.open.every((id) => answers[id]);
    for (const [id, answer] of this.here) {
      if (answer ? !complete : this.kept[id]) return [id, answer];
      if (!answer) this.here.delete(id);
    }
    return undefined;
  }

  private async say(id: string, answer: Answer | undefined): Promise<void> {
    try {
      await (answer ? this.keeper.keep(entryOf(id, answer)) : this.keeper.drop(id));
      if (answer) this.kept[id] = answer;
      else delete this.kept[id];
    } catch (error) {
      if (!(error instanceof ApiError) || !refused(error)) throw error;
      if (answer && this.open.includes(id)) this.faults[id] = error;
      else delete this.kept[id];
    }
    // Unless it was decided differently meanwhile.
    if (this.here.get(id) === answer) this.here.delete(id);
    this.changed();
  }

  private answers(): Record<string, Answer> {
    const answers = { ...this.kept };
    for (const [id, answer] of this.here) {
      if (answer) answers[id] = answer;
      else delete answers[id];
    }
    return answers;
  }

  private changed(): void {
    this.picture = { answers: this.answers(), kept: Object.keys(this.kept).length > 0, faults: { ...this.faults } };
    for (const watcher of [...this.watchers]) watcher();
  }
}

/** Whether the server said no to this one answer. */
function refused({ status, code }: ApiError): boolean {
  return code.startsWith("interrupt_") || (status >= 400 && status < 500 && status !== 429 && !UNABLE.has(status));
}

function keeperOf(threadId: string, namespace?: string): Keeper {
  const base = `/threads/${encodeURIComponent(threadId)}/interrupts`;
  const of = namespace === undefined ? "" : `?namespace=${encodeURIComponent(namespace)}`;
  const ask = asker<Partial<Page<InboxItem>> | undefined>(`${base}${of}`);
  return {
    load: async () => {
      const page = await ask();
      if (!Array.isArray(page?.items)) throw new ApiError(200, "unreadable", words.decision.notInterrupts);
      return page.items.flatMap((item) => item.interrupts.flatMap(({ draft }) => draft ?? []));
    },
    keep: (entry) => call("POST", `${base}/resolve${of}`, { entries: [entry] }),
    drop: (id) => call("DELETE", `${base}/${encodeURIComponent(id)}/draft${of}`),
  };
}

/** What is decided about a thread here and not told its server outlasts the place where it was decided: what is taken back, or was not sent, can be sent. */
export function draftsFor(threadId: string, namespace?: string, known?: Readonly<Record<string, Answer>>): Drafts {
  const key = keyOf(threadId, namespace);
  const here: Here = heres.get(key) ?? new Map();
  heres.set(key, here);
  return new Drafts(keeperOf(threadId, namespace), known, here);
}

/** The server knows all of it. */
export function forgetHere(threadId: string, namespace?: string): void {
  heres.delete(keyOf(threadId, namespace));
}

/** `namespace`: the thread's, unless it is the person's own. `box`: where its questions are shown. */
export function useDrafts(threadId: string, open: readonly string[], box: RefObject<Element | null>, namespace?: string, known?: Readonly<Record<string, Answer>>): [Drafts, DraftsPicture] {
  const session = useSession();
  const drafts = useMemo(() => draftsFor(threadId, namespace, known), [threadId, namespace, session]);
  useEffect(() => drafts.follow(() => box.current?.closest("[hidden]") === null), [drafts, box]);
  useEffect(() => drafts.ask(open));
  return [drafts, useSyncExternalStore(drafts.watch, drafts.look)];
}
