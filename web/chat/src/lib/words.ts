// Failures in words: what happened, and what can be done.

import { words } from "../words";

export interface Failure {
  title: string;
  advice: string;
}

/** What to say about a code; an unknown one speaks by its message. */
export function wordsFor(code: string): Failure {
  const errors: Record<string, Failure> = words.errors;
  if (Object.hasOwn(errors, code)) return errors[code]!;
  return /^\d{4}$/.test(code) ? words.errors.closed : words.errors.unknown;
}

/** The run of which a server's log says more; the rest of such a message says no more than its code does. */
const LOGGED = /log says .*\brun ([\w-]+)$/;

/** What a failure's message says to people; `run`: it says nothing, and what has happened is told of this run elsewhere. */
export function saidBy({ code, message }: { code: string; message: string }): { said: string; run?: string } {
  const run = LOGGED.exec(message)?.[1];
  return run === undefined ? { said: message } : { said: wordsFor(code).title, run };
}

/** Failures of which the same, done again, comes to the same: whoever did it is not allowed to. */
export function isForbidden(code: string): boolean {
  return code === "forbidden" || code === "own_approval";
}

/** A server's message as a sentence that others can follow. */
export function sentence(message: string): string {
  const text = message.trim();
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What to say where nothing could be read; something is read again without anybody's doing. `shown`: what was read before is. */
export function staleWords({ code, message }: { code: string; message: string }, shown: boolean): string {
  if (code === "store_unavailable") return shown ? words.lib.storeAwayShown : words.lib.storeAway;
  return `${sentence(message)} ${wordsFor(code).advice}`;
}

/** Why a conversation that was told anew has less in it than before; undefined when that is nothing to speak of. */
export function whyRestated(reason: string | undefined): string | undefined {
  const reasons: Record<string, string> = words.lib.restated;
  return reason === undefined || reason === "no_position" ? undefined : (reasons[reason] ?? reason);
}
