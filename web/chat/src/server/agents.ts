// Which agents the server has. They are asked for once, and again by whoever signs in.

import { useEffect, useState } from "react";
import { ApiError, call, type Page } from "./api";
import { useSession } from "./session";

export interface AgentInfo {
  /** Left out of the default one's, if it has none. */
  name?: string;
  description?: string;
  default?: boolean;
}

const PAUSE_MS = 2_000;

/** Asks until it is answered; undefined: this is not for whoever asks, or the server does not say it. */
export async function learned<T>(path: string): Promise<T | undefined> {
  for (;;) {
    try {
      return await call<T>("GET", path);
    } catch (error) {
      const { status } = error as ApiError;
      if (status >= 400 && status < 429) return undefined;
      await new Promise((later) => setTimeout(later, PAUSE_MS));
    }
  }
}

let asked: Promise<readonly AgentInfo[]>;
let askedIn = -1;

/** All agents; undefined while that is not known. Those of before stand until who has signed in is told. */
export function useAgents(): readonly AgentInfo[] | undefined {
  const session = useSession();
  const [agents, tell] = useState<readonly AgentInfo[]>();
  useEffect(() => {
    let over = false;
    if (askedIn !== session) {
      askedIn = session;
      asked = learned<Page<AgentInfo>>("/agents").then((page) => page?.items ?? []);
    }
    void asked.then((all) => over || tell(all));
    return () => {
      over = true;
    };
  }, [session]);
  return agents;
}

/** The agent of a thread for which this name is wanted; the default one if that is there no more, or if none is wanted. Runs of an agent without a name say none. */
export function agentFor(agents: readonly AgentInfo[], wanted: string): { agent: AgentInfo; missing?: string } {
  const found = agents.find((one) => (one.name ?? "") === wanted);
  const agent = found ?? agents.find((one) => one.default) ?? agents[0]!;
  return found || wanted === "" ? { agent } : { agent, missing: wanted };
}
