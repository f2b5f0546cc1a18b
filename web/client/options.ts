// What a connection is given, and the states it can be in.

import type { BackoffOptions } from "./backoff.js";
import type { Fetch } from "./handshake.js";

/** The part of the standard WebSocket that is used. Node before 22 has none: give the one of the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/**
 * How the text of a frame becomes a value, and a value the text. For pages where people decide about numbers that a double
 * would change: `parse` makes other values of those, which travel as they are through messages, state, open interrupts and
 * answers, and `stringify` writes their text again. They have to be plain objects, as all of it is copied on its way, and
 * must not be direct members of a frame, where the protocol's own numbers stand. Both throw what JSON would.
 */
export interface FrameFormat {
  parse(text: string): unknown;
  stringify(value: unknown): string;
}

export interface ConnectionOptions {
  /** The server's WebSocket address; a relative one is resolved against the page. */
  url: string;
  /**
   * A bearer token, or a function that is asked for one before each attempt, and before a socket that nobody used is taken
   * up again: it is, if the answer is the same. Where the function rejects, or does not answer within `patienceMs`, the
   * attempt has failed and there will be another; a TransportError is final. A function stands for one person at a time:
   * call `close` of the connection when that one leaves.
   */
  token?: string | (() => string | Promise<string>);
  /** Default: the global WebSocket. */
  WebSocket?: WebSocketConstructor;
  /** Used to learn why the server does not let a socket in. Default: the global fetch. */
  fetch?: Fetch;
  /** Default: `JSON`. See `FrameFormat`. */
  json?: FrameFormat;
  /**
   * How many messages of a thread are told when it is followed, connected to or told anew, the last ones. Default: all.
   * What stands before them is asked for by `older` of the agent. Agents that share a connection share this.
   */
  window?: number;
  backoff?: BackoffOptions;
  /** How often an open socket is asked for a sign of life, in milliseconds. Default 20,000. */
  pingMs?: number;
  /** How long to wait for that sign, for the greeting, for the handshake and for a token. Default 10,000. */
  patienceMs?: number;
  /** How long an unused socket stays open. Default 10,000. */
  lingerMs?: number;
}

/** `idle`: nobody needs it. `failed`: it will not be tried again by itself, for the reason in `failure`. */
export type ConnectionState = "idle" | "connecting" | "connected" | "reconnecting" | "failed";
