// The page's connections: agents that name the same server share a socket.

import { Connection } from "./connection.js";
import type { ConnectionOptions } from "./options.js";

const shared: Connection[] = [];

/** The page's one connection for these options: the same address, credential and constructor share a socket. */
export function connectionFor(options: ConnectionOptions): Connection {
  const found = shared.find(
    (connection) =>
      connection.options.url === options.url &&
      connection.options.token === options.token &&
      connection.options.WebSocket === options.WebSocket,
  );
  if (found) return found;
  const connection = new Connection(options);
  shared.push(connection);
  return connection;
}
