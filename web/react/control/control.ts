// The control API of a server, as parts of a page call it.

import { parse, stringify } from "../lib/json.js";
import { ENGLISH, type Strings } from "../lib/strings.js";

/** An answer that is no success. `code` is one of the binding's if it has one. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

export interface ControlOptions {
  /** Where the control API is: `/v1` behind the same origin, or the whole address. */
  url: string;
  /** The bearer token of now; undefined: nobody is signed in. */
  token?: () => string | undefined;
  /** The words for what goes wrong on the way. Default English; what the server says stays as it is. */
  strings?: () => Pick<Strings, "server">;
  /** For tests, and for what has to be added to every request. */
  fetch?: typeof fetch;
}

/** What a path answered. */
export interface ControlAnswer {
  status: number;
  etag?: string;
  body: unknown;
}

/** A client of the control API. What it rejects with is a `ControlError`. */
export class Control {
  private readonly refused = new Set<() => void>();

  constructor(private readonly options: ControlOptions) {}

  /** Whether somebody is told apart by a token. */
  get signedIn(): boolean {
    return this.options.token?.() !== undefined;
  }

  /** Calls `again` when whoever was refused may be let in, until the returned function is called. */
  whenLetIn(again: () => void): () => void {
    this.refused.add(again);
    return () => void this.refused.delete(again);
  }

  /** The server has let the person in: what it refused before is asked for again. */
  letIn(): void {
    for (const again of [...this.refused]) again();
  }

  /** What it says by itself. */
  get words(): Strings["server"] {
    return (this.options.strings?.() ?? ENGLISH).server;
  }

  /** Asks for a path as whoever is signed in. */
  request(path: string, { headers, ...rest }: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const { url, token, fetch: send = fetch } = this.options;
    const bearer = token?.();
    return send(`${url}${path}`, { ...rest, headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), ...headers } });
  }

  /** `etag`: what is held already, and not sent again. `keepalive`: it is sent even if the page goes meanwhile. */
  async send(method: string, path: string, body?: unknown, etag?: string, keepalive = false): Promise<ControlAnswer> {
    let response: Response;
    let text: string;
    try {
      response = await this.request(path, {
        method,
        keepalive,
        headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...(etag && { "If-None-Match": etag }) },
        ...(body !== undefined && { body: stringify(body) }),
      });
      text = response.status === 304 ? "" : await response.text();
    } catch {
      throw new ControlError(0, "unreachable", this.words.noAnswer);
    }
    if (response.status === 304) return { status: 304, ...(etag && { etag }), body: undefined };
    let read: unknown;
    try {
      read = text === "" ? undefined : parse(text);
    } catch {
      throw new ControlError(response.status, "unreadable", this.words.notJson(response.status));
    }
    if (!response.ok) {
      const problem = (read ?? {}) as { code?: string; detail?: string };
      throw new ControlError(response.status, problem.code ?? "refused", problem.detail ?? this.words.answered(response.status), problem);
    }
    const tag = response.headers.get("ETag");
    return { status: response.status, ...(tag !== null && { etag: tag }), body: read };
  }

  async call<T>(method: string, path: string, body?: unknown, keepalive = false): Promise<T> {
    return (await this.send(method, path, body, undefined, keepalive)).body as T;
  }

  /** Asks for a path, again and again; what has not changed is not sent again. */
  asker<T>(path: string): () => Promise<T> {
    let held: ControlAnswer = { status: 0, body: undefined };
    return async () => {
      const got = await this.send("GET", path, undefined, held.etag);
      if (got.status !== 304) held = got;
      return held.body as T;
    };
  }
}
