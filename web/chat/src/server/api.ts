// The control API under /v1, as the page uses it.

import { Control, ControlError as ApiError } from "../../../react/control/control";
import { usePolled as usePolledOf, type Kept, type News, type PathAt, type Polled } from "../../../react/control/polled";
import { stringify } from "../../../react/lib/json";
import { at } from "../lib/base";
import { bearer } from "./session";
import { parts } from "../words";

export { ApiError, type Kept, type News, type PathAt, type Polled };
export type { Entry, InboxItem, Page, ThreadInfo } from "../../../react/control/types";

/** The page's own server, as whoever is signed in. */
export const control = new Control({ url: at("/v1"), token: bearer, strings: () => parts });

export const request = control.request.bind(control);
export const call: Control["call"] = control.call.bind(control);
export const asker: Control["asker"] = control.asker.bind(control);

/** How many characters all requests have together that are sent even if the page goes meanwhile: browsers take 64 KiB, of which a character has up to three bytes. */
export const OUTLIVE = 20_000;

/** How many characters a request has with this. */
export const sizeOf = (body: unknown): number => stringify(body).length;

/** Whether a request with this may be sent by a page that goes. */
export const outlives = (body: unknown): boolean => sizeOf(body) <= OUTLIVE;

export function usePolled<T>(path: string | undefined, everyMs: number, news?: News, at?: PathAt): Polled<T> {
  return usePolledOf<T>(control, path, everyMs, news, at);
}

/** What was decided, as it is on record. */
export interface DecisionInfo {
  id: string;
  at: string;
  /** `expired`: nobody answered in time. */
  status: "resolved" | "cancelled" | "expired";
  user?: string;
  through?: string;
  threadId: string;
  namespace: string;
  interruptId: string;
  reason?: string;
  message?: string;
  /** Left out of the default one's. */
  agent?: string;
  tool?: string;
  toolCallId?: string;
  arguments?: unknown;
  payload?: unknown;
  /** Which of message, arguments and payload are not whole. */
  cut?: string[];
  refused: number;
  /** The run that asked. */
  askedBy?: { id: string; runId?: string };
  /** The run that the answer began. */
  answeredBy?: { id: string; runId?: string };
}

/** What a run has asked, as its end tells it. */
export interface OpenQuestion {
  id: string;
  reason?: string;
  message?: string;
  toolCallId?: string;
  expiresAt?: string;
}

export interface RunInfo {
  id: string;
  runId: string;
  threadId: string;
  /** The chat's, in the list of all chats' runs. */
  title?: string;
  namespace: string;
  execution: string;
  /** Left out of the default one's. */
  agent?: string;
  /** The last message that its input brought. */
  messageId?: string;
  /** The first sentence of that message, cut. */
  asked?: string;
  /** Whose input it was; undefined: users are not told apart. */
  user?: string;
  state: "queued" | "claimed" | "acked" | "cancelled" | "superseded" | "dead_letter";
  attempts: number;
  maxAttempts: number;
  error?: string;
  /** Whose input began the execution that it goes on with, if that is another's. */
  begunBy?: string;
  /** The message of an earlier run that it answers anew. */
  answersAnew?: string;
  /** Who stopped it; undefined: nobody, or users are not told apart. */
  stoppedBy?: string;
  /** The run for which it was stopped. */
  replacedBy?: string;
  /** The node that carries it, or carried it last. */
  claimedBy?: string;
  /** How often a node continued it in place of another one. */
  takeovers?: number;
  outcome?: { type?: string; code?: string; message?: string; outcome?: { type?: string; interrupts?: OpenQuestion[] } };
  /** The thread waits for answers to what it has asked. */
  waits?: boolean;
  /** The run that continued it: with those answers, or with a dead letter. */
  continuedAs?: string;
  /** What became of its questions when it was continued, if nobody answered one. */
  answered?: "expired" | "cancelled";
  /** The trace that its input belongs to. */
  traceId?: string;
  wrote?: { count: number; firstId: string; lastId: string; text?: string };
  /** Why it came to be; undefined: it is not known. */
  origin?: "user" | "resume" | "operator" | "expiry" | "child";
  parentRunId?: string;
  steps?: { name: string; count: number; failed?: number; firstAt?: string; lastAt?: string; tookMs?: number }[];
  moreSteps?: number;
  usage?: { provider?: string; model?: string; inputTokens?: number; outputTokens?: number; totalTokens?: number }[];
  createdAt: string;
  updatedAt: string;
}
