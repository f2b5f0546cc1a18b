// The inbox by single keys: which of them do what, and when they are only letters.

import { acted, uncovered } from "../../../react/lib/Guarded";
import { pressed } from "./pressed";

/** `leave` a field; `choose` what is picked for an answer to several, and propose the yes or the no to those that are chosen; `undo` the last answer; `chat` is what asks; `keys` says what they do. */
export type KeyAct = "next" | "previous" | "leave" | "approve" | "decline" | "edit" | "undo" | "choose" | "chat" | "approve chosen" | "decline chosen" | "keys";

/** The key that approves. */
export const APPROVE_KEY = "a";

const ACTS: Record<string, KeyAct> = { j: "next", k: "previous", [APPROVE_KEY]: "approve", d: "decline", e: "edit", u: "undo", x: "choose", o: "chat", "?": "keys", A: "approve chosen", D: "decline chosen" };

/** What a key that goes down means; undefined for a letter that is typed, a shortcut of somebody else's, and a decision that is held down. */
export function keyActOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "defaultPrevented" | "isComposing" | "target">): KeyAct | undefined {
  const leaves = event.key === "Escape" && isTyped(event.target);
  const act = leaves ? "leave" : Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : undefined;
  if (!act || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.repeat && act !== "next" && act !== "previous") return undefined;
  return leaves || !isTyped(event.target) ? act : undefined;
}

/** The answer to what is chosen that a key proposes; undefined: it means something else. */
export function wayOf(act: KeyAct, some: boolean): "approve" | "decline" | undefined {
  if (act === "approve chosen" || (some && act === "approve")) return "approve";
  return act === "decline chosen" || (some && act === "decline") ? "decline" : undefined;
}

/** Which way an arrow goes through a list; undefined for another key, and a shortcut of somebody else's. */
export function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): 1 | -1 | undefined {
  if (ctrlKey || metaKey || altKey || shiftKey) return undefined;
  return key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : undefined;
}

/** Whether letters go into it, or choose in it. */
export function isTyped(target: EventTarget | null): boolean {
  const { tagName, type, isContentEditable } = (target ?? {}) as Partial<HTMLInputElement>;
  if (isContentEditable || tagName === "TEXTAREA" || tagName === "SELECT") return true;
  return tagName === "INPUT" && !["checkbox", "radio", "button"].includes(type ?? "");
}

/** What is seen of a page, between what stays at its top and what stays at its foot, and what reaches from here to there: in the window's pixels. */
export interface Span {
  top: number;
  bottom: number;
}

/** How far to scroll until the whole of it is in sight, or its end where it is larger than that; 0 where it is. */
export function reach(room: Span, what: Span): number {
  const below = what.bottom - room.bottom;
  const spare = room.bottom - room.top - (what.bottom - what.top);
  if (spare < 0) return below > 1 || what.bottom < room.top + END ? below + GAP : 0;
  const gap = Math.min(GAP, spare / 2);
  if (what.top < room.top - 1) return what.top - room.top - gap;
  return below > 1 ? below + gap : 0;
}

/** What is scrolled to does not touch the edge, in pixels. */
const GAP = 8;

/** Of what is larger than the window at least so much before its end is in sight, in pixels. */
const END = 100;

/** Why a key decides nothing: what is to be done first, or that there is no such thing to do. */
export type Unfit = "fill" | "choose" | "late" | "edit" | "edited" | "locked" | "plain" | "over" | "all" | "twice";

/** What a question has that lacks the button of a key. */
interface Ways {
  expired: boolean;
  approves: boolean;
  /** Its arguments are being edited. */
  edits: boolean;
  choices: boolean;
  fields: boolean;
}

/** Why a key does nothing about a question. */
export function unfit(act: "approve" | "decline" | "edit", { expired, approves, edits, choices, fields }: Ways): Unfit {
  if (expired) return "late";
  if (edits) return "edited";
  if (approves) return act === "edit" ? "edit" : "locked";
  return choices ? "choose" : fields ? "fill" : "plain";
}

/** Whether a key leads to a button, and it is another press that decides: what cannot be undone takes two of them. */
export const leadsFirst = (destructive: boolean, focused: boolean): boolean => destructive && !focused;

/**
 * Does in what is shown of a thread what the key means, for the open question that has the focus, or the first: presses its
 * button, which may be too soon for it, or leads to what is to be filled in, or to the one way that is left, and answers why. What is not in sight is only brought there, and
 * what is folded is unfolded before it is approved: it is another press that decides. A no that can have a reason is asked for it first.
 */
export function actOn(shown: ParentNode, act: "approve" | "decline" | "edit"): Unfit | undefined {
  const open = [...shown.querySelectorAll<HTMLElement>('[data-testid="interrupt"]')].filter((one) => one.closest("[hidden]") === null);
  const question = open.find((one) => one.contains(document.activeElement)) ?? open[0];
  if (!question) {
    // All answers are looked over.
    const send = shown.querySelector<HTMLButtonElement>('[data-testid="submit-answers"]');
    if (!send) return undefined;
    if (act !== "approve") return "over";
    return send.disabled ? "all" : bring(send.closest<HTMLElement>(".question")!, send);
  }
  if (question.dataset.answered === "true") return "over";
  const button = question.querySelector<HTMLButtonElement>(`[data-testid="${act}"]:not(:disabled)`);
  if (!button) {
    const has = (what: string) => question.querySelector(what) !== null;
    const edits = has('[data-testid="approve-edited"]');
    if (!edits) question.querySelector<HTMLElement>('input, select, textarea, [data-testid="choice"], header:has([data-expired="true"]) ~ .actions [data-testid="cancel"]')?.focus();
    return unfit(act, { expired: has('[data-expired="true"]'), approves: has('[data-testid="approve"]'), edits, choices: has('[data-testid="choice"]'), fields: has(":is(input, select, textarea)") });
  }
  const why = act === "decline" && question.querySelector<HTMLElement>('[data-testid="field-reason"]:not(:disabled)');
  if (why) return void why.focus();
  return bring(question, button, act === "approve");
}

/** Presses a button of what is in sight, or brings it there. */
function bring(question: HTMLElement, button: HTMLElement, approves = false): Unfit | undefined {
  const bar = document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
  const foot = Math.min(innerHeight, ...[...document.querySelectorAll(".foot, .toast")].map((one) => one.getBoundingClientRect().top));
  const room = { top: Math.max(0, bar), bottom: foot };
  const by = reach(room, { top: question.getBoundingClientRect().top, bottom: button.getBoundingClientRect().bottom });
  const folded = approves ? question.querySelectorAll<HTMLButtonElement>('[data-testid="unfold"][aria-expanded="false"]') : [];
  if (by !== 0) scrollBy({ top: by, behavior: "instant" });
  else if (folded.length > 0) folded.forEach((one) => one.click());
  else if (approves && leadsFirst(question.dataset.destructive === "true", document.activeElement === button)) {
    button.focus({ preventScroll: true });
    // The second of two presses in a row is for the same.
    acted();
    return "twice";
  } else return void pressed(button);
  uncovered();
}

/** The key of what follows on `from` in a list, leaving out what has gone from it; at its ends, and from nowhere, what is nearest. */
export function neighbour(list: ReadonlyArray<{ key: string; gone: boolean }>, from: string | undefined, step: 1 | -1): string | undefined {
  const at = list.findIndex(({ key }) => key === from);
  const there = (one: { gone: boolean }) => !one.gone;
  if (at < 0) return list.find(there)?.key;
  return (step === 1 ? list.slice(at + 1).find(there) : list.slice(0, at).findLast(there))?.key;
}

/**
 * What comes after an answer to what is at `from`: what follows on it, or else the first one; a thread that asks again comes
 * last. What is late comes only after what is late. Undefined: nothing is there.
 */
export function follower(list: ReadonlyArray<{ key: string; gone: boolean; late: boolean }>, from: string): string | undefined {
  const at = list.find(({ key }) => key === from);
  const rest = at?.late ? list : list.filter(({ key, late }) => !late || key === from);
  const first = rest.find(({ key, gone }) => !gone && key !== from)?.key;
  return neighbour(rest, from, 1) ?? first ?? (at && !at.gone ? from : undefined);
}

const KEY = "aguiws:keys";

export function keysOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export function turnKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
  } catch {
    // It lasts until the reload.
  }
}
