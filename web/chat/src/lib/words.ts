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
