// Answers that can be taken back: one is held for some seconds before it is sent, or until another one comes.

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

export interface Given {
  items: readonly InboxItem[];
  /** The answer in words. */
  text: string;
  /** It is too large to be sent by a page that goes. */
  large?: boolean;
  send: () => Promise<Outcome>;
}

export interface HeldPicture {
  /** The answer that is not sent yet. */
  held?: Given;
  /** What is answered here, which lists may have still. */
  over: ReadonlySet<string>;
  /** What was done last. */
  told?: string;
  /** What was not taken, and why. */
  fault?: { given: Given; error: unknown };
}

/** `keyOf` tells what an item asks from what it asks later. */
export class Held {
  private picture: HeldPicture = { over: new Set() };
  private readonly watchers = new Set<() => void>();
  private timer?: ReturnType<typeof setTimeout>;
  private telling?: ReturnType<typeof setTimeout>;
  private whose = 0;
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

  /** Holds an answer. The one before it is sent. */
  hold(given: Given): void {
    void this.send();
    clearTimeout(this.telling);
    this.whose = this.person();
    const { fault } = this.picture;
    const anew = fault?.given.items.some((one) => given.items.some((item) => this.keyOf(one) === this.keyOf(item)));
    this.show({ held: given, told: undefined, over: this.with(given.items), ...(anew && { fault: undefined }) });
    this.timer = setTimeout(() => void this.send(), HELD_MS);
  }

  /** Takes the held answer back, and returns it. */
  undo(): Given | undefined {
    const { held } = this.picture;
    if (!held) return undefined;
    clearTimeout(this.timer);
    this.show({ held: undefined, over: this.without(held.items) });
    return held;
  }

  /** Sends the held answer at once. What somebody gave who has left since is sent by nobody. */
  async send(): Promise<void> {
    const { held } = this.picture;
    if (!held) return;
    clearTimeout(this.timer);
    this.show({ held: undefined });
    if (this.whose === this.person()) await this.carryOut(held);
    else this.show({ over: this.without(held.items) });
  }

  /** Sends once more what was not taken. */
  async again(): Promise<void> {
    const given = this.picture.fault?.given;
    if (!given) return;
    this.show({ fault: undefined, over: this.with(given.items) });
    await this.carryOut(given);
  }

  /** Does without what was not taken. */
  leave(): void {
    this.show({ fault: undefined });
  }

  /** Tells something for a moment, in the place of what was told before. */
  tell(told: string): void {
    clearTimeout(this.telling);
    this.show({ told });
    this.telling = setTimeout(() => this.show({ told: undefined }), TOLD_MS);
  }

  private async carryOut(given: Given): Promise<void> {
    try {
      const { text, open = [] } = await given.send();
      if (!this.picture.held) this.tell(text);
      this.show({ over: this.without(open) });
      const settled = given.items.filter((item) => !open.includes(item));
      setTimeout(() => this.show({ over: this.without(settled) }), SETTLED_MS);
    } catch (error) {
      this.show({ fault: { given, error }, over: this.without(given.items) });
    }
    this.changed();
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
