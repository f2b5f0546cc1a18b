// What was sent and is not known to have been taken. It has the ids that it was sent with, so that sending it again does
// nothing twice, and it outlives a reload.

import type { ResumeEntry } from "@ag-ui/client";
import { mediaIn, type Content } from "../files/media";
import { textOf } from "./messagetext";
import { keepOwn, ownOf, ownPerson } from "../server/own";
import { isObject } from "../../../react/forms/schema";
import { words } from "../words";

/** Why something was not taken. */
export interface Refusal {
  code: string;
  message: string;
}

/** A message, or answers, or both, on the way to the server. */
export interface Outgoing {
  runId: string;
  /** When it was last sent, by Date.now. */
  at: number;
  message?: { id: string; content: Content };
  resume?: ResumeEntry[];
  /** It is for the run that is under way. */
  joins?: boolean;
  /** The answers in words. */
  said?: string[];
  /** It is not sent again by itself. */
  refusal?: Refusal;
}

const NAME = "outbox";

/** More than this of one thread is forgotten, oldest first. */
const KEPT = 20;

/** What is older when a page is loaded waits for somebody to say that it is still meant, in milliseconds. */
const FRESH_MS = 2 * 60_000;

/** What has been taken leaves, and what is refused waits for whoever wrote it. */
export class Outbox {
  private held: readonly Outgoing[];
  private readonly person = ownPerson();

  constructor(private readonly threadId: string) {
    this.held = this.kept().map((item) => (item.refusal || Date.now() - item.at < FRESH_MS ? item : { ...item, refusal: unknown() }));
  }

  /** Another array after every change. */
  get items(): readonly Outgoing[] {
    return this.held;
  }

  has(runId: string): boolean {
    return this.held.some((one) => one.runId === runId);
  }

  /** Adds an item, or puts it in the place of the one with its runId. */
  put(item: Outgoing): void {
    const at = this.held.findIndex(({ runId }) => runId === item.runId);
    this.hold(at < 0 ? [...this.held, item] : this.held.with(at, item));
  }

  /** Nothing happens where it has left already. */
  refuse(runId: string, refusal: Refusal): void {
    const item = this.held.find((one) => one.runId === runId);
    if (item) this.put({ ...item, refusal });
  }

  drop(runId: string): void {
    if (this.has(runId)) this.hold(this.held.filter((one) => one.runId !== runId));
  }

  private hold(items: readonly Outgoing[]): void {
    this.held = items.slice(-KEPT);
    // What comes of it after its writer has left is not kept for the next.
    if (this.person !== ownPerson() || keepOwn(NAME, this.threadId, this.held.length > 0 ? this.held : undefined)) return;
    keepOwn(NAME, this.threadId, this.held.map(withoutFiles));
  }

  private kept(): Outgoing[] {
    const kept = ownOf(NAME, this.threadId);
    return Array.isArray(kept) ? kept.filter(isOutgoing) : [];
  }
}

const unknown = (): Refusal => ({ code: "unsent", message: words.chat.loadedAnew });

/** What is left of a message whose files are too large to be kept. */
function withoutFiles(item: Outgoing): Outgoing {
  const { message } = item;
  if (!message || mediaIn(message.content).length === 0) return item;
  return { ...item, message: { id: message.id, content: textOf(message.content) }, refusal: { code: "unsent", message: words.chat.filesNotKept } };
}

function isOutgoing(value: unknown): value is Outgoing {
  if (!isObject(value)) return false;
  const { runId, at, message, resume } = value;
  const written = isObject(message) && typeof message.id === "string" && (typeof message.content === "string" || Array.isArray(message.content));
  return typeof runId === "string" && typeof at === "number" && (message === undefined || written) && (resume === undefined || Array.isArray(resume)) && (written || resume !== undefined);
}
