// What is used of the package `ws`.

declare module "ws" {
  export const WebSocket: new (url: string, protocols: string[]) => import("@aguiws/client").WebSocketLike;
}
