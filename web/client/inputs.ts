// Sending inputs, and sending them again where nobody knows what became of them.

import type { Exchange } from "./exchange.js";
import { TransportError } from "./errors.js";

/** How often an input is sent that the server could not judge. */
const ATTEMPTS = 5;
/** For how long one is sent again for which the store does not answer, and the longest wait in between, in milliseconds. */
const STORE_PATIENCE_MS = 15 * 60_000;
const STORE_WAIT_MS = 15_000;

export class Inputs {
  /** `send` answers the id of the frame, or undefined where there is no socket; `limit` is how long a frame may be. */
  constructor(
    private readonly send: (input: object) => string | undefined,
    private readonly limit: () => number | undefined,
  ) {}

  /** Sends an input if there is a socket. One that is too long fails here: the server would close the socket for all. */
  ask(exchange: Exchange): void {
    const limit = this.limit();
    if (limit !== undefined && exchange.bytes > limit) {
      const message = `the input is ${exchange.bytes} bytes long; the server takes ${limit}`;
      exchange.pipeline.fail(new TransportError("input_too_large", message));
      return;
    }
    const id = this.send(exchange.input);
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
