import type { Interrupt, ResumeEntry, ToolCall } from "@ag-ui/client";
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import { ApprovalBody } from "./ApprovalBody.js";
import { ArgFields } from "./ArgFields.js";
import { AskedBody } from "./AskedBody.js";
import { ChoiceBody } from "./ChoiceBody.js";
import { Facts, type Asker } from "./Facts.js";
import { LoginBody, loginOf } from "./LoginBody.js";
import type { Control } from "../control/control.js";
import { entryOf, labelOf, saidBeside, saysYes, type Answer } from "../forms/answers.js";
import { calledIn, EVENT, isDestructive, questionOf, TIMER } from "../forms/question.js";
import { Keeping, type Keep } from "../forms/typed.js";
import { aboutOf, calledBy, factsOf, factTitles, headingOf, toolCallOf, wordsOf, type Calling } from "../forms/wording.js";
import type { Timed } from "../lib/due.js";
import { DueTag, useDue } from "../lib/DueTag.js";
import { Folded, Paragraph } from "../lib/Folded.js";
import { Grave } from "../lib/Grave.js";
import { Guarded } from "../lib/Guarded.js";
import { rounded, stringify } from "../lib/json.js";
import { Marked, Misleading } from "../lib/Marked.js";
import { visible } from "../lib/misleading.js";
import { headlineOf } from "../lib/naming.js";
import { useStrings } from "../lib/words.js";

export interface DecisionProps {
  /** The question, as AG-UI has it. */
  interrupt: Interrupt;
  /** Takes the decision, as AG-UI's `resume` has it. Without it the question is only looked at. */
  onAnswer?: ((answer: ResumeEntry) => void) | undefined;
  /** The call that the question is about, or else the messages that have it. */
  toolCall?: ToolCall | { name: string; arguments: string } | undefined;
  messages?: readonly Calling[] | undefined;
  /** What was decided and is not sent yet: it is told in place of the ways to answer. */
  answer?: Answer | undefined;
  /** Takes that decision back. */
  onChange?: (() => void) | undefined;
  /** Why the last one was not taken. */
  fault?: string | undefined;
  disabled?: boolean | undefined;
  /** Until when it may be answered, if the server says more of that than the question. */
  until?: Timed | undefined;
  /** Who asks, and since when. */
  asker?: Asker | undefined;
  /** What is to be known before it is answered. */
  notice?: string | undefined;
  /** What is said beside the mark of a question whose yes cannot be undone. */
  graveHint?: ReactNode;
  /** The notice is on its way: for two seconds at most, no answer is taken. */
  held?: boolean | undefined;
  /** Keeps what is typed; without it, that is gone with the component. It is called once for a question. */
  keep?: (() => Keep) | undefined;
  /** Has the agent ask anew when the time to answer is over, if it can. */
  askAgain?: (() => void) | undefined;
  /** A link to what the agent does that was called. */
  linkTo?: ((threadId: string) => ReactNode) | undefined;
  /** The server of the question, for an agent that asks for an account. */
  control?: Control | undefined;
  /** Numbers that no double says go to `onAnswer` as values that `stringify` of this package writes. Without it they are rounded. */
  exact?: boolean | undefined;
}

const NONE: readonly Calling[] = [];

/** One question, put as its schema asks for it. Another question is another component: give it the interrupt's id for a key. */
export function Decision(props: DecisionProps) {
  const { interrupt, onAnswer, messages = NONE, answer, onChange, fault, disabled = false, until = interrupt, asker, notice, graveHint, held = false, keep, askAgain, linkTo, control, exact } = props;
  const strings = useStrings();
  const { decision: words, text: texts } = strings;
  const question = useMemo(() => questionOf(interrupt, strings.answer), [interrupt, strings]);
  const login = useMemo(() => loginOf(interrupt), [interrupt]);
  const call = callOf(props.toolCall) ?? toolCallOf(interrupt, messages);
  const due = useDue([until]);
  const expired = due?.expired ?? false;
  const destructive = isDestructive(interrupt) && !expired;
  const card = useRef<HTMLElement>(null);
  const { id, reason, message } = interrupt;
  const settle = useSettling(card, answer !== undefined, (decision) => {
    if (!decision) onChange?.();
    else onAnswer?.(entryOf(id, exact || decision.payload === undefined ? decision : { ...decision, payload: rounded(decision.payload) }));
  });
  const resolve = (payload: unknown) => settle({ status: "resolved", payload });
  // Whoever changes an answer begins with what was said.
  const before = useRef<Answer>(undefined);
  if (answer) before.current = answer;
  const label = answer && visible(labelOf(question, answer, strings));
  const given = before.current?.payload;
  const yes = answer !== undefined && saysYes(question, answer);
  const beside = answer && saidBeside(answer);
  // What a server asks about a step has giving up among its answers. Abandoning stays possible when answering is not.
  const abandon = (question.kind !== "choice" || reason !== "aguiws:uncertain_step" || expired) && (
    <button
      type="button"
      className={!expired ? "quiet abandon" : askAgain && "quiet"}
      data-testid="cancel"
      title={Object.hasOwn(words.abandon, reason) ? undefined : words.cancelGivesUp}
      disabled={disabled}
      onClick={() => settle({ status: "cancelled" })}
    >
      {Object.hasOwn(words.abandon, reason) ? words.abandon[reason] : expired ? words.close : words.goOn}
    </button>
  );
  const { heading, said } = headingOf(interrupt, call, strings);
  const text = wordsOf(interrupt, call, strings);
  // What is made from the arguments is said to mislead where they are shown.
  const made = call !== undefined && heading === headlineOf(call.function.name, call.function.arguments, texts.andMore);
  const facts = factsOf(interrupt);
  const called = calledIn(interrupt);
  const { name, arguments: args } = call?.function ?? {};
  const about = useMemo(() => (call || login ? undefined : aboutOf(interrupt)), [interrupt, call, login]);
  const shown = useMemo(() => JSON.stringify([id, message, name, args, about, label, expired, notice]), [id, message, name, args, about, label, expired, notice]);
  return (
    <Guarded subject={shown} held={held} className="aguiws">
      <article
        ref={card}
        className="question"
        data-testid="interrupt"
        data-interrupt-id={interrupt.id}
        data-reason={interrupt.reason}
        data-answered={answer !== undefined}
        data-destructive={destructive}
        aria-label={visible(heading)}
      >
        <header title={due?.full}>
          <h2 data-testid={said ? "interrupt-message" : undefined} dir="auto">
            <bdi>
              <Marked text={heading} />
            </bdi>
          </h2>
          {due && <DueTag due={due} hook="expiry" />}
        </header>
        <Facts tool={made ? undefined : call?.function.name} asker={asker} />
        {destructive && <Grave>{answer ? undefined : graveHint}</Grave>}
        {text && <Paragraph text={text} hook="interrupt-message" label={words.message} />}
        {called !== undefined && linkTo?.(called)}
        {about && (heading === words.asks && !text ? <Folded text={about} hook="interrupt-about" label={words.details} /> : <MoreSaid text={about} />)}
        <Misleading text={`${made ? "" : heading}\n${text ?? ""}\n${about ?? ""}`} />
        {call && (question.kind !== "approval" || expired || answer || !onAnswer) && (
          <div data-testid="about-call">
            <ArgFields text={call.function.arguments || "{}"} schema={question.kind === "approval" ? question.args : undefined} hook="proposed-args" label={words.argumentsOfCall} compact />
          </div>
        )}
        {facts && <ArgFields text={facts} schema={factTitles(strings)} hook="interrupt-facts" label={words.facts} compact />}
        {notice && (
          <p className="banner" data-testid="notice">
            {notice}
          </p>
        )}
        {fault && (
          <p className="fault" role="alert">
            {fault}
          </p>
        )}
        {expired && reason !== TIMER && reason !== EVENT && <p className="hint">{words.expired}</p>}
        {answer ? (
          <>
            <div className="actions">
              <span className={yes ? "tag done" : "tag"} data-testid="decision">
                {label}
              </span>
              {onChange && (
                <button type="button" className="quiet" data-testid="change" disabled={disabled} onClick={() => settle(undefined)}>
                  {words.change}
                </button>
              )}
            </div>
            {beside !== undefined && (
              <Folded text={stringify(beside, 2)} hook="given" label={words.theAnswer} />
            )}
          </>
        ) : !onAnswer ? null : expired ? (
          <div className="actions">
            {askAgain && (
              <button type="button" className="primary" data-testid="ask-again" disabled={disabled} onClick={askAgain}>
                {words.askAgain}
              </button>
            )}
            {abandon}
          </div>
        ) : (
          <Keeping key={id} keep={keep} anew={given !== undefined}>
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
            {login && <LoginBody login={login} locked={disabled} abandon={abandon} control={control} />}
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

function callOf(call: DecisionProps["toolCall"]): ToolCall | undefined {
  return call && ("function" in call ? call : calledBy(call));
}

/** What an agent says beside its question. */
function MoreSaid({ text }: { text: string }) {
  const { more } = useStrings().decision;
  return (
    <details>
      <summary data-testid="more-said">{more}</summary>
      <ArgFields text={text} hook="interrupt-about" label={more} compact />
    </details>
  );
}

/** Decides, and keeps the focus in the card, whose buttons change with the decision. */
function useSettling(card: RefObject<HTMLElement | null>, answered: boolean, decide: (answer: Answer | undefined) => void): (answer: Answer | undefined) => void {
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
