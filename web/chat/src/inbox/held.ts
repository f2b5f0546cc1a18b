// Answers that can be taken back: each is held for some seconds before it is sent.

import type { InboxItem } from "../server/api";

/** For how long an answer can be taken back, in milliseconds. */
export const HELD_MS = 5_000;

/** What was answered stays hidden for so long after the server has taken it: until lists know, in milliseconds. */
export const SETTLED_MS = 4_000;

/** How long is told what was done, in milliseconds. */
export const TOLD_MS = 8_000;

export interface Outcome {
  /** What is told of it. */
  text: string;
  /** What of it is open still. */
  open?: readonly InboxItem[];
  /** The run that goes on, by the server's id, and what is said if the question is open again after it. */
  run?: string;
  openAgain?: (why: string) => string;
}

/** An answer that is not sent yet, and when it is, as `performance.now` has it. */
export interface Waiting {
  given: Given;
  at: number;
  /** Who gave it. */
  whose: number;
}

export interface Given {
  items: readonly InboxItem[];
  /** The answer in words. */
  text: string;
  /** How many characters its request has. */
  size?: number;
  /** Hears that it was taken back. */
  undone?: () => void;
  send: () => Promise<Outcome>;
}

/** Answers to several that wait: each is taken back as a whole. */
export const together = (waiting: readonly Waiting[]): Given[] => waiting.flatMap(({ given }) => (given.items.length > 1 ? given : []));

/** How many characters the requests of the answers have together, which a page that goes sends at once. */
export const sizeOfAll = (waiting: readonly Waiting[]): number => waiting.reduce((sum, { given }) => sum + (given.size ?? 0), 0);

export interface Fault {
  given: Given;
  error: unknown;
}

export interface HeldPicture {
  /** The answers that are not sent yet, the latest last. */
  waiting: readonly Waiting[];
  /** What is answered here, which lists may have still. */
  over: ReadonlySet<string>;
  /** What was done last. */
  told?: string;
  /** What was not taken, and why, the latest last. */
  faults: readonly Fault[];
}

/** `keyOf` tells what an item asks from what it asks later. */
export class Held {
  private picture: HeldPicture = { waiting: [], over: new Set(), faults: [] };
  private readonly watchers = new Set<() => void>();
  private readonly timers = new Map<Given, ReturnType<typeof setTimeout>>();
  private telling?: ReturnType<typeof setTimeout>;
  /** Whoever shows the list hears that it has changed. */
  changed: () => void = () => {};

  /** `person`: another number when somebody else uses the page. */
  constructor(
    private readonly keyOf: (item: InboxItem) => string,
    private readonly person: () => number,
  ) {}

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  };
  readonly look = (): HeldPicture => this.picture;

  /** Holds an answer for its time. */
  hold(given: Given): void {
    clearTimeout(this.telling);
    const whose = this.person();
    const { waiting } = this.picture;
    const at = performance.now() + HELD_MS;
    this.show({ waiting: [...waiting, { given, at, whose }], told: undefined, over: this.with(given.items) });
    // What is answered anew is not sent again.
    this.forget(given.items);
    this.timers.set(given, setTimeout(() => void this.send(given), HELD_MS));
  }

  /** Takes an answer that waits back, or the latest one, and returns it. */
  undo(given = this.picture.waiting.at(-1)?.given): Given | undefined {
    if (!given || !this.release(given)) return undefined;
    this.show({ over: this.without(given.items) });
    return given;
  }

  /** Sends an answer that waits, or all of them, at once, and answers whether none of them was in vain. What somebody gave who has left since is sent by nobody. */
  async send(given?: Given): Promise<boolean> {
    const some = this.picture.waiting.filter((one) => given === undefined || one.given === given);
    const taken = await Promise.all(
      some.map(({ given, whose }) => {
        this.release(given);
        if (whose === this.person()) return this.carryOut(given);
        this.show({ over: this.without(given.items) });
        return false;
      }),
    );
    return !taken.includes(false);
  }

  /** Sends once more all that was not taken. */
  async again(): Promise<void> {
    const { faults } = this.picture;
    this.show({ faults: [], over: this.with(faults.flatMap(({ given }) => given.items)) });
    await Promise.all(faults.map(({ given }) => this.carryOut(given)));
  }

  /** Does without what was not taken. */
  leave(): void {
    this.show({ faults: [] });
  }

  /** Tells no more that answers to some of these were not taken: they are given anew, or told elsewhere. */
  forget(items: readonly InboxItem[]): void {
    const keys = new Set(items.map(this.keyOf));
    this.show({ faults: this.picture.faults.filter(({ given }) => !given.items.some((item) => keys.has(this.keyOf(item)))) });
  }

  /** Tells something for a moment, in the place of what was told before. */
  tell(told: string): void {
    clearTimeout(this.telling);
    this.show({ told });
    this.telling = setTimeout(() => this.show({ told: undefined }), TOLD_MS);
  }

  /** Answers whether all of it was taken. */
  private async carryOut(given: Given): Promise<boolean> {
    let taken = false;
    try {
      const { text, open = [] } = await given.send();
      if (text !== "") this.tell(text);
      this.show({ over: this.without(open) });
      taken = open.length === 0;
      const settled = given.items.filter((item) => !open.includes(item));
      setTimeout(() => this.show({ over: this.without(settled) }), SETTLED_MS);
    } catch (error) {
      this.show({ faults: [...this.picture.faults, { given, error }], over: this.without(given.items) });
    }
    this.changed();
    return taken;
  }

  /** It waits no more; false: it did not. */
  private release(given: Given): boolean {
    const { waiting } = this.picture;
    const left = waiting.filter((one) => one.given !== given);
    clearTimeout(this.timers.get(given));
    this.timers.delete(given);
    this.show({ waiting: left });
    return left.length < waiting.length;
  }

  private with(items: readonly InboxItem[]): ReadonlySet<string> {
    return new Set([...this.picture.over, ...items.map(this.keyOf)]);
  }

  private without(items: readonly InboxItem[]): ReadonlySet<string> {
    const over = new Set(this.picture.over);
    for (const item of items) over.delete(this.keyOf(item));
    return over;
  }

  private show(some: Partial<HeldPicture>): void {
    this.picture = { ...this.picture, ...some };
    for (const watcher of [...this.watchers]) watcher();
  }
}
