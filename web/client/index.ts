// The AG-UI WebSocket binding for @ag-ui/client: `WebSocketAgent`, and what it is made of where a page needs it.

export { WebSocketAgent, type WebSocketAgentConfig } from "./agent";
export type { BackoffOptions } from "./backoff";
export { Connection } from "./connection";
export type { Position } from "./cursor";
export { TransportError } from "./errors";
export type { Hello, QueuedInput } from "./frames";
export type { ConnectionOptions, ConnectionState, WebSocketConstructor, WebSocketLike } from "./options";
export { connectionFor } from "./shared";
export type { Failure, ThreadStatus } from "./status";
