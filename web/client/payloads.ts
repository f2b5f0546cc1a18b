// Large values of a thread, which travel as a reference (binding, Payloads).

import { TransportError } from "./errors.js";

/** What is told of a large value. The reference grants nothing: whoever asks for it must be able to read the thread. */
export interface Payload {
  ref: string;
  /** On the server that the agent is connected to. */
  url: string;
  mediaType: string;
  name?: string;
  /** In bytes. */
  size: number;
  /** `sha256:` and hexadecimal digits. */
  digest: string;
  /** How it begins, if it is text. */
  preview?: string;
  /** RFC 3339; without it the value stays as long as its thread. */
  expiresAt?: string;
}

/** Whether a value, as of a state, refers to a large one. */
export function isPayload(value: unknown): value is Payload {
  const p = value as Partial<Payload> | null | undefined;
  return typeof p === "object" && p !== null && typeof p.ref === "string" && /^[\w-]+\.[0-9a-f]{64}$/.test(p.ref)
    && typeof p.mediaType === "string" && typeof p.size === "number";
}

/** The large value that the content of a tool message refers to. */
export function payloadIn(content: unknown): Payload | undefined {
  if (!Array.isArray(content)) return undefined;
  for (const part of content as Array<{ metadata?: { aguiws?: { payload?: unknown } } } | null>) {
    const told = part?.metadata?.aguiws?.payload;
    if (isPayload(told)) return told;
  }
  return undefined;
}

export interface PayloadRequest {
  /** Where the server is. Default: where the page is from. */
  base?: string;
  token?: string | (() => string | Promise<string>);
  /** Bytes from the first to the last, which is one of them; without a last one to the end. */
  range?: [first: number, last?: number];
  signal?: AbortSignal;
  fetch?: typeof fetch;
}

/** Asks for a large value, or a range of it; the answer's body is read as it comes. Rejects with a TransportError whose code says why. */
export async function fetchPayload(payload: Payload | string, request: PayloadRequest = {}): Promise<Response> {
  const ref = typeof payload === "string" ? payload : payload.ref;
  const path = `/v1/payloads/${encodeURIComponent(ref)}`;
  const token = typeof request.token === "function" ? await request.token() : request.token;
  const [first, last] = request.range ?? [];
  const answer = await (request.fetch ?? fetch)(request.base === undefined ? path : new URL(path, request.base).href, {
    signal: request.signal,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(first !== undefined && { Range: `bytes=${first}-${last ?? ""}` }),
    },
  });
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => undefined)) as { code?: unknown; detail?: unknown } | undefined;
  throw new TransportError(
    typeof problem?.code === "string" ? problem.code : answer.status === 416 ? "no_such_range" : "refused",
    typeof problem?.detail === "string" ? problem.detail : `The server answered ${answer.status}.`,
  );
}
