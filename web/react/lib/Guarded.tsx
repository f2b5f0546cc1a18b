import { type KeyboardEvent, type MouseEvent, type ReactNode, type SyntheticEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useBeforePaint } from "./beforepaint.js";
import { Guard, Spot } from "./guard.js";
import { useStrings } from "./words.js";

const guard = new Guard();

/** The elements of the spots. */
const places = new Map<Spot, HTMLElement>();

/** What a person does that may move things. */
export const ACTS = ["pointerdown", "click", "keydown", "input"];

let guarded = 0;
let unwatch: (() => void) | undefined;

/** Whatever moves things on the page changes it first; a tab that comes into sight shows what came meanwhile. */
function watchPage(): () => void {
  let looking = 0;
  // Once a frame; whoever acts before that looks then.
  const changes = new MutationObserver(() => {
    looking ||= requestAnimationFrame(() => {
      looking = 0;
      guard.look();
    });
  });
  changes.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["open", "hidden", "rows", "style", "class"] });
  const seen = () => {
    if (!document.hidden) guard.disturb();
  };
  document.addEventListener("visibilitychange", seen);
  // Behind all who look whether the act itself is taken; one that is not goes no further, and is none.
  const noted = () => guard.acted();
  for (const act of ACTS) window.addEventListener(act, noted);
  return () => {
    changes.disconnect();
    cancelAnimationFrame(looking);
    for (const act of ACTS) window.removeEventListener(act, noted);
    document.removeEventListener("visibilitychange", seen);
  };
}

interface Props {
  /** What is decided here, as far as it is shown; empty where nothing can be done by mistake. */
  subject: string;
  /** What is to be known before it is decided is on its way: for a while, nothing is taken. */
  held?: boolean;
  /** It stays where it is in the window, whatever size it has. */
  fixed?: boolean;
  /** It stays in the window where its parent's end is below that. */
  sticky?: boolean;
  className?: string;
  children: ReactNode;
}

/**
 * The one way to every control that decides something. Buttons and Enter in it do nothing while the guard has it wait: it
 * says so to assistive technology, to the eye, and in words to whoever tries. A button that decides nothing beyond what it
 * stands in, such as one that adds a field, says `data-edits`, and does not wait.
 */
export function Guarded({ subject, held = false, fixed = false, sticky = false, className = "", children }: Props) {
  const { tooSoon } = useStrings().answer;
  const box = useRef<HTMLDivElement>(null);
  const [spot] = useState(
    () =>
      new Spot(() => {
        if (fixed || !box.current) return undefined;
        const { x, y } = box.current.getBoundingClientRect();
        // What sticks is on the page where its parent ends, wherever it is in the window.
        const end = sticky ? box.current.parentElement!.getBoundingClientRect().bottom : y;
        return { x, y, scrolled: window.scrollY + end - y };
      }),
  );
  const { calm, refused } = useSyncExternalStore(spot.watch, spot.read, spot.read);
  useBeforePaint(() => {
    spot.about(subject);
    spot.hold(held);
  });
  useEffect(() => {
    const leave = guard.add(spot);
    places.set(spot, box.current!);
    if (guarded++ === 0) unwatch = watchPage();
    spot.look();
    return () => {
      leave();
      places.delete(spot);
      if (--guarded === 0) unwatch?.();
    };
  }, [spot]);
  /** What stands in another guard within this one is that one's. */
  const own = ({ target }: SyntheticEvent) => target instanceof Element && target.closest(".guarded") === box.current;
  const check = (event: SyntheticEvent, act: Parameters<Spot["takes"]>[0], decides: boolean) => {
    if (!own(event)) return;
    if (!spot.takes(act)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (decides) guard.decided();
  };
  const clicked = (event: MouseEvent) => {
    const button = event.target instanceof Element && event.target.closest("button");
    if (!button || button.disabled) return;
    if (button.dataset.edits !== undefined) return;
    // A button that submits decides with the form it submits.
    check(event, { again: event.detail > 1, lifted: event.detail > 0, keyed: event.detail === 0 }, button.type !== "submit");
  };
  const keyed = (event: KeyboardEvent) => {
    const { target, key, repeat } = event;
    if (target instanceof HTMLTextAreaElement) {
      const submits = target.dataset.submits !== undefined || event.ctrlKey || event.metaKey;
      if (key === "Enter" && submits) check(event, { again: repeat }, true);
    } else if (repeat && (key === "Enter" || (key === " " && target instanceof HTMLButtonElement))) {
      // The first of them is a click or a submit, which is checked when it comes.
      check(event, { again: true }, false);
    }
  };
  return (
    <div
      ref={box}
      role="group"
      className={`guarded ${className}`}
      aria-disabled={!calm || undefined}
      data-calm={calm}
      onPointerDownCapture={() => spot.press()}
      onClickCapture={clicked}
      onSubmitCapture={(event) => check(event, {}, true)}
      onKeyDownCapture={keyed}
    >
      {children}
      {refused && (
        <p className="too-soon" role="status" data-testid="too-soon">
          {tooSoon}
        </p>
      )}
    </div>
  );
}

/** What lay over other things is smaller or gone: others may be under the pointer. */
export function uncovered(): void {
  guard.disturb();
}

/** A press has been taken that decides nothing: another one so soon is meant for the same, whatever it gets to. */
export function acted(): void {
  guard.decided();
}

/** The page has scrolled by itself: other things may be under the pointer. */
export function scrolledByPage(): void {
  guard.look(true);
}

/** The spot that a button is in. */
export function spotOf(button: HTMLElement): Spot | undefined {
  const of = button.closest(".guarded");
  return [...places].find(([, place]) => place === of)?.[0];
}

/** The person has gone to what is shown there, or it is next behind what they have decided: it does not wait as for what comes by itself. */
export function led(to: HTMLElement, by: "person" | "decision" = "person"): void {
  for (const [spot, place] of places) {
    if (!to.contains(place)) continue;
    if (by === "person") spot.led();
    else spot.follows();
  }
}
