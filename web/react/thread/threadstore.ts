// A thread of an agent, in the form of React's external stores.

import { randomUUID, type ResumeEntry, type Message, type RunAgentParameters, type RunErrorEvent, type UserMessage } from "@ag-ui/client";
import { TransportError, type ThreadStatus, type WebSocketAgent } from "@aguiws/client";

/** Why a run was refused, or has failed. */
export interface ThreadFault {
  code: string;
  message: string;
}

/** A thread as it is now: another object after every change. */
export interface ThreadPicture {
  messages: readonly Message[];
  state: unknown;
  /** The connection, what runs, what waits and what is asked. */
  status: ThreadStatus;
  /** A run is in progress, begun by anybody. */
  running: boolean;
  /** What was refused here, or has failed, last. The next run takes it away, and a refusal only what is sent here next. */
  fault?: ThreadFault;
}

export class ThreadStore {
  private picture: ThreadPicture;
  private fault?: ThreadFault;
  /** The fault is a refusal: runs of others do not take it away, for nothing else tells that an answer came too late. */
  private refused = false;
  private readonly watchers = new Set<() => void>();
  private leave?: () => void;

  constructor(private readonly agent: WebSocketAgent) {
    this.picture = this.take();
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    if (!this.leave) {
      this.leave = this.listen();
      // It may have changed since the first picture.
      this.changed();
    }
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      this.leave?.();
      this.leave = undefined;
    };
  };

  read = (): ThreadPicture => this.picture;

  send = (content: UserMessage["content"]): Promise<boolean> => {
    const message = { id: randomUUID(), role: "user" as const, content };
    this.agent.addMessage(message);
    return this.run({}, () => {
      this.agent.setMessages(this.agent.messages.filter(({ id }) => id !== message.id));
    });
  };

  answer = (entries: readonly ResumeEntry[]): Promise<boolean> => this.run({ resume: [...entries] });

  stop = (): void => this.agent.stopRun();

  /** `undo`: what is to be done if nothing of it has begun. */
  private async run(parameters: RunAgentParameters, undo?: () => void): Promise<boolean> {
    let began = false;
    let fault: ThreadFault | undefined;
    this.say(undefined);
    try {
      await this.agent.runAgent(parameters, {
        onRunStartedEvent: () => void (began = true),
        onRunErrorEvent: ({ event }) => void (fault = faultOf(event)),
      });
    } catch (error) {
      // What is open here is judged by @ag-ui/client, whose errors have no code.
      const asked = parameters.resume === undefined && this.agent.pendingInterrupts.length > 0;
      const code = error instanceof TransportError ? error.code : asked ? "interrupts_pending" : "client";
      fault = { code, message: error instanceof Error ? error.message : String(error) };
    }
    if (!began) undo?.();
    this.say(fault);
    this.refused = fault !== undefined && !began;
    return began;
  }

  private say(fault: ThreadFault | undefined): void {
    this.refused = false;
    this.fault = fault;
    this.changed();
  }

  private listen(): () => void {
    const { agent, changed } = this;
    const subscription = agent.subscribe({
      onMessagesChanged: changed,
      onStateChanged: changed,
      onRunInitialized: changed,
      onRunStartedEvent: () => {
        if (!this.refused) this.say(undefined);
      },
      onRunFinalized: changed,
      // Of a run that others have begun, too.
      onRunErrorEvent: ({ event }) => this.say(faultOf(event)),
    });
    const unwatch = agent.watchStatus(changed);
    return () => {
      subscription.unsubscribe();
      unwatch();
    };
  }

  private changed = (): void => {
    this.picture = this.take();
    for (const watcher of [...this.watchers]) watcher();
  };

  private take(): ThreadPicture {
    const { messages, state, status, isRunning } = this.agent;
    return { messages: [...messages], state, status, running: isRunning || status.activeRunId !== undefined, ...(this.fault && { fault: this.fault }) };
  }
}

function faultOf({ code, message }: RunErrorEvent): ThreadFault {
  return { code: code ?? "agent_error", message };
}
