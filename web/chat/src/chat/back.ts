// Going back in a conversation: a message is said otherwise, an answer given anew, or what was there before comes back.

import { randomUUID, type Message } from "@ag-ui/client";
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Backoff } from "../../../client/backoff";
import { ApiError, call } from "../server/api";
import type { Carried } from "../decision/donebefore";
import type { Mark } from "../decision/record";
import type { Told } from "../decision/told";
import { sentence, wordsFor } from "../lib/words";
import { words } from "../words";

/** What was taken out of the conversation together, and is kept. */
export interface Branch extends Carried {
  id: string;
  /** The message that it stood behind; undefined where it began the conversation. */
  after?: string;
  at: string;
  messages: number;
  title?: string;
  /** Its messages can come back. */
  kept: boolean;
}

/** The place of branches that began the conversation. */
export const BEGIN = "";

/** Which branches stand behind which of the messages that are shown. What stood behind a message that is not held here, or is in a branch itself, is left out. */
export function placed(branches: readonly Branch[], messages: readonly Message[], whole: boolean): ReadonlyMap<string, readonly Branch[]> {
  const at = new Map<string, Branch[]>();
  for (const branch of branches) {
    let index = branch.after === undefined ? -1 : messages.findIndex(({ id }) => id === branch.after);
    if (index < 0 && (branch.after !== undefined || !whole)) continue;
    // Results stand in the cards of their calls.
    while (index >= 0 && !SHOWN.has(messages[index]!.role)) index--;
    const place = index < 0 ? BEGIN : messages[index]!.id;
    at.set(place, [...(at.get(place) ?? []), branch]);
  }
  return at;
}

const SHOWN = new Set<Message["role"]>(["user", "assistant", "reasoning", "activity"]);

/** The last message of the user that has an answer, or should have; and the last message shown of that. */
export function lastTurn(messages: readonly Message[]): { asked?: string; answer?: string } {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const answer = messages.findLast(({ role }, i) => i > index && role === "assistant");
  return index < 0 ? {} : { asked: messages[index]!.id, answer: answer?.id };
}

/** Whether the last turn ended without success: what is tried again then is the same as an answer given anew. */
export function endsLast(messages: readonly Message[], marks: readonly Mark[]): boolean {
  const last = new Set(messages.slice(Math.max(0, messages.findLastIndex(({ role }) => role === "user"))).map(({ id }) => id));
  return marks.some(({ kind, behind, turn }) => kind === "end" && last.has(behind ?? turn ?? ""));
}

/** Whether a message can be said otherwise here: one that is text alone. */
export function editable({ role, content }: Message): boolean {
  return role === "user" && typeof content === "string";
}

/** What was said last, if it can be said otherwise here. */
export function lastEditable(messages: readonly Message[]): Message | undefined {
  const last = messages.findLast(({ role }) => role === "user");
  return last && editable(last) ? last : undefined;
}

export interface Back {
  branches: ReadonlyMap<string, readonly Branch[]>;
  /** What was decided about calls, by call. */
  decided: ReadonlyMap<string, Told>;
  asked?: string;
  answer?: string;
  /** The message that is being changed. */
  editing?: string;
  edit: (id: string | undefined) => void;
  /** The conversation is only looked at. */
  readOnly?: boolean;
  /** Why nothing can go back at the moment; undefined where it can. */
  held?: string;
  /** A question is open, which comes first. */
  asks?: boolean;
  /** Something is on its way. */
  going: boolean;
  /** Answers what stands in the way, in words; undefined when the server has taken it. */
  say: (before: string, text: string) => Promise<string | undefined>;
  /** As `say`; `instead` is done if the message cannot be answered anew. */
  again: (after: string, instead?: () => void) => Promise<string | undefined>;
  restore: (branch: string) => Promise<string | undefined>;
}

const nobody = () => Promise.resolve(undefined);

export const BackOf = createContext<Back>({ readOnly: true, branches: new Map(), decided: new Map(), edit: () => {}, going: false, say: nobody, again: nobody, restore: nobody });

export const useBack = () => useContext(BackOf);

/** Asks for another answer to a message. While nobody knows what became of a request, asking again sends the same one. */
export class Anew {
  private unknown?: { after: string; runId: string };

  constructor(private readonly post: (body: object) => Promise<unknown>) {}

  async ask(after: string, instead?: () => void): Promise<void> {
    if (this.unknown?.after !== after) this.unknown = { after, runId: randomUUID() };
    try {
      await this.post({ text: "", ...this.unknown });
    } catch (error) {
      const { status = 0, code = "" } = error instanceof ApiError ? error : {};
      if (status < 400 || status >= 500 || status === 408) throw error;
      this.known();
      // Only then is there nothing of it that could have been taken, or that is under way.
      if (!instead || (status !== 404 && code !== "invalid_input")) throw error;
      instead();
    }
    this.known();
  }

  /** What became of the last request is seen. */
  known(): void {
    this.unknown = undefined;
  }
}

/** Asks for a thread's branches until the server answers or refuses, or the returned function is called: they say what was carried out before. */
export function branchesOf(path: string, hear: (branches: Branch[]) => void): () => void {
  const backoff = new Backoff({ baseMs: 1_000 });
  let over = false;
  let timer: ReturnType<typeof setTimeout>;
  const ask = () =>
    call<{ items: Branch[] }>("GET", `${path}/branches`).then(
      ({ items }) => over || hear(items),
      (failed) => {
        const { status = 0 } = failed instanceof ApiError ? failed : {};
        if (!over && !(status >= 400 && status < 500 && ![408, 429].includes(status))) timer = setTimeout(ask, backoff.next());
      },
    );
  void ask();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

interface Conversation extends Pick<Back, "decided"> {
  threadId: string;
  /** Who answers; undefined: the default agent. */
  agent?: string;
  messages: readonly Message[];
  /** The last turn ended without success, and is tried again elsewhere. */
  ended: boolean;
  /** All messages are held. */
  whole: boolean;
  /** What is held is what the server has. */
  synced: boolean;
  /** How often messages were told anew. */
  restated: number;
  running: boolean;
  asks: boolean;
  readOnly: boolean;
}

export function useGoingBack({ threadId, agent, messages, ended, decided, whole, synced, restated, running, asks, readOnly }: Conversation): Back & { all: readonly Branch[] } {
  const path = `/threads/${encodeURIComponent(threadId)}`;
  const [branches, setBranches] = useState<readonly Branch[]>([]);
  const [editing, edit] = useState<string>();
  const [going, setGoing] = useState(false);
  const under = useRef(false); // a second click comes before going is drawn
  const some = messages.length > 0;
  useEffect(() => {
    setBranches([]);
    edit(undefined);
  }, [threadId]);
  useEffect(() => {
    if (!synced || !some) return;
    return branchesOf(path, setBranches);
  }, [path, synced, some, restated]);
  const held = running ? words.chat.stopFirst : asks ? words.chat.answerFirst : undefined;
  const post = useCallback((way: string, body: object) => call("POST", `${path}${way}`, { ...body, agent }), [path, agent]);
  const anew = useMemo(() => new Anew((body) => post("/input", body)), [post]);
  useEffect(() => {
    if (running) anew.known();
  }, [anew, running]);
  const go = useCallback(
    async (act: () => Promise<unknown>): Promise<string | undefined> => {
      if (under.current) return undefined;
      under.current = true;
      setGoing(true);
      try {
        await act();
        edit(undefined);
        return undefined;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { title, advice } = wordsFor(error.code);
        return `${title}. ${error.code === "branch_gone" ? sentence(error.message) : advice}`;
      } finally {
        under.current = false;
        setGoing(false);
      }
    },
    [],
  );
  const { asked, answer }: ReturnType<typeof lastTurn> = ended ? {} : lastTurn(messages);
  const at = placed(branches, messages, whole);
  // Another map only where something else stands in it: each change of a message comes by here.
  const shape = [...at].map(([place, list]) => `${place} ${list.map(({ id }) => id).join()}`).join("\n");
  const stands = useMemo(() => at, [shape]);
  return useMemo(
    () => ({
      all: branches,
      branches: stands,
      decided,
      asked,
      answer,
      editing,
      edit,
      readOnly,
      held,
      asks,
      going,
      say: (before, text) => go(() => post("/input", { text, before })),
      again: (after, instead) => go(() => anew.ask(after, instead)),
      restore: (branch) => go(() => post(`/branches/${encodeURIComponent(branch)}/restore`, {})),
    }),
    [branches, stands, decided, asked, answer, editing, readOnly, held, asks, going, go, post, anew],
  );
}
