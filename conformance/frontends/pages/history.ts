// What assistant-ui shows after a reload comes from its history adapter: here, from the thread itself.

import { ExportedMessageRepository, type ThreadHistoryAdapter } from "@assistant-ui/react";
import { fromAgUiMessages } from "@assistant-ui/react-ag-ui";
import type { WebSocketAgent } from "@aguiws/client";

export function historyOf(agent: WebSocketAgent): ThreadHistoryAdapter {
  return {
    async load() {
      await agent.connectAgent();
      const { messages, pendingInterrupts: interrupts } = agent;
      const asking = interrupts.length > 0 ? messages.findLast((message) => message.role === "assistant") : undefined;
      const told = messages.map((message) =>
        message === asking ? { ...message, metadata: { custom: { agui: { interrupts } } } } : message,
      );
      return { ...ExportedMessageRepository.fromArray(fromAgUiMessages(told)), state: agent.state };
    },
    // The server has it already.
    async append() {},
  };
}
