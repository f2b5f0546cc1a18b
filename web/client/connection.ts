// One WebSocket to one server, shared by every thread and agent of the page: opening it, noticing that it is dead,
// and opening it again.

import { Backoff } from "./backoff.js";
import { askedFor } from "./credential.js";
import { TransportError } from "./errors.js";
import { Feed } from "./feed.js";
import { bearerProtocol, SUBPROTOCOL, type ControlFrame, type Hello, type WireEvent } from "./frames.js";
import { refusal, type Fetch } from "./handshake.js";
import type { ConnectionOptions, ConnectionState, FrameFormat, WebSocketConstructor, WebSocketLike } from "./options.js";
import { onReturn } from "./page.js";
import { Router } from "./router.js";

/** Closes after which the same attempt would end the same way. */
const FINAL_CLOSES = new Set([1002, 1003, 1007, 1009, 1010, 4400]);
const CLOSE_EXPIRED = 4401;
const CLOSE_RESTARTING = 1012;
/** Within what time after the store is back what waits for it is sent, in milliseconds. */
const STORE_SPREAD_MS = 1_000;
/** For how long after a loss somebody is expected to look on, and how soon it is tried again then. */
const EARLY = { forMs: 30_000, capMs: 2_000 };
/** What the server says of a credential before there is a socket to close. */
const UNAUTHENTICATED = "unauthenticated";

/**
 * Connection owns the socket. It is open while a feed is in use, comes back by itself after a loss, and tells its
 * feeds; it keeps nothing of what was sent, so whoever sent something sends it again.
 */
export class Connection {
  state: ConnectionState = "idle";
  hello?: Hello;
  failure?: TransportError;
  /** False while the server says that its store does not answer. */
  storeAvailable = true;
  /** It was closed by its owner, so agents that are made from now on share another. */
  closed = false;

  private socket?: WebSocketLike;
  private readonly router = new Router();
  private readonly watchers = new Set<() => void>();
  private readonly taps = new Set<(sent: boolean, text: string) => void>();
  private readonly backoff: Backoff;
  private timers: { retry?: Timer; linger?: Timer; patience?: Timer; ping?: Timer; store?: Timer } = {};
  private users = 0;
  /** Which attempt is the present one; what comes of an earlier one is dropped. */
  private attempt = 0;
  private tried = false;
  private credential?: string;
  private greeted = false;
  private expiredOnce = false;
  private warned = false;
  private goingAwayAfterMs?: number;
  private nextId = 1;
  private unlisten?: () => void;

  constructor(readonly options: ConnectionOptions) {
    this.backoff = new Backoff(options.backoff, EARLY);
  }

  /** The feed of a thread; made when there is none. */
  feed(threadId: string): Feed {
    return this.router.feed(threadId, () => new Feed(this, threadId));
  }

  /** The feed has nobody left. */
  drops(feed: Feed): void {
    this.router.drop(feed);
  }

  /** Calls `watcher` after every change of state, hello, failure or storeAvailable. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /**
   * Shows every text frame that is sent or received, greetings included, as it crosses the wire, until the returned
   * function is called. No frame holds the credential, which travels in the handshake.
   */
  tap(tap: (sent: boolean, text: string) => void): () => void {
    this.taps.add(tap);
    return () => this.taps.delete(tap);
  }

  /** Keeps the socket open until the returned function is called. */
  use(): () => void {
    const unused = this.users++ === 0;
    clearTimeout(this.timers.linger);
    // What was begun when nobody used it is for whoever is signed in now only if that is still the same.
    const whose = unused && this.state !== "failed" && typeof this.options.token === "function";
    if (whose && !this.greeted) this.drop();
    if (this.state === "idle" || whose) void this.open();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (--this.users > 0) return;
      this.timers.linger = setTimeout(() => this.rest(), this.options.lingerMs ?? 10_000);
      // In Node an open socket keeps the process alive; waiting for its end alone must not.
      (this.timers.linger as { unref?: () => void }).unref?.();
    };
  }

  /** Tries again after `failed`, or at once instead of at the end of a wait. */
  retry(): void {
    if (this.socket || this.users === 0) return;
    this.failure = undefined;
    this.backoff.reset();
    void this.open();
  }

  /** Somebody wants something of the server: it is tried now if the next attempt is only waited for. */
  hurry(): void {
    if (this.timers.retry !== undefined && this.users > 0) void this.open();
  }

  /**
   * Closes the socket, and ends the sharing: agents that are made later get another connection, whatever these do.
   * For when the person that the credential stands for leaves. It opens again if somebody uses it again.
   */
  close(): void {
    this.closed = true;
    this.rest();
  }

  /** Sends a frame; false when there is no socket that has greeted. */
  send(frame: object | string): boolean {
    if (this.state !== "connected" || !this.socket || this.socket.readyState !== 1) return false;
    const text = typeof frame === "string" ? frame : this.format.stringify(frame);
    this.socket.send(text);
    for (const tap of [...this.taps]) tap(true, text);
    return true;
  }

  /** How many messages a thread is told with; undefined for all. */
  get window(): number | undefined {
    return this.options.window;
  }

  /** How frames are read and written. */
  get format(): FrameFormat {
    return this.options.json ?? JSON;
  }

  /** An id to recognise an answer by. */
  id(): string {
    return `c${this.nextId++}`;
  }

  /** The greeting, waiting for it if need be. Rejects when the connection fails. */
  greeting(): Promise<Hello> {
    const release = this.use();
    return new Promise<Hello>((resolve, reject) => {
      const look = () => {
        if (this.hello) resolve(this.hello);
        else if (this.failure) reject(this.failure);
        else return false;
        unwatch();
        return true;
      };
      const unwatch = this.watch(look);
      look();
    }).finally(release);
  }

  /** Nobody needs the socket, and nothing is kept of whose it was. */
  private rest(): void {
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers = {};
    this.attempt++;
    this.drop();
    this.failure = this.credential = undefined;
    this.tried = this.expiredOnce = false;
    this.set("idle");
    this.unlisten?.();
    this.unlisten = undefined;
  }

  /** Opens a socket, or takes the open one up again if the credential is still the same. */
  private async open(): Promise<void> {
    this.stopWaiting();
    const attempt = ++this.attempt;
    const Socket = this.options.WebSocket ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
    if (!Socket) {
      this.fail(new TransportError("no_websocket", "this runtime has no WebSocket; give one in the options"));
      return;
    }
    this.unlisten ??= onReturn(() => this.lookAlive());
    this.set(this.tried ? "reconnecting" : "connecting");
    this.tried = true;
    const { token } = this.options;
    let credential: string | undefined;
    try {
      credential = typeof token === "function" ? await askedFor(token, this.patience()) : token;
    } catch (error) {
      if (attempt === this.attempt) this.hasNoCredential(error);
      return;
    }
    if (attempt !== this.attempt) return;
    if (this.socket && this.credential === credential) {
      this.ready();
      return;
    }
    this.drop();
    if (this.users === 0) {
      this.rest();
      return;
    }
    this.credential = credential;
    try {
      this.listen(new Socket(this.address(), [SUBPROTOCOL, ...(credential === undefined ? [] : [bearerProtocol(credential)])]));
    } catch (error) {
      this.fail(new TransportError("bad_address", String(error)));
    }
  }

  private listen(socket: WebSocketLike): void {
    this.socket = socket;
    this.greeted = false;
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => this.lost(event.code, event.reason);
    socket.onerror = () => {};
    this.timers.patience = setTimeout(() => this.lost(4000, "no greeting"), this.patience());
  }

  /** Often there is no token because there is no network: the next attempt asks again. */
  private hasNoCredential(error: unknown): void {
    if (error instanceof TransportError) {
      this.fail(error);
      return;
    }
    if (!this.warned) console.warn(`[aguiws] no credential, asking again: ${String(error)}`);
    this.warned = true;
    this.drop();
    this.tryAgain(this.backoff.next());
  }

  private address(): string {
    const base = (globalThis as { location?: { href: string } }).location?.href;
    const url = new URL(this.options.url, base);
    if (url.protocol === "http:") url.protocol = "ws:";
    if (url.protocol === "https:") url.protocol = "wss:";
    return url.href;
  }

  private receive(data: unknown): void {
    if (typeof data !== "string") return;
    for (const tap of [...this.taps]) tap(false, data);
    // Whatever arrives is a sign of life: behind a long replay the pong itself may take a while.
    if (this.greeted) clearTimeout(this.timers.patience);
    let frame: unknown;
    try {
      frame = this.format.parse(data);
    } catch {
      this.lost(4000, "a frame that is not JSON");
      return;
    }
    if (typeof frame !== "object" || frame === null) return;
    const type = (frame as { type?: unknown }).type;
    if (typeof type !== "string") return;
    if (type.startsWith("ws.")) this.control(frame as ControlFrame);
    else this.router.event(frame as WireEvent);
  }

  private control(frame: ControlFrame): void {
    if (frame.type === "ws.hello") this.begin(frame);
    else if (frame.type === "ws.goaway") this.goingAwayAfterMs = frame.retryAfterMs ?? 0;
    else if (frame.type === "ws.store") this.hearOfStore(frame.available !== false);
    else this.router.control(frame);
  }

  /** What waits for the store is sent again when it is back, not by all pages at the same moment. */
  private hearOfStore(available: boolean): void {
    clearTimeout(this.timers.store);
    this.storeAvailable = available;
    this.changed();
    if (!available) return;
    this.timers.store = setTimeout(
      () => {
        for (const feed of this.router.all()) feed.storeIsBack();
      },
      (this.options.backoff?.random ?? Math.random)() * STORE_SPREAD_MS,
    );
  }

  private begin(hello: Hello): void {
    if (hello.binding !== "agui.v1") {
      this.fail(new TransportError("unknown_binding", `the server speaks ${JSON.stringify(hello.binding)}`));
      return;
    }
    clearTimeout(this.timers.patience);
    this.hello = hello;
    this.greeted = true;
    this.backoff.reset();
    this.expiredOnce = this.warned = false;
    this.ready();
  }

  private ready(): void {
    this.set("connected");
    this.schedulePing();
    for (const feed of this.router.all()) feed.connected();
  }

  private schedulePing(): void {
    clearTimeout(this.timers.ping);
    this.timers.ping = setTimeout(() => this.ping(), this.options.pingMs ?? 20_000);
  }

  private ping(): void {
    if (!this.send({ type: "ws.ping", id: this.id() })) return;
    clearTimeout(this.timers.patience);
    this.timers.patience = setTimeout(() => this.lost(4000, "no sign of life"), this.patience());
    this.schedulePing();
  }

  private patience(): number {
    return this.options.patienceMs ?? 10_000;
  }

  /** The socket is gone, whether or not it says so: a half-open one takes minutes to close by itself. */
  private lost(code: number, reason: string): void {
    if (!this.socket) return;
    this.attempt++;
    this.drop();
    if (FINAL_CLOSES.has(code)) {
      this.fail(new TransportError(String(code), reason || `the server closed the connection with ${code}`));
      return;
    }
    if (code === CLOSE_EXPIRED && !this.mayRenew()) {
      this.fail(new TransportError("4401", reason || "the credential has expired or was revoked"));
      return;
    }
    // Without a credential, who was let in once will be again; asking would only fill the console while a server is down.
    if (!this.greeted && this.users > 0 && (!this.hello || this.credential !== undefined)) void this.learnWhy();
    const wait = code === CLOSE_RESTARTING ? (this.goingAwayAfterMs ?? 0) : this.backoff.next();
    this.goingAwayAfterMs = undefined;
    this.tryAgain(wait);
  }

  private tryAgain(wait: number): void {
    if (this.users === 0) {
      this.rest();
      return;
    }
    this.set("reconnecting");
    this.timers.retry = setTimeout(() => void this.open(), wait);
  }

  private stopWaiting(): void {
    clearTimeout(this.timers.retry);
    this.timers.retry = undefined;
  }

  /** Whether another credential can be had in place of one that was refused: once, until a server greets. */
  private mayRenew(): boolean {
    if (typeof this.options.token !== "function" || this.expiredOnce) return false;
    return (this.expiredOnce = true);
  }

  /** The server has not let the socket in, if it is there at all. Meanwhile it is tried again. */
  private async learnWhy(): Promise<void> {
    const fetch = this.options.fetch ?? (globalThis as { fetch?: Fetch }).fetch;
    if (!fetch) return;
    const { credential } = this;
    const error = await refusal(this.address(), credential, fetch);
    if (!error || this.state !== "reconnecting" || this.credential !== credential) return;
    if (error.code === UNAUTHENTICATED && this.mayRenew()) return;
    this.fail(error);
  }

  private fail(error: TransportError): void {
    this.stopWaiting();
    this.attempt++;
    this.drop();
    this.failure = error;
    this.set("failed");
    for (const feed of this.router.all()) feed.failed(error);
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = undefined;
    this.router.reset();
    clearTimeout(this.timers.ping);
    clearTimeout(this.timers.patience);
    clearTimeout(this.timers.store);
    this.storeAvailable = true;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    // The package `ws` emits an error when a socket is closed before it opened.
    socket.onerror = () => {};
    socket.close(1000);
    for (const feed of this.router.all()) feed.lost();
  }

  private set(state: ConnectionState): void {
    this.state = state;
    this.changed();
  }

  private changed(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  /** A page that comes back from sleep or from no network does not wait for a timer to find out. */
  private lookAlive(): void {
    if (this.state === "connected") this.ping();
    else if (this.state === "reconnecting") this.retry();
  }
}

type Timer = ReturnType<typeof setTimeout>;
