// A decision is meant for what was there when somebody made up their mind. What has only just come, changed or moved, or
// what is there when another decision has just been taken, takes none: it may be the second half of a double click, a key
// that is still held down, or a hand that was on its way.

/** How long something has to have been seen as it is, where it is, before it takes an act, in milliseconds. */
export const CALM_MS = 800;

/** How long one waits for the next act behind an act of one's own, in milliseconds: a hand that trembles is done by then. */
export const OWN_MS = 300;

/** What moves so soon behind an act of the person's is moved by that, as browsers count it for shifts of layout, in milliseconds. */
const CAUSED_MS = 500;

/** How long it is said that an act was not taken, in milliseconds. */
export const SAID_MS = 4_000;

/** A spot that is further from where it was than this has moved, in pixels. */
const MOVED = 8;

/** `calm`: it takes an act. `refused`: it did not take the last one. */
export interface SpotState {
  calm: boolean;
  refused: boolean;
}

/** Where a spot is in the window, and how far the page is scrolled: their sum is where it is on the page. */
export interface Place {
  x: number;
  y: number;
  scrolled: number;
}

/** All spots of a page that take decisions. */
export class Guard {
  private readonly spots = new Set<Spot>();
  private actedAt = -Infinity;

  /** Counts the spot in until the returned function is called. */
  add(spot: Spot): () => void {
    this.spots.add(spot);
    return () => this.spots.delete(spot);
  }

  /** The person has pressed or typed something. */
  acted(): void {
    this.actedAt = performance.now();
  }

  /** Nothing takes an act for a moment: there is something to look at. */
  disturb(): void {
    const pause = this.own() ? OWN_MS : CALM_MS;
    for (const spot of this.spots) spot.disturb(pause);
  }

  /** Nothing takes an act for a moment: a decision has just been taken. */
  decided(): void {
    for (const spot of this.spots) spot.disturb(OWN_MS);
  }

  /** Something on the page has changed, and may have moved the rest. `byPage`: the page has scrolled, and nobody else. */
  look(byPage = false): void {
    const own = this.own();
    for (const spot of this.spots) spot.look(byPage, own);
  }

  private own(): boolean {
    return performance.now() - this.actedAt < CAUSED_MS;
  }
}

/** One place that takes decisions. */
export class Spot {
  private since = performance.now();
  /** How long it waits from then on. */
  private pause = CALM_MS;
  private subject?: string;
  private place?: Place;
  /** Whether it was calm when the pointer last came down on it. */
  private pressed?: boolean;
  private state: SpotState = { calm: false, refused: false };
  private timer?: ReturnType<typeof setTimeout>;
  private refusedAt = -Infinity;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly where: () => Place | undefined) {}

  /** What it decides. Another subject is one that has just come; an empty one is nothing to be careful about. */
  about(subject: string): void {
    if (subject === this.subject) return;
    this.subject = subject;
    this.disturb();
  }

  /** It waits for so long; a longer wait that has begun goes on. */
  disturb(pause = CALM_MS): void {
    const now = performance.now();
    if (now + pause < this.since + this.pause) return;
    this.since = now;
    this.pause = pause;
    this.settle();
  }

  /** The person has come to it on purpose: it waits as behind any act of the person's. */
  led(): void {
    this.pause = Math.min(this.pause, OWN_MS);
    this.settle();
  }

  /** Finds out whether it has moved. What a person scrolls moves in the window, but not on the page; `own`: whatever moved, the person did it. */
  look(byPage = false, own = false): void {
    const now = this.where();
    const before = this.place;
    this.place = now;
    if (!now || !before || own) return;
    const down = now.y - before.y;
    const onPage = down + now.scrolled - before.scrolled;
    if (Math.abs(now.x - before.x) > MOVED || (Math.abs(down) > MOVED && (byPage || Math.abs(onPage) > MOVED))) this.disturb();
  }

  /** The pointer comes down. It is lifted later, and what was decided was decided before it came down. */
  press(): void {
    this.look();
    this.pressed = this.calm();
  }

  /**
   * Whether an act is taken; one that is not makes the spot wait anew. `again`: a repeated key, or not the first click in a
   * row. `lifted`: it is the end of a press.
   */
  takes({ again = false, lifted = false } = {}): boolean {
    if (this.subject === "") return true;
    this.look();
    const taken = this.calm() && !again && !(lifted && this.pressed === false);
    this.refusedAt = taken ? -Infinity : performance.now();
    if (!taken) this.disturb(this.calm() ? OWN_MS : this.pause);
    else this.settle();
    return taken;
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    this.settle();
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size === 0) clearTimeout(this.timer);
    };
  };

  read = (): SpotState => this.state;

  /** By the clock, which a timer may lag behind. */
  private calm(): boolean {
    return this.subject === "" || performance.now() - this.since >= this.pause;
  }

  private settle(): void {
    const now = performance.now();
    const calm = this.calm();
    const refused = now - this.refusedAt < SAID_MS;
    clearTimeout(this.timer);
    const wait = calm ? (refused ? this.refusedAt + SAID_MS - now : undefined) : this.since + this.pause - now;
    if (wait !== undefined && this.watchers.size > 0) this.timer = setTimeout(() => this.settle(), Math.ceil(wait));
    if (calm === this.state.calm && refused === this.state.refused) return;
    this.state = { calm, refused };
    for (const watcher of [...this.watchers]) watcher();
  }
}
