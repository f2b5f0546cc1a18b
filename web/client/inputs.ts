// Sending inputs, and sending them again where nobody knows what became of them.

import type { Exchange } from "./exchange.js";
import { TransportError } from "./errors.js";

/** How often an input is sent that the server could not judge. */
const ATTEMPTS = 5;

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

  /** For when nobody knows whether the input was taken. Answers whether there is another attempt left. */
  askLater(exchange: Exchange, wait = 500 * 2 ** exchange.attempts): boolean {
    if (++exchange.attempts >= ATTEMPTS) return false;
    exchange.mustAsk();
    setTimeout(() => {
      if (exchange.unsure && !exchange.pipeline.ended) this.ask(exchange);
    }, wait);
    return true;
  }
}
