import { agent } from "./page";

import { useSyncExternalStore } from "react";

let changes = 0;
const listeners = new Set<() => void>();
const changed = () => { changes++; listeners.forEach((listener) => listener()); };
agent.subscribe({ onMessagesChanged: changed, onRunFinalized: changed });
agent.watchStatus(changed);                     // draw agent.status.connection when it is not "connected"
const listen = (listener: () => void) => { listeners.add(listener); return () => void listeners.delete(listener); };
function useThread() {
  useSyncExternalStore(listen, () => changes);
  return agent;                                 // messages, pendingInterrupts, isRunning
}

export { useThread };
