// The page's connections: agents that name the same server share a socket.

import { Connection } from "./connection.js";
import type { ConnectionOptions } from "./options.js";

/** Held by their agents and, while they are open, by their sockets; a token is kept no longer than they are. */
let shared: WeakRef<Connection>[] = [];

/**
 * The page's one connection for these options: the same address, credential, constructor and format of
 * frames share a socket. One that
 * its owner has closed is not given out again.
 */
export function connectionFor(options: ConnectionOptions): Connection {
  const open = (connection?: Connection) => connection !== undefined && !connection.closed;
  shared = shared.filter((one) => open(one.deref()));
  const found = shared
    .map((one) => one.deref())
    .find(
      (connection) =>
        connection?.options.url === options.url &&
        connection.options.token === options.token &&
        connection.options.WebSocket === options.WebSocket &&
        connection.options.json === options.json,
    );
  if (found) return found;
  const connection = new Connection(options);
  shared.push(new WeakRef(connection));
  return connection;
}
