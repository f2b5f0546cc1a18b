// An application with an @ag-ui/client of its own: the agent is one of its AbstractAgents, and gives its Observables.

import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import { Connection, WebSocketAgent, type ThreadStatus, type WebSocketAgentConfig } from "@aguiws/client";

const config: WebSocketAgentConfig = { url: "ws://127.0.0.1:8080/agui/ws", threadId: "t" };

class Counted extends WebSocketAgent {
  runs = 0;

  override run(input: RunAgentInput) {
    this.runs++;
    return super.run(input);
  }
}

export const agents: AbstractAgent[] = [new WebSocketAgent(config), new Counted({ ...config, connection: new Connection(config) })];

const agent = new WebSocketAgent(config);
export const types: BaseEvent["type"][] = [];
export const listen = (input: RunAgentInput) => agent.run(input).subscribe((event: BaseEvent) => void types.push(event.type));
export const status: ThreadStatus = agent.clone().status;
