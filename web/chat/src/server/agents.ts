// Which agents the server has. They are asked for once, and again by whoever signs in.

import { useEffect, useReducer, useState } from "react";
import { ApiError, call, control, type Page } from "./api";
import { usePerson, useSession } from "./session";

export interface AgentInfo {
  /** Left out of the default one's, if it has none. */
  name?: string;
  description?: string;
  default?: boolean;
}

const PAUSE_MS = 2_000;

/** What a path answers. Refused: whoever asks is not let in, and may be later. Neither: it is not for whoever asks, or the server does not have it. */
export interface Learned<T> {
  value?: T;
  refused?: boolean;
}

/** Asks until it is answered. */
export async function learned<T>(path: string): Promise<Learned<T>> {
  for (;;) {
    try {
      return { value: await call<T>("GET", path) };
    } catch (error) {
      const { status } = error as ApiError;
      if (status === 401) return { refused: true };
      // What is no answer of the API, such as a page in its place, does not get better.
      if (status > 0 && status < 429) return {};
      await new Promise((later) => setTimeout(later, PAUSE_MS));
    }
  }
}

let asked: Promise<Learned<Page<AgentInfo>>>;
let askedIn = -1;

export interface Known {
  agents: readonly AgentInfo[];
  refused: boolean;
  session: number;
  person: number;
}

/** The agents that hold for whoever uses the page now. A refusal ends with its session, so that nobody who signs in is taken for somebody without agents. */
export function agentsFor(known: Known | undefined, session: number, person: number): readonly AgentInfo[] | undefined {
  if (!known || known.person !== person || (known.refused && known.session !== session)) return undefined;
  return known.agents;
}

/** All agents; undefined while that is not known. None: whoever asks is not let in, so that nothing is sent to any of them. */
export function useAgents(): readonly AgentInfo[] | undefined {
  const session = useSession();
  const person = usePerson();
  const [known, tell] = useState<Known>();
  const [letIn, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    let over = false;
    if (askedIn !== session) {
      askedIn = session;
      asked = learned<Page<AgentInfo>>("/agents");
    }
    void asked.then(({ value, refused = false }) => over || tell({ agents: value?.items ?? [], refused, session, person }));
    return () => {
      over = true;
    };
  }, [session, person, letIn]);
  useEffect(() => {
    if (!known?.refused) return;
    return control.whenLetIn(() => {
      askedIn = -1;
      again();
    });
  }, [known]);
  return agentsFor(known, session, person);
}

/** The agent of a thread for which this name is wanted; the default one if that is there no more, or if none is wanted. Runs of an agent without a name say none. */
export function agentFor(agents: readonly AgentInfo[], wanted: string): { agent: AgentInfo; missing?: string } {
  const found = agents.find((one) => (one.name ?? "") === wanted);
  const agent = found ?? agents.find((one) => one.default) ?? agents[0]!;
  return found || wanted === "" ? { agent } : { agent, missing: wanted };
}
