// Sending inputs, and sending them again where nobody knows what became of them.

import type { Exchange } from "./exchange.js";
import { TransportError } from "./errors.js";
import type { Hello } from "./frames.js";

/** How often an input is sent that the server could not judge. */
const ATTEMPTS = 5;
/** For how long one is sent again for which the store does not answer, and the longest wait in between, in milliseconds. */
const STORE_PATIENCE_MS = 15 * 60_000;
const STORE_WAIT_MS = 15_000;

export class Inputs {
  /** `send` answers the id of the frame, or undefined where there is no socket; `hello` says how long a frame may be. */
  constructor(
    private readonly send: (input: object) => string | undefined,
    private readonly hello: () => Hello | undefined,
  ) {}

  /**
   * Sends an input if there is a socket. One that is too long goes without what the thread has, where the server keeps
   * that. It fails here if it is too long all the same: the server would close the socket for all.
   */
  ask(exchange: Exchange): void {
    const { maxFrameBytes: limit = Infinity, capabilities } = this.hello() ?? {};
    const keeps = (capabilities?.custom?.aguiws as { newMessages?: boolean } | undefined)?.newMessages === true;
    const { input, bytes } = exchange.bytes > limit && keeps ? exchange.brief() : exchange;
    if (bytes > limit) {
      exchange.pipeline.fail(new TransportError("input_too_large", `the input is ${bytes} bytes long; the server takes ${limit}`));
      return;
    }
    const id = this.send(input);
    if (id !== undefined) exchange.wasSent(id);
  }

  /**
   * For when the store did not answer: the same input again, each time after a longer wait, since it cannot start twice.
   * Answers whether it will be sent again.
   */
  askWhenBack(exchange: Exchange, wait = 1_000): boolean {
    const trouble = (exchange.withoutStore ??= { since: Date.now(), times: 0 });
    if (Date.now() - trouble.since >= STORE_PATIENCE_MS) return false;
    this.again(exchange, Math.min(STORE_WAIT_MS, wait * 2 ** Math.min(trouble.times++, 10)));
    return true;
  }

  /** For when nobody knows whether the input was taken. Answers whether there is another attempt left. */
  askLater(exchange: Exchange, wait = 500 * 2 ** exchange.attempts): boolean {
    if (++exchange.attempts >= ATTEMPTS) return false;
    this.again(exchange, wait);
    return true;
  }

  private again(exchange: Exchange, wait: number): void {
    exchange.mustAsk();
    setTimeout(() => {
      if (exchange.unsure && !exchange.pipeline.ended) this.ask(exchange);
    }, wait);
  }
}
