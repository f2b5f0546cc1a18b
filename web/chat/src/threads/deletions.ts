// Deletions that can be taken back: a chat is hidden at once, in all tabs, and deleted some seconds later by the tab that was
// asked. That tab may be loaded anew meanwhile; one that is closed has deleted nothing, also when it is opened again later.

import { call } from "../server/api";
import { whenOver } from "../server/session";

export interface Deletion {
  threadId: string;
  title: string;
  /** When it is carried out, Unix time in milliseconds. */
  at: number;
  /** Another tab was asked, and it is that one's. */
  elsewhere?: boolean;
  /** It was carried out, and stays hidden until lists know. */
  done?: boolean;
}

/** For how long a deletion can be taken back, in milliseconds. */
export const HELD_MS = 8_000;

/** What was not carried out this long after its time is not any more: its tab was gone. */
const LOST_MS = 4_000;

const KEY = "aguiws:deletions";

interface Kept {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** What goes to the other tabs. */
type Told = { held: Deletion } | { over: string } | { gone: string } | { who: true };

export interface Tabs {
  postMessage(told: Told): void;
  onmessage: ((event: { data: Told }) => void) | null;
}

interface Does {
  remove(threadId: string): Promise<unknown>;
  kept?: Kept;
  tabs?: Tabs;
}

export class Deletions {
  private held: readonly Deletion[] = [];
  private fault: { threadId: string; words: string } | undefined;
  private picture: { held: readonly Deletion[]; fault?: { threadId: string; words: string } } = { held: [] };
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly watchers = new Set<() => void>();
  /** Whoever shows chats hears that one is gone. */
  gone: (threadId: string) => void = () => {};

  constructor(private readonly does: Does) {
    if (does.tabs) does.tabs.onmessage = ({ data }) => this.hear(data);
    for (const one of read(does.kept)) if (Date.now() < one.at + LOST_MS) this.put(one);
    this.changed();
    does.tabs?.postMessage({ who: true });
  }

  readonly watch = (watcher: () => void) => {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  };
  readonly look = () => this.picture;

  /** Hides a chat, and deletes it when its time is over. */
  hold(threadId: string, title: string, now = Date.now()): void {
    this.fault = undefined;
    const one = { threadId, title, at: now + HELD_MS };
    this.put(one);
    this.does.tabs?.postMessage({ held: one });
  }

  /** The chat stays. */
  undo(threadId: string): void {
    this.drop(threadId);
    this.does.tabs?.postMessage({ over: threadId });
  }

  /** The person is gone: what waits to be deleted stays. */
  forget(): void {
    for (const { threadId, elsewhere } of this.held) {
      if (elsewhere) this.drop(threadId);
      else this.undo(threadId);
    }
  }

  private put(one: Deletion): void {
    clearTimeout(this.timers.get(one.threadId));
    this.timers.set(one.threadId, setTimeout(() => void (one.elsewhere ? this.drop(one.threadId) : this.carryOut(one)), Math.max(0, one.at + (one.elsewhere ? LOST_MS : 0) - Date.now())));
    this.held = [...this.held.filter(({ threadId }) => threadId !== one.threadId), one];
    this.changed();
  }

  private drop(threadId: string): void {
    clearTimeout(this.timers.get(threadId));
    this.timers.delete(threadId);
    this.held = this.held.filter((one) => one.threadId !== threadId);
    this.changed();
  }

  private async carryOut({ threadId }: Deletion): Promise<void> {
    try {
      await this.does.remove(threadId);
    } catch (failed) {
      this.fault = { threadId, words: failed instanceof Error ? failed.message : String(failed) };
      return this.undo(threadId);
    }
    this.does.tabs?.postMessage({ gone: threadId });
    this.settle(threadId);
  }

  private settle(threadId: string): void {
    this.put({ threadId, title: "", at: Date.now(), elsewhere: true, done: true });
    this.gone(threadId);
  }

  private hear(told: Told): void {
    if ("who" in told) {
      for (const one of this.held) if (!one.elsewhere) this.does.tabs?.postMessage({ held: one });
    } else if ("gone" in told) this.settle(told.gone);
    else if ("over" in told) this.drop(told.over);
    else this.put({ ...told.held, elsewhere: true });
  }

  private changed(): void {
    this.picture = { held: this.held, fault: this.fault };
    try {
      const own = this.held.filter(({ elsewhere }) => !elsewhere);
      if (own.length > 0) this.does.kept?.setItem(KEY, JSON.stringify(own));
      else this.does.kept?.removeItem(KEY);
    } catch {
      // It is carried out unless the tab is loaded anew.
    }
    for (const watcher of this.watchers) watcher();
  }
}

function read(kept: Kept | undefined): Deletion[] {
  try {
    const list: unknown = JSON.parse(kept?.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((one): one is Deletion => typeof one?.threadId === "string" && typeof one?.title === "string" && typeof one?.at === "number") : [];
  } catch {
    return [];
  }
}

let page: Deletions | undefined;

const forget = () => page?.forget();

/** Those of this tab, and of whoever is signed in. */
export function pageDeletions(): Deletions {
  whenOver(forget);
  return (page ??= new Deletions({
    remove: (threadId) => call("DELETE", `/threads/${encodeURIComponent(threadId)}`),
    kept: sessionStorage,
    tabs: typeof BroadcastChannel === "undefined" ? undefined : (new BroadcastChannel(KEY) as unknown as Tabs),
  }));
}
