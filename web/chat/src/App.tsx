import { lazy, Suspense } from "react";
import { Bar } from "./bar/Bar";
import { ChatPage } from "./chat/ChatPage";
import { OrElse } from "../../react/lib/OrElse";
import { part } from "../../react/lib/part";
import { DeletedNote } from "./threads/DeletedNote";
import { usePlace } from "./lib/route";
import { useAgents } from "./server/agents";
import { usePerson, useSession } from "./server/session";
import { useMay } from "./server/who";
import { chosenFor, madeHere, useElsewhere, useThreadId } from "./thread";
import { words } from "./words";

const Inbox = lazy(() => part(() => import("./inbox/Inbox")));
const Elsewhere = lazy(() => part(() => import("./chat/Elsewhere")));
const AgentChoice = lazy(() => part(() => import("./AgentChoice")));
const Operator = lazy(() => part(() => import("./ops/Operator")));
const NotForYou = lazy(() => part(() => import("./bar/NotForYou")));

/** The place of the address, and what is said over all of them. */
export function App() {
  return (
    <>
      <Place />
      <DeletedNote />
    </>
  );
}

function Place() {
  const path = usePlace();
  const session = useSession();
  const elsewhere = useElsewhere();
  const operates = useMay("admin", "metrics");
  const ops = path === "/ops" || path.startsWith("/ops/");
  if (path === "/inbox" || ops) {
    return (
      <OrElse key={ops ? "/ops" : path} instead={<Loading say={words.app.placeNotLoaded} />}>
        <Suspense fallback={<Loading />}>{ops ? operates === false ? <NotForYou /> : <Operator key={session} /> : <Inbox key={session} />}</Suspense>
      </OrElse>
    );
  }
  if (elsewhere) {
    const { threadId, namespace } = elsewhere;
    return (
      <OrElse key={`${namespace} ${threadId}`} instead={<Loading say={words.app.chatNotLoaded} />}>
        <Suspense fallback={<Loading />}>
          <Elsewhere key={session} threadId={threadId} namespace={namespace} />
        </Suspense>
      </OrElse>
    );
  }
  return <Chats />;
}

function Chats() {
  const [threadId, begin] = useThreadId();
  const person = usePerson();
  const agents = useAgents();
  const key = `${person} ${threadId}`;
  // A chat that has only just been made here, for no agent in particular, is begun with the default one meanwhile.
  if (!agents && !(madeHere(threadId) && chosenFor(threadId) === undefined)) return <Loading />;
  if (!agents || agents.length < 2) return <ChatPage key={key} threadId={threadId} begin={begin} />;
  return (
    <OrElse instead={<Loading say={words.app.chatNotLoaded} />}>
      <Suspense fallback={<Loading />}>
        <AgentChoice key={key} agents={agents} threadId={threadId} begin={begin} loading={<Loading />} />
      </Suspense>
    </OrElse>
  );
}

function Loading({ say = words.app.loading }: { say?: string }) {
  return (
    <div className="place">
      <Bar />
      <main className="page">
        <p className="hint center" role="status">
          {say}
        </p>
      </main>
    </div>
  );
}
