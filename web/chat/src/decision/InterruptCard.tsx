import type { Interrupt, Message } from "@ag-ui/client";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { ApprovalBody } from "./ApprovalBody";
import { ArgFields } from "./ArgFields";
import { aboutOf, CALL, calledIn, EVENT, factsOf, headingOf, labelOf, questionOf, saidBeside, saysYes, TIMER, toolCallOf, wordsOf, type Answer } from "../forms/answers";
import { AskedBody } from "./AskedBody";
import { ChoiceBody } from "./ChoiceBody";
import type { Timed } from "../lib/due";
import { DueTag, useDue } from "../lib/DueTag";
import { Folded, Paragraph } from "../lib/Folded";
import { Guarded } from "../lib/Guarded";
import { Facts, type Asker } from "./Facts";
import { stringify } from "../lib/json";
import { LoginBody, loginOf } from "./LoginBody";
import { Marked, Misleading } from "../lib/Marked";
import { visible } from "../lib/misleading";
import { headlineOf } from "../lib/naming";
import { onLink, threadHref } from "../lib/route";
import { Keeping } from "../forms/typed";

interface Props {
  threadId: string;
  interrupt: Interrupt;
  messages: readonly Message[];
  /** What was decided and is not sent yet. */
  answer?: Answer;
  /** Why the last one was not taken. */
  fault?: string;
  disabled: boolean;
  /** Until when it may be answered, if the server says more of that than the question. */
  until?: Timed;
  /** Who asks, and since when. */
  asker?: Asker;
  /** Decides, or, with undefined, takes the decision back. */
  decide: (answer: Answer | undefined) => void;
}

/** What is said on the button that gives up, where "cancel" says too little. */
const ABANDON = new Map([
  ["aguiws:paused", "End the run"],
  ["aguiws:auth_required", "Do not sign in"],
  [TIMER, "Stop waiting"],
  [EVENT, "Stop waiting"],
  [CALL, "Stop the other agent"],
]);

/** One question, put as its schema asks for it. */
export function InterruptCard({ threadId, interrupt, messages, answer, fault, disabled, until = interrupt, asker, decide }: Props) {
  const question = useMemo(() => questionOf(interrupt), [interrupt]);
  const login = useMemo(() => loginOf(interrupt), [interrupt]);
  const call = toolCallOf(interrupt, messages);
  const due = useDue([until]);
  const expired = due?.expired ?? false;
  const card = useRef<HTMLElement>(null);
  const settle = useSettling(card, answer !== undefined, decide);
  const resolve = (payload: unknown) => settle({ status: "resolved", payload });
  // Whoever changes an answer begins with what was said.
  const before = useRef<Answer>(undefined);
  if (answer) before.current = answer;
  const label = answer && visible(labelOf(question, answer));
  const given = before.current?.payload;
  const yes = answer !== undefined && saysYes(question, answer);
  const beside = answer && saidBeside(answer);
  const { id, reason, message } = interrupt;
  // What a server asks about a step has giving up among its answers. Abandoning stays possible when answering is not.
  const abandon = (question.kind !== "choice" || reason !== "aguiws:uncertain_step" || expired) && (
    <button
      type="button"
      className="quiet abandon"
      data-testid="cancel"
      disabled={disabled}
      onClick={() => settle({ status: "cancelled" })}
    >
      {ABANDON.get(reason) ?? "Cancel"}
    </button>
  );
  const { heading, said } = headingOf(interrupt, call);
  const text = wordsOf(interrupt, call);
  // What is made from the arguments is said to mislead where they are shown.
  const made = call !== undefined && heading === headlineOf(call.function.name, call.function.arguments);
  const facts = factsOf(interrupt);
  const called = calledIn(interrupt);
  const { name, arguments: args } = call?.function ?? {};
  const about = useMemo(() => (call || login ? undefined : aboutOf(interrupt)), [interrupt, call, login]);
  const shown = useMemo(() => JSON.stringify([id, message, name, args, about, label, expired]), [id, message, name, args, about, label, expired]);
  return (
    <Guarded subject={shown}>
      <article
        ref={card}
        className="question"
        data-testid="interrupt"
        data-interrupt-id={interrupt.id}
        data-reason={interrupt.reason}
        data-answered={answer !== undefined}
        aria-label={visible(heading)}
      >
        <header>
          <h2 data-testid={said ? "interrupt-message" : undefined} dir="auto">
            <bdi>
              <Marked text={heading} />
            </bdi>
          </h2>
          {due && <DueTag due={due} hook="expiry" />}
        </header>
        <Facts tool={call?.function.name} asker={asker} />
        {text && <Paragraph text={text} hook="interrupt-message" label="Message" />}
        {called !== undefined && (
          <a href={threadHref(called)} onClick={onLink} data-testid="called">
            See what it does
          </a>
        )}
        {about && (heading === "The agent asks" && !text ? <Folded text={about} hook="interrupt-about" label="Details from the agent" /> : <MoreSaid text={about} />)}
        <Misleading text={`${made ? "" : heading}\n${text ?? ""}\n${about ?? ""}`} />
        {call && (question.kind !== "approval" || expired || answer) && (
          <div data-testid="about-call">
            <ArgFields text={call.function.arguments || "{}"} schema={question.kind === "approval" ? question.args : undefined} hook="proposed-args" label="Arguments of the call" compact />
          </div>
        )}
        {facts && <ArgFields text={facts} hook="interrupt-facts" label="Known facts" compact />}
        {fault && (
          <p className="fault" role="alert">
            {fault}
          </p>
        )}
        {expired && reason !== TIMER && reason !== EVENT && <p className="hint">The time to answer is over. Cancel to go on.</p>}
        {answer ? (
          <>
            <div className="actions">
              <span className={yes ? "tag done" : "tag"} data-testid="decision">
                {label}
              </span>
              <button type="button" className="quiet" data-testid="change" disabled={disabled} onClick={() => settle(undefined)}>
                Change
              </button>
            </div>
            {beside !== undefined && (
              <Folded text={stringify(beside, 2)} hook="given" label="The answer" />
            )}
          </>
        ) : expired ? (
          <div className="actions">{abandon}</div>
        ) : (
          <Keeping threadId={threadId} question={id} anew={given !== undefined}>
            {question.kind === "approval" && (
              <ApprovalBody
                call={call}
                editable={question.editable}
                args={question.args}
                extras={question.extras}
                given={given}
                locked={disabled}
                abandon={abandon}
                resolve={resolve}
              />
            )}
            {login && <LoginBody login={login} locked={disabled} abandon={abandon} />}
            {!login && question.kind === "choice" && (
              <ChoiceBody question={question} given={given} locked={disabled} abandon={abandon} plain={reason.startsWith("aguiws:")} resolve={resolve} />
            )}
            {(question.kind === "form" || question.kind === "text" || question.kind === "json") && (
              <AskedBody asked={question} given={given} locked={disabled} abandon={abandon} resolve={resolve} />
            )}
          </Keeping>
        )}
      </article>
    </Guarded>
  );
}

/** What an agent says beside its question. */
function MoreSaid({ text }: { text: string }) {
  return (
    <details>
      <summary data-testid="more-said">More from the agent</summary>
      <ArgFields text={text} hook="interrupt-about" label="More from the agent" compact />
    </details>
  );
}

/** Decides, and keeps the focus in the card, whose buttons change with the decision. */
function useSettling(card: RefObject<HTMLElement | null>, answered: boolean, decide: Props["decide"]): Props["decide"] {
  const acted = useRef(false);
  useEffect(() => {
    if (!acted.current) return;
    acted.current = false;
    if (card.current?.contains(document.activeElement) || document.activeElement === document.body) {
      card.current?.querySelector<HTMLElement>(answered ? '[data-testid="change"]' : "textarea, input, select, button")?.focus();
    }
  }, [card, answered]);
  return (answer) => {
    acted.current = true;
    decide(answer);
  };
}
