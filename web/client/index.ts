// The AG-UI WebSocket binding for @ag-ui/client: `WebSocketAgent`, and what it is made of where a page needs it.

export { WebSocketAgent, type WebSocketAgentConfig } from "./agent";
export type { BackoffOptions } from "./backoff";
export {
  Connection,
  connectionFor,
  type ConnectionOptions,
  type ConnectionState,
  type WebSocketConstructor,
  type WebSocketLike,
} from "./connection";
export type { Position } from "./cursor";
export { TransportError } from "./errors";
export type { Hello, QueuedInput } from "./frames";
export type { Failure, ThreadStatus } from "./status";
