// Who the page is to the server. A token outlives a reload of its tab, and nothing else: it is gone with the tab, when
// somebody signs out, and when the server does not take it.

import { useSyncExternalStore } from "react";
import { forgetOwn } from "./own";
import { words } from "../words";

const KEY = "aguiws:token";

interface Session {
  token?: string;
  /** Answers the token while the session lasts; one function a session, so that no two share a connection. */
  credential?: () => string;
}

let session: Session = begunBefore();
let count = 0;
let persons = 0;
const watchers = new Set<() => void>();
const ends = new Set<() => void>();

export function bearer(): string | undefined {
  return session.token;
}

/** What a connection of this session is opened with; undefined while nobody is signed in. */
export function credential(): (() => string) | undefined {
  return session.credential;
}

/** Uses this token from now on; undefined forgets the one in use. What was opened with another is closed. `same`: it is the person of the one in use. */
export function signIn(given: string | undefined, same = false): void {
  if (session.token !== undefined && !same) {
    persons++;
    forgetOwn();
  }
  delete session.token;
  session = given === undefined ? {} : begun(given);
  keep(given);
  count++;
  for (const end of [...ends]) end();
  ends.clear();
  for (const watcher of [...watchers]) watcher();
}

/** The server does not take the token in use: a reload asks for another instead of offering it again. */
export function refusedBearer(): void {
  keep(undefined);
}

function keep(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // Full or forbidden: the session lasts until the reload.
  }
}

function begunBefore(): Session {
  try {
    const token = sessionStorage.getItem(KEY);
    return token ? begun(token) : {};
  } catch {
    return {};
  }
}

function begun(given: string): Session {
  const one: Session = { token: given };
  one.credential = () => {
    if (one.token === undefined) throw new Error(words.server.signedOut);
    return one.token;
  };
  return one;
}

/** What a person has decided and is not sent yet, by what sends it and answers whether it was taken. */
export const unsent = new Set<() => Promise<boolean>>();

/** Sends all that, and answers whether it was taken. */
export async function sendUnsent(): Promise<boolean> {
  return !(await Promise.all([...unsent].map((send) => send()))).includes(false);
}

/** Calls `end`, once, when the session of now is over. Calling again with the same function changes nothing. */
export function whenOver(end: () => void): void {
  ends.add(end);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** How many were signed in before: what was seen and typed under another number is nobody else's business. */
export function usePerson(): number {
  return useSyncExternalStore(watch, () => persons);
}

/** How often somebody has signed in or out: what was asked under another number was asked by somebody else. */
export function useSession(): number {
  return useSyncExternalStore(watch, () => count);
}
