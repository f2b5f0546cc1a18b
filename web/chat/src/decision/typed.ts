// What is typed into questions, kept for the tab, and with what of it was answered here.

import type { Keep } from "../../../react/forms/typed";
import type { Answer } from "../../../react/forms/answers";
import { keepOwn, ownOf, ownPerson } from "../server/own";

const TYPED = "typed";
const GIVEN = "given";

const keyOf = (threadId: string, id: string) => `${threadId} ${id}`;

/** What is typed into a question. */
export const typedInto = (threadId: string, id: string): unknown => ownOf(TYPED, keyOf(threadId, id));

/** The answer that was given here; undefined: none was, or it was taken back. It is what was kept: look before use. */
export const givenTo = (threadId: string, id: string): unknown => ownOf(GIVEN, keyOf(threadId, id));

export const give = (threadId: string, id: string, answer: Answer | undefined) => void keepOwn(GIVEN, keyOf(threadId, id), answer);

/** Forgets what is typed into a question: it was said otherwise, or seen. */
export function forgetTyped(threadId: string, id: string): void {
  keepOwn(TYPED, keyOf(threadId, id), undefined);
  keepOwn(GIVEN, keyOf(threadId, id), undefined);
}

/** Keeps what this person types. */
export function keepTyped(threadId: string, id: string): Keep {
  const person = ownPerson();
  return {
    read: () => typedInto(threadId, id),
    // What comes of it after its writer has left is not kept for the next.
    write: (fields) => person === ownPerson() && keepOwn(TYPED, keyOf(threadId, id), fields),
  };
}
