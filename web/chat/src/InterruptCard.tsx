import { isInterruptExpired, type Interrupt, type Message } from "@ag-ui/client";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { ApprovalBody } from "./ApprovalBody";
import { aboutOf, confirmed, labelOf, questionOf, refusedBy, saidBeside, toolCallOf, type Answer } from "./answers";
import { Folded, Paragraph } from "./Folded";
import { FormBody } from "./FormBody";
import { Guarded } from "./Guarded";
import { stringify } from "./json";
import { JsonBody } from "./JsonBody";
import { LoginBody, loginOf } from "./LoginBody";
import { Marked, Misleading } from "./Marked";
import { visible } from "./misleading";
import { Ways } from "./Ways";

interface Props {
  interrupt: Interrupt;
  messages: readonly Message[];
  /** What was decided and is not sent yet. */
  answer?: Answer;
  /** Why the last one was not taken. */
  fault?: string;
  disabled: boolean;
  /** Decides, or, with undefined, takes the decision back. */
  decide: (answer: Answer | undefined) => void;
}

const TITLES: Record<string, string> = {
  tool_call: "Approval needed",
  input_required: "Input needed",
  confirmation: "Confirmation needed",
  "aguiws:uncertain_step": "Did this happen?",
  "aguiws:paused": "Paused",
  "aguiws:auth_required": "Sign-in needed",
};

/** What is said on the buttons where "confirm" and "cancel" say too little. */
const WORDS: Record<string, { confirm: string; abandon: string }> = {
  "aguiws:paused": { confirm: "Go on", abandon: "End the run" },
  "aguiws:auth_required": { confirm: "Done", abandon: "Do not sign in" },
};

/** One question, put as its schema asks for it. */
export function InterruptCard({ interrupt, messages, answer, fault, disabled, decide }: Props) {
  const question = useMemo(() => questionOf(interrupt), [interrupt]);
  const login = useMemo(() => loginOf(interrupt), [interrupt]);
  const call = toolCallOf(interrupt, messages);
  const left = useTimeLeft(interrupt.expiresAt);
  const expired = isInterruptExpired(interrupt);
  const locked = disabled || expired;
  const card = useRef<HTMLElement>(null);
  const settle = useSettling(card, answer !== undefined, decide);
  const resolve = (payload: unknown) => settle({ status: "resolved", payload });
  // Whoever changes an answer begins with what was said.
  const before = useRef<Answer>(undefined);
  if (answer) before.current = answer;
  const label = answer && labelOf(question.kind, answer);
  const given = before.current?.payload;
  const yes = answer?.status === "resolved" && label !== "Declined";
  const beside = answer && saidBeside(answer);
  const no = refusedBy(interrupt);
  // Abandoning stays possible when answering is not.
  const abandon = (
    <button
      type="button"
      className="quiet abandon"
      data-testid="cancel"
      disabled={disabled}
      onClick={() => settle({ status: "cancelled" })}
    >
      {WORDS[interrupt.reason]?.abandon ?? "Cancel"}
    </button>
  );
  const title = (Object.hasOwn(TITLES, interrupt.reason) && TITLES[interrupt.reason]) || interrupt.reason;
  const { id, message } = interrupt;
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
        aria-label={visible(title)}
      >
        <header>
          <h2>
            <bdi>
              <Marked text={title} />
            </bdi>
          </h2>
          {left !== undefined && (
            <span className={expired ? "tag late" : "tag"} data-testid="expiry" data-expired={expired}>
              {expired ? "expired" : `${left} left`}
            </span>
          )}
        </header>
        {message && <Paragraph text={message} hook="interrupt-message" label="Message" />}
        {about && <Folded text={about} hook="interrupt-about" label="What the agent says of it" />}
        <Misleading text={`${title}\n${message ?? ""}\n${about ?? ""}`} />
        {fault && (
          <p className="fault" role="alert">
            {fault}
          </p>
        )}
        {expired && <p className="hint">The time to answer is over. Cancel to go on.</p>}
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
        ) : (
          <>
            {question.kind === "approval" && (
              <ApprovalBody
                call={call}
                editable={question.editable}
                extras={question.extras}
                given={given}
                locked={locked}
                abandon={abandon}
                resolve={resolve}
              />
            )}
            {login && <LoginBody login={login} locked={locked} abandon={abandon} />}
            {!login && question.kind === "confirmation" && (
              <>
                <div className="actions">
                  <button type="button" className="primary" data-testid="approve" disabled={locked} onClick={() => resolve(confirmed(interrupt))}>
                    {WORDS[interrupt.reason]?.confirm ?? (no === undefined ? "Confirm" : "Yes")}
                  </button>
                  {no !== undefined && (
                    <button type="button" data-testid="decline" disabled={locked} onClick={() => resolve(no)}>
                      No
                    </button>
                  )}
                  {abandon}
                </div>
                {!Object.hasOwn(WORDS, interrupt.reason) && <Ways no={no === undefined ? undefined : "No"} />}
              </>
            )}
            {question.kind === "form" && <FormBody schema={question.schema} given={given} locked={locked} abandon={abandon} resolve={resolve} />}
            {question.kind === "json" && <JsonBody schema={question.schema} given={given} locked={locked} abandon={abandon} resolve={resolve} />}
          </>
        )}
      </article>
    </Guarded>
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

/** The time left in words, ticking; undefined when there is no readable deadline. */
function useTimeLeft(expiresAt: string | undefined): string | undefined {
  const deadline = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt);
  const [, tick] = useState(0);
  useEffect(() => {
    if (Number.isNaN(deadline)) return;
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, [deadline]);
  if (Number.isNaN(deadline)) return undefined;
  const seconds = Math.max(0, Math.ceil((deadline - Date.now()) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} days`;
}
