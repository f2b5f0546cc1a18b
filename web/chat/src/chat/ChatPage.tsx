import type { ResumeEntry } from "@ag-ui/client";
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { ThreadStatus } from "../../../client";
import { BackOf, BEGIN, endsLast, lastEditable, useGoingBack } from "./back";
import { Bar } from "../bar/Bar";
import { useChat } from "./chat";
import { commandsOf } from "./commands";
import { Composer } from "./Composer";
import { composes } from "../lib/composes";
import type { Content } from "../files/media";
import { EmptyChat } from "./EmptyChat";
import { ErrorNotice } from "./ErrorNotice";
import { everYes, firstYes, NextStep, Path } from "./FirstVisit";
import { useFollow } from "./follow";
import { Branches } from "./GoBack";
import { useDue } from "../../../react/lib/DueTag";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { allOver, insteadOf } from "./instead";
import { Jump } from "./Jump";
import { MessageList } from "./MessageList";
import { textOf } from "./messagetext";
import { MayNotWrite, NoSuchChat, useAnswerer } from "./NoChat";
import { Older } from "./Older";
import { OrElse } from "../../../react/lib/OrElse";
import { OutgoingList } from "./OutgoingList";
import { part } from "../../../react/lib/part";
import { control } from "../server/api";
import { bearer } from "../server/session";
import { askedAnew, askedLast } from "./rows";
import { approves } from "../decision/told";
import { forgetTyped } from "../decision/typed";
import { StatePanel } from "./StatePanel";
import { ConnectionFacts, StatusChip } from "./StatusChip";
import { isUsed, madeHere } from "../thread";
import { NewChat } from "../threads/NewChat";
import { ThreadList } from "../threads/ThreadList";
import { useMay } from "../server/who";
import { useTitle } from "./title";
import { useIdle } from "../lib/idle";
import { useWide } from "../lib/wide";
import { whyRestated } from "../lib/words";
import { parts, words } from "../words";

const Inspector = lazy(() => part(() => import("./Inspector")));
const SignIn = lazy(() => part(() => import("../server/SignIn")));
const PartsGoOn = lazy(() => part(() => import("./PartsGoOn")));

/** Fetched before the first question, if the browser has time until then. */
const Interrupts = lazy(() => part(() => import("../decision/Interrupts")));

const NOTHING: ThreadStatus["interrupts"] = [];

/** Failures of a connection that another token may mend. */
const SIGNED_OUT = new Set(["unauthenticated", "4401"]);

interface ChatProps {
  threadId: string;
  begin: () => void;
  /** The agent that the thread is with, if there are several: its name unless it is the default one, what says so, and what offers others. */
  among?: { agent?: string; label: ReactNode; choice: ReactNode };
}

/** One thread, and the way to the others. */
export function ChatPage({ threadId, begin, among }: ChatProps) {
  const [chat, picture] = useChat(threadId, among?.agent);
  const [listed, setListed] = useState(false);
  const [inspecting, inspect] = useState(false);
  const wide = useWide();
  const { state, status, failure } = picture;
  const signedOut = status.connection === "failed" && SIGNED_OUT.has(status.failure?.code ?? "");
  // What is queued is shown as queued until its run begins, in whichever place the agent holds it.
  const queued = new Set(status.queued.flatMap((input) => (input.messages ?? []).map((message) => message.id)));
  const messages = picture.messages.filter((message) => !queued.has(message.id));
  const running = status.activeRunId !== undefined;
  const empty = messages.length === 0 && status.queued.length === 0 && picture.outgoing.length === 0 && !running;
  const writes = useMay("run");
  const unknown = empty && status.synced && !picture.position?.seq && !madeHere(threadId);
  const fresh = empty && madeHere(threadId);
  const label = !fresh && !unknown && among?.label;
  const blank = empty && status.synced && !unknown;
  useEffect(() => {
    if (!empty) isUsed(threadId);
  }, [empty, threadId]);
  useAnswerer(writes === false && madeHere(threadId));
  /** Somebody has just said yes here, for the first time. */
  const [approved, approve] = useState(false);
  const sending = picture.outgoing.length > 0 || status.queued.length > 0;
  const again = picture.ended ? askedLast({ messages, interrupts: status.interrupts, running, sending }) : undefined;
  useEffect(() => {
    if (status.connection === "connected") control.letIn();
  }, [status.connection]);
  const away = useLasting(status.connection === "reconnecting", AWAY_MS);
  const storeAway = status.connection === "connected" && !status.storeAvailable;
  const waits = storeAway ? words.chat.storeSilent : status.connection === "connected" ? undefined : words.chat.noConnection;
  const restated = status.lost ? whyRestated(status.restated) : undefined;
  const quiet = useQuiet(running && !storeAway && status.connection === "connected", picture.position?.seq);
  const commands = commandsOf(status.hello?.capabilities?.identity);
  const asked = status.interrupts.length > 0;
  useDue(status.interrupts);
  const open = allOver(status.interrupts) ? NOTHING : status.interrupts;
  // Until it is asked anew, a question whose time is over stands between its message and the next.
  const lapsed = asked && open.length === 0 ? askedAnew({ messages, interrupts: status.interrupts, running, sending }) : undefined;
  const waiting = running ? undefined : status.waitingRunId;
  const idle = useIdle();
  const [returned, giveBack] = useState<Content>();
  const content = useRef<HTMLElement>(null);
  const follow = useFollow(content, !empty);
  const back = useGoingBack({
    threadId,
    agent: among?.agent,
    messages,
    ended: picture.ended !== undefined || endsLast(messages, picture.marks),
    decided: picture.decided,
    whole: status.older === 0,
    synced: status.synced,
    restated: picture.restated,
    running,
    asks: asked,
    readOnly: writes === false,
  });
  const changeable = back.held === undefined ? lastEditable(messages) : undefined;
  /** Begins to change what was said last. */
  const editLast = changeable && (() => back.edit(changeable.id));
  const [called, call] = useState<string>();
  const said = messages.findLast(({ role }) => role === "user")?.id;
  const title = useTitle(threadId, called, said && `${said} ${running}`);
  /** The run that was stopped here last, until something else is said. */
  const [stopping, setStopping] = useState<string>();
  /** Why the last turn was not asked anew. */
  const [inTheWay, setInTheWay] = useState<string>();
  useEffect(() => setInTheWay(undefined), [threadId, running]);
  const send = (content: Content) => {
    setStopping(undefined);
    setInTheWay(undefined);
    approve(false);
    // What is said in place of an answer is no answer that came too late.
    for (const { id } of status.interrupts) forgetTyped(threadId, id);
    // What waits for its turn stands behind an answer that is being written.
    if (running) follow.jump();
    else follow.sent();
    void chat.send(content);
  };
  /** Asks the last turn anew, so that its message stands once; what an earlier one was asked, or cannot be asked anew, is said again. */
  const retry = async (asked: Content) => {
    const last = messages.findLast(({ role }) => role === "user");
    if (last?.content !== asked) return send(asked);
    setStopping(undefined);
    follow.sent(last.id);
    setInTheWay(await back.again(last.id, () => send(asked)));
  };
  const answer = (entries: ResumeEntry[], said: string[]) => {
    approve(approves(entries) && firstYes());
    void chat.answer(entries, said);
  };
  const stop = (runId: string) => {
    setStopping(runId);
    chat.stop(runId);
  };
  const field = useRef<HTMLTextAreaElement>(null);
  const stopper = useRef<HTMLButtonElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const hide = () => {
    setListed(false);
    toggle.current?.focus();
  };
  const closeInspector = () => {
    inspect(false);
    field.current?.focus({ preventScroll: true });
  };
  const nextSeen = () => {
    approve(false);
    field.current?.focus();
  };
  const covered = listed && !wide;
  useEscape(covered, hide);
  // The button is guarded: a run that has only just begun is not the one that somebody wants to stop.
  useEscape(running && !covered, () => stopper.current?.click());
  return (
    <div className="place">
      <Bar
        title={title}
        act={!wide && writes !== false && <NewChat begin={begin} />}
        menu={
          <details className="developer">
            <summary data-testid="developer">{words.chat.developer}</summary>
            <div>
              {waiting !== undefined && writes !== false && (
                <Guarded subject={waiting}>
                  <button type="button" data-testid="stop-waiting" title={insteadOf(status.interrupts.map(({ reason }) => reason)).stop} onClick={() => stop(waiting)}>
                    {words.chat.stopRun}
                  </button>
                </Guarded>
              )}
              <button type="button" data-testid="inspect" aria-pressed={inspecting} onClick={() => inspect(!inspecting)}>
                {words.chat.inspector}
              </button>
              <ConnectionFacts status={status} position={picture.position} waiting={waiting} />
            </div>
          </details>
        }
      >
        <StatusChip status={status} />
        {!wide && (
          <button type="button" ref={toggle} data-testid="show-threads" aria-expanded={listed} onClick={() => setListed(!listed)}>
            <Icon name="chats" />
            <span className="words">{words.chat.chats}</span>
          </button>
        )}
      </Bar>
      <div className="columns">
        {(wide || listed) && !signedOut && <ThreadList current={threadId} outgoing={picture.outgoing.length} begin={begin} titled={call} close={wide ? undefined : hide} />}
        <div className="page">
          {away && (
            <p className="banner" role="status" data-testid="away">
              {words.chat.away}{" "}
              <button type="button" className="quiet" data-testid="try-now" onClick={() => chat.tryNow()}>
                {words.chat.tryNow}
              </button>
            </p>
          )}
          {storeAway && (
            <p className="banner" role="status" data-testid="store-away">
              {words.chat.storeAway}
            </p>
          )}
          <main ref={content}>
            {signedOut && (
              <OrElse instead={<p className="fault">{words.app.placeNotLoaded}</p>}>
                <Suspense fallback={<p className="hint center">{words.app.loading}</p>}>
                  <SignIn wrong={bearer() !== undefined} />
                </Suspense>
              </OrElse>
            )}
            {unknown && <NoSuchChat begin={writes === false ? undefined : begin} />}
            {fresh && writes && among?.choice}
            {blank && writes === false && <MayNotWrite />}
            {blank && writes && <EmptyChat agent={status.hello?.capabilities?.identity} durable={status.hello?.durable !== false} send={send} />}
            {messages.length === 0 && !status.synced && !failure && (
              <p className="hint center" role="status" data-testid="loading">
                {storeAway ? words.chat.loadedLater : words.chat.loading}
              </p>
            )}
            <Older count={status.older} first={messages[0]?.id} running={running} ask={() => chat.older()} />
            <BackOf value={back}>
              <Branches place={BEGIN} />
              <MessageList
                messages={messages}
                interrupts={status.interrupts}
                running={running}
                subagents={picture.subagents}
                used={picture.used}
                decided={picture.decided}
                marks={picture.marks}
                times={picture.times}
                sending={sending}
                retry={writes === false ? undefined : retry}
              />
            </BackOf>
            {(idle || asked) && (
              <OrElse instead={asked && <p className="fault">{parts.answer.notLoaded}</p>}>
                <Suspense fallback={asked && <p className="hint">{words.app.loading}</p>}>
                  <Interrupts
                    threadId={threadId}
                    open={status.interrupts}
                    messages={messages}
                    branches={back.all}
                    decided={picture.decided}
                    marks={picture.marks}
                    sending={picture.answering}
                    answer={writes === false ? undefined : answer}
                    askAgain={writes === false || lapsed === undefined ? undefined : () => send(lapsed)}
                  />
                </Suspense>
              </OrElse>
            )}
            {asked && writes && commands.length > 0 && textOf(messages.findLast(({ role }) => role === "user")?.content) === words.chat.propose && !everYes() && (
              <Path durable={status.hello?.durable !== false} begun />
            )}
            {!asked && !running && commands.length > 0 && approved && <NextStep away={nextSeen} />}
            {stopping !== undefined && !running && (
              <OrElse instead={null}>
                <Suspense>
                  <PartsGoOn key={stopping} threadId={threadId} runId={stopping} />
                </Suspense>
              </OrElse>
            )}
            {status.queued.map((input) => (
              <div key={input.runId} className="queued" data-testid="queued" data-run-id={input.runId}>
                <span className="text" dir="auto">{(input.messages ?? []).map((message) => textOf(message.content)).join("\n") || words.chat.anAnswer}</span>
                <span className="tag">{words.chat.queued}</span>
                {writes !== false && (
                  <Guarded subject={input.runId}>
                    <button type="button" className="quiet" onClick={() => chat.stop(input.runId)}>
                      {words.chat.remove}
                    </button>
                  </Guarded>
                )}
              </div>
            ))}
            <OutgoingList
              items={picture.outgoing}
              waits={waits}
              retry={(runId) => chat.retry(runId)}
              discard={(runId) => chat.discard(runId)}
              edit={({ runId, message }) => {
                chat.discard(runId);
                giveBack(message?.content);
              }}
            />
            {status.takenOver !== undefined && (
              <p className="hint center" role="status" data-testid="taken-over">
                {words.chat.takenOver(running)}
              </p>
            )}
            {quiet && (
              <p className="hint center" role="status" data-testid="quiet">
                {words.chat.quiet}
              </p>
            )}
            {restated && (
              <p className="hint center" role="status" data-testid="restated">
                {words.chat.restated(restated)}
              </p>
            )}
            {inTheWay !== undefined && (
              <p className="fault" role="alert" data-testid="retry-fault">
                {inTheWay}
              </p>
            )}
            {failure && !signedOut && (
              <ErrorNotice threadId={threadId} ended={picture.ended} failure={failure} remedy={picture.remedy} dismiss={() => chat.dismiss()} retry={again === undefined || writes === false ? undefined : () => void retry(again)} change={editLast} />
            )}
          </main>
          <StatePanel state={state} />
          {inspecting && (
            <OrElse instead={<p className="fault">{words.chat.inspectorNotLoaded}</p>}>
              <Suspense fallback={<p className="hint">{words.app.loading}</p>}>
                <Inspector tape={chat.tape} threadId={threadId} close={closeInspector} />
              </Suspense>
            </OrElse>
          )}
          {follow.away && (
            <Jump jump={follow.jump} left={() => field.current?.focus({ preventScroll: true })} />
          )}
          {writes === false && !blank && (
            <>
              {label}
              <MayNotWrite />
            </>
          )}
          <Composer
            threadId={threadId}
            label={label}
            hidden={signedOut || writes === false}
            run={status.activeRunId}
            stopping={running && stopping === status.activeRunId}
            interrupts={open}
            returned={returned}
            takeReturned={() => giveBack(undefined)}
            hello={status.hello}
            send={send}
            join={(content) => {
              void chat.join(content);
              follow.jump();
            }}
            editLast={editLast}
            stop={stop}
            commands={commands}
            field={field}
            stopper={stopper}
          />
        </div>
      </div>
    </div>
  );
}

/** Escape does this, unless it is meant for something else: a text that is being composed, a field that it empties, what is open. */
function useEscape(active: boolean, leave: () => void): void {
  const last = useRef(leave);
  last.current = leave;
  useEffect(() => {
    if (!active) return;
    const keyed = (event: KeyboardEvent) => {
      const { target } = event;
      const field = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
      if (event.key === "Escape" && !event.defaultPrevented && !composes(event) && !event.repeat && !field) last.current();
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, [active]);
}

/** A connection that is back sooner was not away, in milliseconds. */
const AWAY_MS = 2_000;

/** Whether something has held for that long. */
function useLasting(holds: boolean, ms: number): boolean {
  const [lasted, setLasted] = useState(false);
  useEffect(() => {
    if (!holds) return;
    const timer = setTimeout(() => setLasted(true), ms);
    return () => {
      clearTimeout(timer);
      setLasted(false);
    };
  }, [holds, ms]);
  return lasted;
}

/** A run of which nothing comes for so long may have lost its server, in milliseconds. */
const QUIET_MS = 5_000;

/** Whether nothing has come for a while; `seq` is what came last. */
function useQuiet(running: boolean, seq: number | undefined): boolean {
  const [at, setAt] = useState<number>();
  useEffect(() => {
    if (!running || seq === undefined) return;
    const timer = setTimeout(() => setAt(seq), QUIET_MS);
    return () => clearTimeout(timer);
  }, [running, seq]);
  return running && at === seq && seq !== undefined;
}
