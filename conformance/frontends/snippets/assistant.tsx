import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import type { WebSocketAgent } from "@aguiws/client";

export function useRuntime(agent: WebSocketAgent) {
  const runtime = useAgUiRuntime({ agent, adapters: { history } });   // useMemo both
  return runtime;
}

declare const agent: WebSocketAgent;

import { ExportedMessageRepository } from "@assistant-ui/react";
import { fromAgUiMessages } from "@assistant-ui/react-ag-ui";

const history = {
  async load() {
    await agent.connectAgent();
    const { messages, pendingInterrupts: interrupts } = agent;
    const asking = interrupts.length > 0 ? messages.findLast((message) => message.role === "assistant") : undefined;
    const told = messages.map((message) =>
      message === asking ? { ...message, metadata: { custom: { agui: { interrupts } } } } : message);
    return { ...ExportedMessageRepository.fromArray(fromAgUiMessages(told)), state: agent.state };
  },
  async append() {},   // the server has it already
};
