// All of the package for pages of assistant-ui, and its runtime for a thread that the server keeps. WebSocketAgent is of the
// type that assistant-ui's own `useAgUiRuntime` takes, whichever @ag-ui/client the application has beside assistant-ui's.

import { useAgUiRuntime, type AgUiAssistantRuntime, type UseAgUiRuntimeAdapters, type UseAgUiRuntimeOptions } from "@assistant-ui/react-ag-ui";
import { useEffect, useLayoutEffect, useMemo } from "react";
import { WebSocketAgent as Agent } from "./agent.js";
import type { WebSocketAgentClassOf, WebSocketAgentOf } from "./agentof.js";
import { ShownThread } from "./shownthread.js";

export * from "./index.js";

type AbstractAgent = UseAgUiRuntimeOptions["agent"];

export type WebSocketAgent = WebSocketAgentOf<AbstractAgent>;
export const WebSocketAgent = Agent as unknown as WebSocketAgentClassOf<AbstractAgent>;

export type AguiwsRuntimeOptions = Omit<UseAgUiRuntimeOptions, "agent" | "adapters"> & {
  /** Made once, outside the component, with the thread's id. */
  agent: Agent | WebSocketAgent;
  /** As for `useAgUiRuntime`, and to be memoized. The history is the server's. */
  adapters?: Omit<UseAgUiRuntimeAdapters, "history" | "threadList">;
};

// A server that renders the page has no layout, and React warns of it.
const useEarlyEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/**
 * useAguiwsRuntime is assistant-ui's `useAgUiRuntime` for a thread that the server keeps. A reload shows the thread, with
 * its open questions and the run in progress; runs that others begin, and questions that others answer, are shown as they
 * happen. A question whose answer was refused is asked again. Cancelling stops the run at the server, and a component
 * that goes away stops nothing. Another thread is another agent and another component: give it a `key`.
 */
export function useAguiwsRuntime({ agent, adapters, ...options }: AguiwsRuntimeOptions): AgUiAssistantRuntime {
  const { showThinking } = options;
  const shown = useMemo(() => new ShownThread(agent as Agent, { showThinking }), [agent, showThinking]);
  const all = useMemo(() => ({ ...adapters, history: shown.history }), [adapters, shown]);
  // Of an agent it uses what ShownThread has, whichever @ag-ui/client it was built with.
  const runtime = useAgUiRuntime({ ...options, agent: shown as unknown as UseAgUiRuntimeOptions["agent"], adapters: all });
  useEarlyEffect(() => shown.mount(), [shown]);
  useEffect(() => shown.start(runtime.thread), [shown, runtime]);
  useEffect(() => shown.rendered());
  return runtime;
}
