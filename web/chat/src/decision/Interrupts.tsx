import type { Interrupt, Message, ResumeEntry } from "@ag-ui/client";
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from "react";
import { entriesFor, labelOf, type Answer } from "../../../react/forms/answers";
import { questionOf } from "../../../react/forms/question";
import { aboutWhat, decisionOf, toolCallOf } from "../../../react/forms/wording";
import { doneBefore, type Carried } from "./donebefore";
import { useDrafts } from "./drafts";
import { Guarded, uncovered } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { InterruptCard } from "./InterruptCard";
import { stringify } from "../../../react/lib/json";
import { Marked } from "../../../react/lib/Marked";
import { visible } from "../../../react/lib/misleading";
import { Review } from "./Review";
import { clock } from "../../../react/lib/time";
import type { Mark } from "./record";
import { Steps } from "./Steps";
import { useSteps } from "./stepping";
import type { Told } from "./told";
import { UnsentList } from "./UnsentList";
import { parts, words } from "../words";
import { apart } from "../words/apart";

interface Props {
  threadId: string;
  open: readonly Interrupt[];
  messages: readonly Message[];
  /** What was taken out of the conversation, and what was decided about calls. */
  branches: readonly Carried[];
  decided: ReadonlyMap<string, Told>;
  marks: readonly Mark[];
  /** Answers are on their way. */
  sending: boolean;
  /** Sends the entries; `said` is what they say, in words. Left out for whoever may only look. */
  answer?: (entries: ResumeEntry[], said: string[]) => void;
  /** Asks the agent anew what led to questions whose time is over. */
  askAgain?: () => void;
}

/** All open questions. */
export default function Interrupts({ answer, marks, ...questions }: Props) {
  if (!answer) return <LookedAt {...questions} />;
  return (
    <>
      <UnsentList {...questions} marks={marks} />
      <Questions {...questions} about={(interrupt) => ({ notice: doneWords(interrupt, questions) })} answer={answer} />
    </>
  );
}

function LookedAt({ threadId, open, messages, branches, decided }: Omit<Props, "answer" | "marks" | "askAgain">) {
  if (open.length === 0) return null;
  return (
    <section className="questions" aria-label={words.decision.openQuestions}>
      {open.map((interrupt) => (
        <InterruptCard key={interrupt.id} threadId={threadId} interrupt={interrupt} messages={messages} notice={doneWords(interrupt, { messages, branches, decided })} />
      ))}
    </section>
  );
}

interface QuestionsProps extends Pick<Props, "threadId" | "open" | "messages" | "sending" | "askAgain"> {
  /** Left out in a chat, which names its agent itself. */
  asker?: Parameters<typeof InterruptCard>[0]["asker"];
  /** The thread's, unless it is the person's own, and the answers that its server is known to keep. */
  namespace?: string;
  known?: Readonly<Record<string, Answer>>;
  /** What is said of a question beside what it says itself. */
  about: (interrupt: Interrupt) => Pick<Parameters<typeof InterruptCard>[0], "notice" | "graveHint" | "held" | "until">;
  answer: Required<Props>["answer"];
}

/** One is sent when it is answered; several are shown one at a time, looked over, and sent together. */
export function Questions({ threadId, namespace, known, open, messages, about, asker, sending, answer, askAgain }: QuestionsProps) {
  const box = useRef<HTMLElement>(null);
  const [drafts, { answers, kept: draftsKept, faults }] = useDrafts(threadId, open.map(({ id }) => id), box, namespace, known);
  // The one that was answered here last.
  const [given, setGiven] = useState<{ id: string; label: string }>();
  const together = open.length > 1;
  // Where its button was there may be a card's now.
  useLayoutEffect(uncovered, [together]);
  const steps = useSteps(open.map(idOf), answers);
  // Whoever goes to another question is read that one, and goes on there.
  useEffect(() => {
    if (steps.moves > 0) box.current?.querySelector<HTMLElement>(".shown")?.focus();
  }, [steps.moves]);
  if (open.length === 0) return null;
  const answered = open.filter((interrupt) => answers[interrupt.id]).length;
  const entries = entriesFor(open, answers);

  const decide = (interrupt: Interrupt, decision: Answer | undefined) => {
    const { id } = interrupt;
    // A single answer that is refused is corrected in its card, so it is not kept as given.
    const single = !together && decision && entriesFor(open, { [id]: decision });
    if (single) {
      setGiven({ id, label: labelOf(questionOf(interrupt, parts.answer), decision, parts) });
      send(single, { [id]: decision });
    } else {
      drafts.decide(id, decision);
      if (decision) steps.answered(id);
    }
  };
  const send = (entries: ResumeEntry[], given: Readonly<Record<string, Answer>>) => {
    answer(entries, open.flatMap((one) => (given[one.id] ? [decisionOf(one, messages, given[one.id]!, parts)] : [])));
  };

  const looksOver = together && steps.at === undefined;
  return (
    <section ref={box} className="questions" aria-label={words.decision.openQuestions} onPointerDownCapture={steps.stay} onFocusCapture={steps.stay}>
      {together && (
        <Steps step={steps.at === undefined ? undefined : steps.at + 1} of={open.length} answered={answered} kept={draftsKept} back={steps.back} next={steps.next} />
      )}
      {open.map((interrupt) => {
        const { id } = interrupt;
        const shown = !together || open[steps.at ?? -1]?.id === id;
        // What was answered folds where it stands; the card is there if it is refused.
        const folded = !together && sending && given?.id === id;
        return (
          <Fragment key={id}>
            {folded && (
              <p className="settled" role="status" data-testid="settled">
                <Icon name="wait" />
                <strong>
                  <Marked text={aboutWhat(interrupt, toolCallOf(interrupt, messages), parts)} />
                </strong>
                <span className="tag busy">{visible(given.label)}</span>
              </p>
            )}
            <div className={shown ? "shown" : undefined} hidden={!shown || folded} tabIndex={together ? -1 : undefined}>
              <InterruptCard
                threadId={threadId}
                interrupt={interrupt}
                messages={messages}
                {...about(interrupt)}
                answer={together ? answers[id] : undefined}
                fault={faults[id]?.message}
                asker={asker}
                disabled={sending}
                askAgain={askAgain}
                decide={(decision) => decide(interrupt, decision)}
              />
            </div>
          </Fragment>
        );
      })}
      {looksOver && (
        <Guarded subject={stringify([open.map(idOf), answers])} className="question">
          <div className="shown" tabIndex={-1}>
            <h2>{words.decision.lookOver}</h2>
          </div>
          <Review open={open} messages={messages} answers={answers} faults={faults} look={steps.look} />
          {draftsKept && <p className="hint">{words.decision.keptAsDrafts}</p>}
          <div className="actions">
            <button
              type="button"
              className="primary"
              data-testid="submit-answers"
              disabled={!entries || sending}
              onClick={() => entries && send(entries, answers)}
            >
              {sending ? words.decision.sending : words.decision.sendAnswers(open.length)}
            </button>
            {!entries && <span className="hint">{words.decision.together}</span>}
          </div>
        </Guarded>
      )}
    </section>
  );
}

/** What is said of a call that an earlier version of the conversation has carried out. */
function doneWords(interrupt: Interrupt, { messages, branches, decided }: Pick<Props, "messages" | "branches" | "decided">): string | undefined {
  const call = toolCallOf(interrupt, messages);
  const done = call && doneBefore(call, branches, decided);
  if (!done) return undefined;
  const on = decided.get(done.id)?.at;
  const at = on && clock(on, Date.now(), parts);
  return done.known ? apart.alreadyDone(at) : apart.toolDone(visible(call.function.name), at);
}

function idOf({ id }: Interrupt): string {
  return id;
}
