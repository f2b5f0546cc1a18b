import { lazy, Suspense } from "react";
import { Bar } from "./bar/Bar";
import { ChatPage } from "./chat/ChatPage";
import { OrElse } from "../../react/lib/OrElse";
import { part } from "../../react/lib/part";
import { usePlace } from "./lib/route";
import { usePerson, useSession } from "./server/session";
import { useElsewhere, useThreadId } from "./thread";
import { words } from "./words";

const Inbox = lazy(() => part(() => import("./inbox/Inbox")));
const Elsewhere = lazy(() => part(() => import("./chat/Elsewhere")));
const Operator = lazy(() => part(() => import("./ops/Operator")));

/** The place of the address. */
export function App() {
  const path = usePlace();
  const session = useSession();
  const elsewhere = useElsewhere();
  const ops = path === "/ops" || path.startsWith("/ops/");
  if (path === "/inbox" || ops) {
    return (
      <OrElse key={ops ? "/ops" : path} instead={<Loading say={words.app.placeNotLoaded} />}>
        <Suspense fallback={<Loading />}>{ops ? <Operator key={session} /> : <Inbox key={session} />}</Suspense>
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
  return <ChatPage key={`${person} ${threadId}`} threadId={threadId} begin={begin} />;
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
