// A WebSocket whose other end is the test: what the client sends is read, what the server says is said.

import { expect, vi } from "vitest";
import { Connection, WebSocketAgent, type ConnectionOptions, type WebSocketLike } from "../index";

export type Frame = Record<string, any>;

export class FakeSocket implements WebSocketLike {
  readyState = 0;
  onopen: ((event: any) => void) | null = null;
  onmessage: ((event: any) => void) | null = null;
  onclose: ((event: any) => void) | null = null;
  onerror: ((event: any) => void) | null = null;
  readonly sent: Frame[] = [];
  private read = 0;

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {}

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.readyState = 3;
  }

  /** What the client has sent and the test has not looked at yet. */
  next(): Frame {
    const frame = this.sent[this.read];
    expect(frame, "the client has sent nothing more").toBeDefined();
    this.read++;
    return frame!;
  }

  silent(): boolean {
    return this.sent.length === this.read;
  }

  say(...frames: Frame[]): void {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }

  hello(more: Frame = {}): void {
    this.readyState = 1;
    this.onopen?.({});
    this.say({ type: "ws.hello", binding: "agui.v1", heartbeatMs: 25000, maxFrameBytes: 4 << 20, durable: true, capabilities: {}, ...more });
  }

  /** The connection breaks. */
  break(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code, reason: "" });
  }
}

/** A WebSocket class, and the sockets that were made of it. */
export function recorded() {
  const sockets: FakeSocket[] = [];
  class Recorded extends FakeSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      sockets.push(this);
    }
  }
  return { sockets, WebSocket: Recorded };
}

/** Lets reducers, promises and due timers of the given time run. */
export async function settle(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await vi.advanceTimersByTimeAsync(0);
}

export class Bench {
  readonly sockets: FakeSocket[];
  readonly connection: Connection;

  constructor(options: Partial<ConnectionOptions> = {}) {
    const { sockets, WebSocket } = recorded();
    this.sockets = sockets;
    this.connection = new Connection({
      url: "ws://test/agui/ws",
      WebSocket,
      fetch: () => Promise.reject(new Error("no network")),
      backoff: { random: () => 0.5 },
      ...options,
    });
  }

  agent(threadId = "t"): WebSocketAgent {
    return new WebSocketAgent({ url: "unused", threadId, connection: this.connection });
  }

  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    expect(socket, "no socket was opened").toBeDefined();
    return socket!;
  }

  /** The present socket breaks and the next one greets. */
  async reconnect(): Promise<FakeSocket> {
    const before = this.sockets.length;
    this.socket.break();
    await settle(5_000);
    expect(this.sockets.length).toBe(before + 1);
    this.socket.hello();
    await settle();
    return this.socket;
  }
}

export const stream = (seq: number, uncounted?: number, threadId = "t", epoch = "e"): Frame => ({
  type: "ws.stream",
  threadId,
  epoch,
  seq,
  ...(uncounted && { uncounted }),
});

export const attached = (seq: number, recovered: boolean, more: Frame = {}): Frame => ({
  type: "ws.attached",
  threadId: "t",
  epoch: "e",
  seq,
  recovered,
  interrupts: [],
  queued: [],
  ...more,
});

export const live = (seq: number): Frame => ({ type: "ws.live", threadId: "t", seq });
export const run = (runId: string, disposition: string, more: Frame = {}): Frame => ({
  type: "ws.run",
  threadId: "t",
  runId,
  disposition,
  ...more,
});

export const started = (runId: string, more: Frame = {}): Frame => ({ type: "RUN_STARTED", threadId: "t", runId, ...more });
export const finished = (runId: string, outcome?: Frame): Frame => ({
  type: "RUN_FINISHED",
  threadId: "t",
  runId,
  ...(outcome && { outcome }),
});
export const failed = (code: string, message = code): Frame => ({ type: "RUN_ERROR", code, message });
export const open = (messageId: string): Frame => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
export const delta = (messageId: string, text: string): Frame => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: text });
export const close = (messageId: string): Frame => ({ type: "TEXT_MESSAGE_END", messageId });
export const state = (snapshot: unknown): Frame => ({ type: "STATE_SNAPSHOT", snapshot });
export const messages = (...list: Frame[]): Frame => ({ type: "MESSAGES_SNAPSHOT", messages: list });
export const user = (id: string, content: string): Frame => ({ id, role: "user", content });
export const assistant = (id: string, content: string): Frame => ({ id, role: "assistant", content });
export const interrupt = (id: string): Frame => ({ id, reason: "confirmation", message: "sure?" });

/** Roles and contents, the way a page shows them. */
export const shown = (agent: WebSocketAgent): string[] =>
  agent.messages.map((message) => `${message.role}:${typeof message.content === "string" ? message.content : ""}`);
