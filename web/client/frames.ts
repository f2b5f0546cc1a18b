// The control frames of the WebSocket binding `agui.v1.json`, as the server sends them.
// Events travel beside them as bare AG-UI objects.

import type { AgentCapabilities, BaseEvent, Interrupt, Message } from "@ag-ui/client";

/** The subprotocol this package offers. */
export const SUBPROTOCOL = "agui.v1.json";

/** Prefix of the subprotocol that carries a browser's credential. */
export const BEARER_PREFIX = "agui.bearer.";

/** An event as it came from the wire: validated by the stages of @ag-ui/client, not here. */
export type WireEvent = BaseEvent & Record<string, unknown>;

/** First frame of every socket. */
export interface Hello {
  type: "ws.hello";
  binding: string;
  heartbeatMs?: number;
  maxFrameBytes?: number;
  /** False when suspended runs die with the server's process. */
  durable?: boolean;
  capabilities?: AgentCapabilities;
}

/** An input that waits for the active run, or for an answer, to be over. */
export interface QueuedInput {
  runId: string;
  messages: Message[];
}

export interface RunAnswer {
  type: "ws.run";
  threadId: string;
  runId: string;
  disposition: "started" | "queued" | "repeat" | "refused";
  of?: string;
  id?: string;
}

export interface StreamFrame {
  type: "ws.stream";
  threadId: string;
  epoch: string;
  seq: number;
  uncounted?: number;
}

export interface Attached {
  type: "ws.attached";
  id?: string;
  threadId: string;
  epoch: string;
  seq: number;
  recovered: boolean;
  reason?: string;
  activeRunId?: string;
  interrupts?: Interrupt[];
  queued?: QueuedInput[];
  /** How many messages a window has left out, and their place. */
  older?: number;
  before?: string;
}

/** A page of messages. */
export interface Page {
  type: "ws.messages";
  threadId: string;
  messages: Message[];
  older?: number;
  before?: string;
  id?: string;
}

export interface ErrorFrame {
  type: "ws.error";
  code: string;
  message: string;
  /** When the same frame may be sent again; without it, it would be refused again. */
  retryAfterMs?: number;
  threadId?: string;
  id?: string;
}

export type ControlFrame =
  | Hello
  | RunAnswer
  | StreamFrame
  | Attached
  | Page
  | ErrorFrame
  | { type: "ws.live"; threadId: string; seq: number }
  | { type: "ws.cancelled"; threadId: string; runId: string; stopped: boolean; id?: string }
  | { type: "ws.detached"; threadId: string; reason?: string; id?: string }
  | { type: "ws.pong"; positions?: Record<string, number>; id?: string }
  | { type: "ws.goaway"; reason?: string; retryAfterMs?: number }
  | { type: "ws.store"; available?: boolean };

/** Tells a run's last event. */
export function isTerminal(event: WireEvent): boolean {
  return event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
}

/** The credential as a subprotocol: unpadded base64url of the token's UTF-8 bytes. */
export function bearerProtocol(token: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(token)) binary += String.fromCharCode(byte);
  return BEARER_PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Tells an event that replaces what was told before. */
export function isSnapshot(event: WireEvent): boolean {
  return event.type === "STATE_SNAPSHOT" || event.type === "MESSAGES_SNAPSHOT";
}

/** The interrupts that a terminal event leaves open. */
export function openAfter(event: WireEvent): Interrupt[] {
  const outcome = event.outcome as { type?: string; interrupts?: Interrupt[] } | undefined;
  return event.type === "RUN_FINISHED" && outcome?.type === "interrupt" ? (outcome.interrupts ?? []) : [];
}

/** Tells the snapshot by which a worker takes a lost one's run over: it may say less than was told before. */
export function takesOver(event: WireEvent): boolean {
  return (event.metadata as { aguiws?: { takeover?: unknown } } | undefined)?.aguiws?.takeover === true;
}

/** When a refused input may be sent again, where the refusal says so. */
export function retryAfterMs(refusal: WireEvent): number | undefined {
  const details = (refusal.metadata as { aguiws?: { retryAfterMs?: unknown } } | undefined)?.aguiws;
  return typeof details?.retryAfterMs === "number" ? details.retryAfterMs : undefined;
}
