// Several questions are gone through one at a time.

import { useState } from "react";

/** Where somebody is: at a question, or looking all answers over. */
type At = string | "over" | undefined;

export interface Way {
  /** The place of the question that is shown; undefined: all answers are looked over. */
  at?: number;
  before?: At;
  after?: At;
}

/** The way from where somebody went last, among those that are open now. Whoever went nowhere begins with the first that nobody has answered. */
export function wayOf(ids: readonly string[], answered: (id: string) => boolean, went: At): Way {
  const open = ids.findIndex((id) => !answered(id));
  const place = went === "over" ? -1 : went !== undefined && ids.includes(went) ? ids.indexOf(went) : open;
  if (place < 0) return { before: ids.at(-1) };
  return { at: place, before: ids[place - 1], after: ids[place + 1] ?? "over" };
}

/** Where an answer leads: to the next question after it that is open, then to those before, then to looking them over. */
export function afterAnswer(ids: readonly string[], answered: (id: string) => boolean, id: string): At {
  const place = ids.indexOf(id);
  return [...ids.slice(place + 1), ...ids.slice(0, place)].find((one) => !answered(one)) ?? "over";
}

export interface Steps {
  at?: number;
  back?: () => void;
  next?: () => void;
  look: (id: string) => void;
  /** A question has been answered here. */
  answered: (id: string) => void;
  /** Somebody is busy with what is shown, which does not change then by what others do. */
  stay: () => void;
  /** How often somebody went somewhere. */
  moves: number;
}

/** The way through the questions of these ids. */
export function useSteps(ids: readonly string[], answers: Readonly<Record<string, unknown>>): Steps {
  const key = ids.join("\n");
  const [{ went, among, moves }, move] = useState<{ went: At; among: string; moves: number }>({ went: undefined, among: "", moves: 0 });
  const given = (id: string) => answers[id] !== undefined;
  // Other questions are not looked over because those before were.
  const { at, before, after } = wayOf(ids, given, went === "over" && among !== key ? undefined : went);
  const go = (to: At) => move((now) => ({ went: to, among: key, moves: now.moves + 1 }));
  return {
    at,
    back: before === undefined ? undefined : () => go(before),
    next: after === undefined ? undefined : () => go(after),
    look: go,
    answered: (id) => go(afterAnswer(ids, given, id)),
    stay: () => at !== undefined && ids[at] !== went && move((now) => ({ ...now, went: ids[at], among: key })),
    moves,
  };
}
