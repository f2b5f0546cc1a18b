// Telling a person who does not look at the page that something waits: by the desktop, or by a sound. Neither unless it
// was asked for; what was chosen is kept, as it is no secret.

import { words } from "../words";







const KEY = "aguiws:alerts";

/** A notification takes the place of another of its tag. */
const TAG = "aguiws:waiting";

export interface Choice {
  desktop: boolean;
  sound: boolean;
}

/** What was chosen; nothing where nothing was, or may be kept. */
export function chosenAlerts(): Choice {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Choice> | null;
    return { desktop: kept?.desktop === true, sound: kept?.sound === true };
  } catch {
    return { desktop: false, sound: false };
  }
}

export function keepAlerts(choice: Choice): void {
  try {
    if (choice.desktop || choice.sound) localStorage.setItem(KEY, JSON.stringify(choice));
    else localStorage.removeItem(KEY);
  } catch {
    // It lasts until the reload.
  }
}

/** What has been told of those who wait, to find out what is worth an alert. */
export class Arrivals {
  private before?: number;
  private asked = false;

  /** Something was asked just now; the count that includes it is on its way. */
  ask(): void {
    this.asked = true;
  }

  /** So many wait by now. Answers whether somebody came to them: the first count says only what was there. */
  count(total: number): boolean {
    const came = this.before !== undefined && total > 0 && (total > this.before || this.asked);
    this.before = total;
    this.asked = false;
    return came;
  }
}

export function alertWords(total: number): string {
  return words.bar.chatsWait(total);
}

/** Whether this page can show notifications at all: some phones take them from service workers only. What is shown to find that out is closed again. */
export function canShow(): boolean {
  try {
    new Notification("aguiws", { body: words.bar.alertsOn, tag: TAG, silent: true }).close();
    return true;
  } catch {
    return false;
  }
}

/** Says so on the desktop, in the place of what was said before; `open` is for who clicks on it. */
export function showOnDesktop(total: number, open: () => void): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  try {
    const shown = new Notification("aguiws", { body: alertWords(total), tag: TAG, icon: "/icon.svg" });
    shown.onclick = () => {
      focus();
      open();
      shown.close();
    };
  } catch {
    // It was said when it was turned on.
  }
}

const TOLD = "aguiws:told";

/** Tabs that nobody sees count once a minute: what another told of as many, or more, in this time is the same, in milliseconds. */
const SAME_MS = 90_000;

/** Tells of so many who wait, unless another tab of this browser has just done that: one tab after another gets here. */
export async function tellOnce(total: number, tell: () => void): Promise<void> {
  const one = () => {
    const last = told();
    const since = Date.now() - last.at;
    if (last.tab !== TAB && last.total >= total && since >= 0 && since < SAME_MS) return;
    try {
      localStorage.setItem(TOLD, JSON.stringify({ tab: TAB, total, at: Date.now() }));
    } catch {
      // Each tab tells for itself then.
    }
    tell();
  };
  let turn = false;
  try {
    await navigator.locks.request(TOLD, async () => {
      turn = true;
      one();
    });
  } catch {
    // Where there are no locks, or the page may have none.
    if (!turn) one();
  }
}

/** This tab among those of its browser. */
const TAB = Math.random().toString(36).slice(2);

/** What was told last, and by which tab. */
function told(): { tab?: string; total: number; at: number } {
  try {
    const { tab, total, at } = JSON.parse(localStorage.getItem(TOLD) ?? "{}") as Record<string, unknown>;
    return { tab: String(tab), total: Number(total), at: Number(at) };
  } catch {
    return { total: 0, at: 0 };
  }
}

let audio: AudioContext | undefined;

/** Two short tones. A browser plays nothing in a tab before the first click or key in it. */
export function playSound(): void {
  audio ??= new AudioContext();
  const { currentTime: now, destination } = audio;
  if (audio.state === "suspended") void audio.resume().catch(() => {});
  for (const [hertz, from] of [[660, 0], [880, 0.14]] as const) {
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    tone.frequency.value = hertz;
    loud.gain.setValueAtTime(0.08, now + from);
    loud.gain.exponentialRampToValueAtTime(0.001, now + from + 0.12);
    tone.connect(loud).connect(destination);
    tone.start(now + from);
    tone.stop(now + from + 0.13);
  }
}

const LOOKING = "aguiws:looking";

/** Whether a person looks at this tab now, or at another of this page's. */
export async function lookedAt(): Promise<boolean> {
  if (!document.hidden && document.hasFocus()) return true;
  const held = await navigator.locks?.query().catch(() => undefined);
  return held?.held?.some(({ name }) => name === LOOKING) ?? false;
}

/** Lets the other tabs know while a person looks at this one, until the returned function is called. */
export function sayLooking(): () => void {
  let release: (() => void) | undefined;
  const meet = () => {
    const looks = !document.hidden && document.hasFocus();
    if (looks === (release !== undefined)) return;
    if (!looks) {
      release!();
      release = undefined;
      return;
    }
    const over = new Promise<void>((resolve) => (release = resolve));
    void navigator.locks?.request(LOOKING, { mode: "shared" }, () => over).catch(() => {});
  };
  const happenings: Array<[EventTarget, string]> = [[window, "focus"], [window, "blur"], [document, "visibilitychange"]];
  for (const [target, name] of happenings) target.addEventListener(name, meet);
  meet();
  return () => {
    for (const [target, name] of happenings) target.removeEventListener(name, meet);
    release?.();
  };
}
