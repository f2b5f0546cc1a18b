// What the control API answers.

export interface Page<T> {
  items: T[];
  next?: string;
  /** A part of the store did not answer: there may be more. */
  partial?: boolean;
}

/** A thread, in all answers that tell of one. */
export interface ThreadInfo {
  threadId: string;
  title: string;
  /** The thread that it stands below. */
  parentThreadId?: string;
  rootThreadId?: string;
  depth?: number;
  children?: number;
  /** What it is about, in words of the application. */
  resourceId?: string;
  metadata?: Record<string, unknown>;
  /** How often its parent, resource and metadata have changed. */
  version?: number;
  deleting?: boolean;
  /** When it was made, or got its first input. */
  createdAt?: string;
  /** When it got its latest input: left out before the first. */
  updatedAt?: string;
  /** When its parent, resource or metadata changed last. */
  changedAt?: string;
  active: boolean;
  waiting: boolean;
  /** The reason of an open interrupt that asks nobody, and when that wait ends at the latest. */
  waitsOn?: string;
  waitsUntil?: string;
  /** When the last of what is open expires: nobody can answer it then, and a new message cancels it. */
  expiresAt?: string;
  /** What is asked next, in the list of those that wait. */
  asks?: InboxItem["interrupts"][number];
  queued: number;
  /** The run that began last has failed. */
  failed?: boolean;
  activeRun?: string;
  latestRun?: string;
  /** Whose that run is. Left out of the default one's. */
  agent?: string;
  /** Threads below it that have open interrupts. */
  waitsFor?: string[];
  /** How many there are: not all are named, and servers of before do not say it. */
  waitsForCount?: number;
  /** The store could not read all of these members. */
  partial?: boolean;
}

export interface Entry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
}

export interface InboxItem {
  threadId: string;
  namespace: string;
  title: string;
  since?: string;
  runId: string;
  /** When all of its questions have expired; left out where one never does. */
  expiresAt?: string;
  /** Where all tenants are asked for. */
  tenant?: string;
  /** Whose thread it is, in lists, where users are told apart. */
  user?: string;
  /** Left out of the default one's. */
  agent?: string;
  /** What is open cannot be read, so nobody can answer it. */
  corrupted?: boolean;
  /** Others who look at it now, in a list. */
  reviewers?: string[];
  /** To whom it is assigned, in a list. */
  assignee?: string;
  /** So many questions are left out of a list. */
  omitted?: number;
  interrupts: Array<{
    id: string;
    interrupt: Record<string, unknown>;
    expiresAt?: string;
    toolCall?: { name: string; arguments: string };
    draft?: Entry;
    /** It is a summary, because the whole is large. */
    truncated?: boolean;
    /** It can only be cancelled. */
    stale?: boolean;
  }>;
}
