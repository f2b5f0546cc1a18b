// A decision is meant for what was there when somebody made up their mind. What has only just come, changed or moved, or
// what is there when another decision has just been taken, takes none: it may be the second half of a double click, a key
// that is still held down, or a hand that was on its way.

/** How long something has to have been seen as it is, where it is, before it takes an act, in milliseconds. */
export const CALM_MS = 800;

/** How long one waits for the next act behind an act of one's own, in milliseconds: a hand that trembles is done by then. */
export const OWN_MS = 300;

/** How long what follows on a decision of one's own is seen before it takes the next one, in milliseconds. */
export const NEXT_MS = 600;

/** What moves so soon behind an act of the person's is moved by that, as browsers count it for shifts of layout, in milliseconds. */
const CAUSED_MS = 500;

/** How long something waits at most for what is to be known before it, in milliseconds. */
export const HOLD_MS = 2_000;

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

/** From when on, and for how long, something is waited for. */
interface Wait {
  since: number;
  pause: number;
}

/** A wait from now on, unless the one before it ends later. */
function longer(before: Wait, pause: number): Wait {
  const since = performance.now();
  return since + pause < before.since + before.pause ? before : { since, pause };
}

/** One place that takes decisions. */
export class Spot {
  /** Before a pointer, to which it matters where the spot is, and before a key, to which it does not. */
  private wait: Wait = { since: performance.now(), pause: CALM_MS };
  private unseen = this.wait;
  /** From when on a key waits for it: the person has gone to it, and nothing has happened to it since that they have not done. */
  private wanted = Infinity;
  private subject?: string;
  /** What is to be known before it is waited for, until then at most. */
  private held?: number;
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

  /** It takes nothing while what is to be known before it is on its way, for a while at most. */
  hold(held: boolean): void {
    if (held === (this.held !== undefined)) return;
    this.held = held ? performance.now() + HOLD_MS : undefined;
    this.settle();
  }

  /** It waits for so long; a longer wait that has begun goes on. */
  disturb(pause = CALM_MS): void {
    this.wanted = Infinity;
    this.unseen = longer(this.unseen, pause);
    this.moved(pause);
  }

  /** The person has come to it on purpose: it waits as behind any act of the person's. */
  led(): void {
    this.came(0, OWN_MS);
  }

  /** It is next behind what the person has decided. A key at once may be the end of that decision, and a later one is meant for this. */
  follows(): void {
    this.came(OWN_MS, NEXT_MS);
  }

  private came(fromMs: number, pause: number): void {
    this.wanted = performance.now() + fromMs;
    this.unseen = { ...this.unseen, pause: Math.min(this.unseen.pause, pause) };
    this.wait = { ...this.wait, pause: Math.min(this.wait.pause, pause) };
    this.settle();
  }

  /** How long a key waits whose person has gone to it for that, in milliseconds; undefined: no key waits, each is taken or is not. */
  left(): number | undefined {
    const left = this.rest(this.unseen);
    return this.wanted <= performance.now() && left > 0 ? left : undefined;
  }

  /** A key was meant for it that is not taken. */
  refuse(): void {
    this.refusedAt = performance.now();
    this.settle();
  }

  /** How long it waits still. */
  private rest({ since, pause }: Wait): number {
    return Math.max(since + pause, this.held ?? 0) - performance.now();
  }

  /** It is elsewhere, and decides what it did. */
  private moved(pause = CALM_MS): void {
    this.wait = longer(this.wait, pause);
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
    if (Math.abs(now.x - before.x) > MOVED || (Math.abs(down) > MOVED && (byPage || Math.abs(onPage) > MOVED))) this.moved();
  }

  /** The pointer comes down. It is lifted later, and what was decided was decided before it came down. */
  press(): void {
    this.look();
    this.pressed = this.calm();
  }

  /**
   * Whether an act is taken; one that is not makes the spot wait anew. `again`: a repeated key, or not the first click in a
   * row. `lifted`: it is the end of a press. `keyed`: no pointer did it, so that it does not matter where the spot is.
   */
  takes({ again = false, lifted = false, keyed = false } = {}): boolean {
    if (this.subject === "") return true;
    this.look();
    const wait = keyed ? this.unseen : this.wait;
    const over = this.rest(wait) <= 0;
    const taken = over && !again && !(lifted && this.pressed === false);
    this.refusedAt = taken ? -Infinity : performance.now();
    // A key in a row of them that the person's own keys led to waits for no more than a hand that trembles.
    if (!taken) this.disturb(over || (keyed && wait.pause < CALM_MS) ? OWN_MS : wait.pause);
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
    return this.subject === "" || this.rest(this.wait) <= 0;
  }

  private settle(): void {
    const now = performance.now();
    const calm = this.calm();
    const refused = now - this.refusedAt < SAID_MS;
    clearTimeout(this.timer);
    const wait = calm ? (refused ? this.refusedAt + SAID_MS - now : undefined) : this.rest(this.wait);
    if (wait !== undefined && this.watchers.size > 0) this.timer = setTimeout(() => this.settle(), Math.ceil(wait));
    if (calm === this.state.calm && refused === this.state.refused) return;
    this.state = { calm, refused };
    for (const watcher of [...this.watchers]) watcher();
  }
}
