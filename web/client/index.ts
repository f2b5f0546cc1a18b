// The AG-UI WebSocket binding for @ag-ui/client: `WebSocketAgent`, and what it is made of where a page needs it.

export { WebSocketAgent, type WebSocketAgentConfig } from "./agent.js";
export { answersOf, askingMember, questionText, type AnswerChoice, type Answers } from "./answers.js";
export type { BackoffOptions } from "./backoff.js";
export { Connection } from "./connection.js";
export type { Position } from "./cursor.js";
export { decisionsOf, type Change, type Decision } from "./decisions.js";
export { TransportError } from "./errors.js";
export type { Hello, QueuedInput } from "./frames.js";
export type { Fetch } from "./handshake.js";
export type { ConnectionOptions, ConnectionState, FrameFormat, WebSocketConstructor, WebSocketLike } from "./options.js";
export { fetchPayload, isPayload, payloadIn, type Payload, type PayloadRequest } from "./payloads.js";
export { connectionFor } from "./shared.js";
export type { Failure, ThreadStatus } from "./status.js";
