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
  /**
   * What was refused here, or has failed, last. The next run takes it away. A refusal stays until something else is sent
   * here. If it is about open questions, it goes with them.
   */
  fault?: ThreadFault;
}

/** Refusals of an answer that came too late: nothing else tells of it, so they stay when the question is gone. */
const TOO_LATE = new Set(["interrupt_conflict", "interrupt_unknown", "interrupt_expired"]);

export class ThreadStore {
  private picture: ThreadPicture;
  private fault?: ThreadFault;
  /** The fault is a refusal, so runs of others do not take it away. */
  private refused = false;
  /** The open questions that the refusal is about. */
  private about: readonly string[] = [];
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
    const open = this.agent.status.interrupts.map(({ id }) => id);
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
    const refused = fault !== undefined && !began;
    this.say(fault, refused, fault && refused ? aboutOf(fault, parameters.resume, open) : []);
    return began;
  }

  private say(fault: ThreadFault | undefined, refused = false, about: readonly string[] = []): void {
    this.fault = fault;
    this.refused = refused;
    this.about = about;
    this.changed();
  }

  /** What was said of questions is over when none of them is open. */
  private moved = (): void => {
    const { interrupts } = this.agent.status;
    if (this.about.length > 0 && !interrupts.some(({ id }) => this.about.includes(id))) this.say(undefined);
    else this.changed();
  };

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
    const unwatch = agent.watchStatus(this.moved);
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

/** The open questions that a refusal is about. */
function aboutOf({ code }: ThreadFault, answers: readonly ResumeEntry[] | undefined, open: readonly string[]): readonly string[] {
  if (answers) return TOO_LATE.has(code) ? [] : answers.map(({ interruptId }) => interruptId);
  return code === "interrupts_pending" ? open : [];
}
