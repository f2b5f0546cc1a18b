// Why a server does not let a socket in. A browser tells a page nothing of what an HTTP server answers to a WebSocket's
// handshake, so a wrong credential would look like no network, for ever.

import { TransportError } from "./errors.js";

/** The part of the standard fetch that is used. */
export type Fetch = (
  url: string,
  init: { headers: Record<string, string>; credentials: "include"; cache: "no-store" },
) => Promise<{ status: number; json(): Promise<unknown> }>;

/** Answers that the same attempt would get again. */
const FINAL = new Set([400, 401, 403, 404]);

/**
 * Asks for the capabilities beside the socket's address, which are guarded in the same way. Answers the server's refusal,
 * if it is one that will not pass by itself; undefined where there is none or none can be learnt.
 */
export async function refusal(socketUrl: string, token: string | undefined, fetch: Fetch): Promise<TransportError | undefined> {
  const url = new URL(socketUrl);
  if (!url.pathname.endsWith("/ws")) return undefined;
  url.protocol = url.protocol === "wss:" ? "https:" : "http:";
  url.pathname = url.pathname.slice(0, -"ws".length) + "capabilities";
  try {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const answer = await fetch(url.href, { headers, credentials: "include", cache: "no-store" });
    if (!FINAL.has(answer.status)) return undefined;
    const { code, message } = (await answer.json()) as { code?: unknown; message?: unknown };
    return typeof code === "string" && typeof message === "string" ? new TransportError(code, message) : undefined;
  } catch {
    return undefined;
  }
}
