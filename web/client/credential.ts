// The credential of one attempt to connect. It is asked for anew each time: the one before may have expired, or may have
// been another person's.

import { TransportError } from "./errors.js";

/**
 * What a token function answers. Rejects when it does not answer within this time, and as it does itself; a
 * TransportError says that asking again is of no use.
 */
export async function askedFor(token: () => string | Promise<string>, patienceMs: number): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the token function has not answered in ${patienceMs} ms`)), patienceMs);
  });
  try {
    const answer: unknown = await Promise.race([token(), late]);
    if (typeof answer === "string") return answer;
    throw new TransportError("no_credential", `the token function has answered ${typeof answer}, not a string`);
  } finally {
    clearTimeout(timer);
  }
}
