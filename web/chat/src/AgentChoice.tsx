import { type ReactNode, useEffect, useState } from "react";
import { ChatPage } from "./chat/ChatPage";
import { agentFor, learned, type AgentInfo } from "./server/agents";
import { control, type Page, type RunInfo } from "./server/api";
import { useSession } from "./server/session";
import { chooseFor, chosenFor, madeHere } from "./thread";
import { apart } from "./words/apart";
import { visible } from "../../react/lib/misleading";

interface Props {
  agents: readonly AgentInfo[];
  threadId: string;
  begin: () => void;
  loading: ReactNode;
}

/** A chat on a server that has several agents. */
export default function AgentChoice({ agents, threadId, begin, loading }: Props) {
  const [wanted, choose] = useWanted(threadId);
  if (wanted === undefined) return loading;
  return <With key={threadId} agents={agents} threadId={threadId} begin={begin} wanted={wanted} choose={choose} />;
}

interface WithProps extends Omit<Props, "loading"> {
  /** The name of its agent; "": the default one's. */
  wanted: string;
  choose: (name: string) => void;
}

function With({ agents, threadId, begin, wanted, choose }: WithProps) {
  const { agent, missing } = agentFor(agents, wanted);
  useEffect(() => {
    // It goes on with this agent, even if another one is the default later.
    if (wanted === "" && madeHere(threadId)) chooseFor(threadId, agent.name ?? "");
  }, [threadId, wanted, agent]);
  const name = nameOf(agent);
  const gone = missing !== undefined && (
    <span className="hint" role="status" data-testid="agent-gone">
      {apart.noSuchAgent(visible(missing), name)}
    </span>
  );
  const label = (
    <p className="hint with-agent" dir="auto" data-testid="with-agent">
      {gone || apart.withAgent(name)}
    </p>
  );
  const choice = (
    <fieldset className="agents" data-testid="agents">
      <legend>{apart.agents}</legend>
      {gone}
      {agents.map((one) => (
        <label key={one.name ?? ""}>
          <input type="radio" name="agent" value={one.name ?? ""} checked={one === agent} onChange={() => choose(one.name ?? "")} />
          <span dir="auto">{nameOf(one)}</span>
          {one.description && (
            <span className="hint" dir="auto">
              {visible(one.description)}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  );
  return <ChatPage threadId={threadId} begin={begin} among={{ agent: agent.default ? undefined : agent.name, label, choice }} />;
}

const nameOf = ({ name }: AgentInfo) => (name === undefined ? apart.defaultAgent : visible(name));

/** The name of the agent that was chosen for a thread, or else of the one whose run is its latest; undefined while that is not known. */
function useWanted(threadId: string): [string | undefined, (name: string) => void] {
  const session = useSession();
  const [known, know] = useState<{ name: string; refusedIn?: number } | undefined>(() => (madeHere(threadId) ? { name: chosenFor(threadId) ?? "" } : undefined));
  const wanted = known && (known.refusedIn === undefined || known.refusedIn === session) ? known.name : undefined;
  useEffect(() => {
    if (wanted !== undefined) return;
    let over = false;
    void learned<Page<RunInfo>>(`/runs?thread=${encodeURIComponent(threadId)}&limit=1`).then(({ value, refused }) => over || know({ name: value?.items[0]?.agent ?? "", ...(refused && { refusedIn: session }) }));
    return () => {
      over = true;
    };
  }, [threadId, wanted, session]);
  useEffect(() => {
    if (known?.refusedIn !== undefined) return control.whenLetIn(() => know(undefined));
  }, [known]);
  const choose = (name: string) => {
    chooseFor(threadId, name);
    know({ name });
  };
  return [wanted, choose];
}
