// What the consumer uses of Node and of the package `ws`, so that it needs no types but those of the packages it tests.

declare const process: { env: Record<string, string>; exitCode?: number };

declare module "node:assert/strict" {
  export function equal(actual: unknown, expected: unknown, message?: string): void;
  export function deepEqual(actual: unknown, expected: unknown, message?: string): void;
  export function ok(value: unknown, message?: string): asserts value;
}

declare module "ws" {
  export const WebSocket: new (url: string, protocols: string[]) => import("@aguiws/client").WebSocketLike;
}
