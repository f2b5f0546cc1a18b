// Who is signed in, as the server says it, and the way to sign in and out that is not a token. What a tab was signed in
// as is kept beside what was written in it, which is nobody else's.

import { useEffect, useSyncExternalStore } from "react";
import { at } from "../lib/base";
import { request } from "./api";
import { forgetOwn } from "./own";
import { bearer, sendUnsent, signIn, useSession } from "./session";

const KEY = "aguiws:who";

/** Tells other tabs that somebody is about to sign out, and that they have. */
const LEAVING = "aguiws:signing-out";
const OUT = "aguiws:signed-out";

/** How long the page waits at its beginning for who it is, in milliseconds. */
const PATIENCE_MS = 3_000;

export interface Me {
  user: string;
  tenant: string;
  name?: string;
  scopes: string[];
}

let me: Me | undefined;
/** How many forms to sign in are shown. */
let forms = 0;
let lookedIn = -1;
/** The session of which it is known who is signed in, or that nobody says so. */
let known = -1;
const watchers = new Set<() => void>();

/** Where people sign in at a provider; undefined: this server has tokens alone. */
const way = () => document.querySelector<HTMLMetaElement>('meta[name="aguiws:sign-in"]')?.content;

/** Whether people can sign in at a provider. */
export const atProvider = () => way() !== undefined;

/** Whether somebody has signed in, and can sign out. */
export const isIn = (me: Me | undefined) => bearer() !== undefined || (me !== undefined && atProvider());

/** Goes to the provider, which sends the person back to where they are. */
export function goSignIn(): void {
  location.assign(`${way()}?return=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Before anything of a person is shown, whose tab it is. */
export async function firstLook(): Promise<void> {
  if (!atProvider()) return;
  addEventListener("storage", ({ key }) => {
    if (bearer() !== undefined || !me) return;
    if (key === LEAVING) void sendUnsent();
    else if (key === OUT) leaveTab();
  });
  lookedIn = 0;
  await look(AbortSignal.timeout(PATIENCE_MS));
}

/** Finds out who is signed in. */
export async function look(signal?: AbortSignal): Promise<void> {
  const token = bearer();
  const session = lookedIn;
  let found: Me | undefined;
  try {
    const answer = await request("/me", { signal });
    // It is about to be shown.
    if (answer.status === 401) import("./SignIn").catch(() => {});
    found = answer.ok ? ((await answer.json()) as Me) : undefined;
  } catch {
    // Nobody answers: the places say so.
  }
  if (bearer() !== token) return;
  if (found && token === undefined && atProvider()) mine(JSON.stringify([found.tenant, found.user]));
  me = found;
  known = session;
  changed();
}

function changed(): void {
  for (const watcher of [...watchers]) watcher();
}

/** The person is asked to sign in, until the returned function is called. */
export function asksWho(): () => void {
  forms++;
  changed();
  return () => {
    forms--;
    changed();
  };
}

/** Whether the person is asked to sign in: no place shows anything else then. */
export function useOut(): boolean {
  return useSyncExternalStore(watch, () => forms > 0);
}

/** The tab is this person's from now on: what another has written in it is gone. */
function mine(person: string): void {
  try {
    const before = sessionStorage.getItem(KEY);
    if (before !== null && before !== person) forgetOwn();
    sessionStorage.setItem(KEY, person);
  } catch {
    // Full or forbidden: then nothing is kept.
  }
}

/** Whether somebody was signed in at a provider in this tab, and has not signed out. */
export function wasSignedIn(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Who is signed in; undefined: nobody, or it is not known. */
export function useMe(): Me | undefined {
  const session = useSession();
  useEffect(() => {
    if (lookedIn === session) return;
    lookedIn = session;
    void look();
  }, [session]);
  return useSyncExternalStore(watch, () => me);
}

/** Whether whoever is signed in has one of these scopes; undefined: that is not known yet. Where nobody says so, the server refuses what is not allowed. */
export function useMay(...scopes: string[]): boolean | undefined {
  const me = useMe();
  const session = useSession();
  const asked = useSyncExternalStore(watch, () => known);
  if (asked !== session) return undefined;
  return !me || scopes.some((scope) => me.scopes.includes(scope));
}

/** Signs out here and in the other tabs, when what was answered is sent; false: that was not taken. Rejects where the server does not end the session. */
export async function signOut(): Promise<boolean> {
  if (atProvider()) tell(LEAVING);
  if (!(await sendUnsent())) return false;
  if (!atProvider()) {
    signIn(undefined);
    return true;
  }
  const answer = await fetch(at("/signout"), { method: "POST" });
  if (!answer.ok) throw new Error(String(answer.status));
  tell(OUT);
  signIn(undefined);
  leaveTab();
  return true;
}

function tell(what: string): void {
  try {
    localStorage.setItem(what, String(Date.now()));
  } catch {
    // The others find out when their session is over.
  }
}

/** Whether whoever has this token is the person who is signed in, as the server says it. */
export async function isSamePerson(token: string): Promise<boolean> {
  const before = me;
  try {
    const answer = await request("/me", { headers: { Authorization: `Bearer ${token}` } });
    const { tenant, user } = (answer.ok ? await answer.json() : {}) as Partial<Me>;
    return before !== undefined && before === me && before.tenant === tenant && before.user === user;
  } catch {
    return false;
  }
}

/** Nothing of the person is left in the tab. */
function leaveTab(): void {
  forgetOwn();
  try {
    sessionStorage.clear();
  } catch {
    // Forbidden: then nothing was kept.
  }
  location.reload();
}
