// What is typed into questions, kept for the tab, and with what of it was answered here.

import { isObject } from "../../../react/forms/schema";
import type { Keep } from "../../../react/forms/typed";
import type { Answer } from "../../../react/forms/answers";
import { keepOwn, ownOf, ownPerson } from "../server/own";

/** Both in one piece: a text whose answer was forgotten would pass for one that was not sent. */
interface Piece {
  typed?: unknown;
  given?: unknown;
}

const NAME = "typed";

const keyOf = (threadId: string, id: string) => `${threadId} ${id}`;

function pieceOf(threadId: string, id: string): Piece {
  const piece = ownOf(NAME, keyOf(threadId, id));
  return isObject(piece) ? piece : {};
}

/** What is typed into a question. */
export const typedInto = (threadId: string, id: string): unknown => pieceOf(threadId, id).typed;

/** The answer that was given here; undefined: none was, or it was taken back. It is what was kept: look before use. */
export const givenTo = (threadId: string, id: string): unknown => pieceOf(threadId, id).given;

/** Keeps the answer to a question into which something is typed. */
export function give(threadId: string, id: string, given: Answer | undefined): void {
  const typed = typedInto(threadId, id);
  if (typed !== undefined) keepOwn(NAME, keyOf(threadId, id), { typed, given });
}

/** Forgets what is typed into a question: it was said otherwise, or seen. */
export function forgetTyped(threadId: string, id: string): void {
  keepOwn(NAME, keyOf(threadId, id), undefined);
}

/** Keeps what this person types. */
export function keepTyped(threadId: string, id: string): Keep {
  const person = ownPerson();
  return {
    read: () => typedInto(threadId, id),
    // What comes of it after its writer has left is not kept for the next.
    write: (typed) => person === ownPerson() && keepOwn(NAME, keyOf(threadId, id), typed && { typed, given: givenTo(threadId, id) }),
  };
}
