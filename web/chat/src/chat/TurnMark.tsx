import { lazy, Suspense } from "react";
import { ArgFields } from "../../../react/decision/ArgFields";
import { questionText } from "../../../client/answers";
import { labelOf, saidBeside } from "../../../react/forms/answers";
import { questionOf } from "../../../react/forms/question";
import { aboutOf } from "../../../react/forms/wording";
import { Folded, Paragraph } from "../../../react/lib/Folded";
import { Times } from "./ErrorNotice";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { stringify } from "../../../react/lib/json";
import { Marked } from "../../../react/lib/Marked";
import { onLink, threadHref } from "../lib/route";
import type { Mark } from "../decision/record";
import { cameBack, verdictOf } from "../decision/told";
import { Verdict } from "../decision/Verdict";
import { saidBy, sentence, wordsFor } from "../lib/words";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { parts, words } from "../words";

const FailedBefore = lazy(() => part(() => import("../decision/FailedBefore")));
const RunReference = lazy(() => part(() => import("../server/RunReference")));

/** What stays in the conversation: a question with its answer, or a turn that has failed or was stopped; `last`: it can be asked again by whoever may. */
export function TurnMark({ mark, last, retry }: { mark: Mark; last: boolean; retry?: () => void }) {
  if (mark.kind === "answer") return <Answered mark={mark} />;
  const { how, code } = mark;
  return (
    <div className={`mark-end ${how}`} data-testid="turn-end" data-how={how} data-code={code}>
      <Icon name={how === "failed" ? "alert" : "stop"} />
      <span dir="auto">{how === "stopped" ? words.chat.stopped : words.chat.failed(sentence(saidBy(mark).said || wordsFor(code).title))}</span>
      {how === "failed" && <Times of={mark} />}
      {retry && (
        <Guarded subject={mark.key}>
          <button type="button" className="quiet" data-testid="retry-turn" onClick={retry}>
            <Icon name="retry" /> {words.chat.tryAgain}
          </button>
        </Guarded>
      )}
      {last && how === "failed" && (
        <OrElse instead={null}>
          <Suspense>
            <RunReference runId={mark.runId} run={saidBy(mark).run ?? mark.run} />
            {mark.earlier && mark.earlier.length > 0 && <FailedBefore earlier={mark.earlier} />}
          </Suspense>
        </OrElse>
      )}
    </div>
  );
}

function Answered({ mark: { told, question } }: { mark: Mark & { kind: "answer" } }) {
  const message = questionText({ message: question?.message ?? told.message }) ?? aboutOf(question ?? told);
  const called = cameBack(told);
  const { reason, ...beside } = (called?.came ?? asObject(saidBeside({ status: "resolved", payload: told.payload })) ?? {}) as Record<string, unknown>;
  const asked = question && questionOf(question, parts.answer);
  const label = asked?.kind === "choice" && told.status === "resolved" && told.approved === undefined ? labelOf(asked, { status: "resolved", payload: told.payload }, parts) : parts.answer.answered;
  return (
    <section className="tool answered-question" data-testid="answered-question" data-interrupt-id={told.interruptId} aria-label={words.chat.questionAndAnswer}>
      <header>
        <div className="asked-for">{message ? <Paragraph text={message} label={words.chat.question} /> : <span className="hint">{words.chat.aQuestion}</span>}</div>
        <Verdict badges={[verdictOf(told, false)]} at={told.at} />
      </header>
      {called?.thread !== undefined && (
        <a href={threadHref(called.thread)} onClick={onLink}>
          {words.decision.openItsChat}
        </a>
      )}
      {typeof (told.reason ?? reason) === "string" && (
        <p className="why" data-testid="decision-reason">
          <span className="hint">{words.chat.reason} </span>
          {told.reason ?? String(reason)}
        </p>
      )}
      {label !== parts.answer.answered && (
        <p className="why" data-testid="given-answer">
          <Marked text={label} />
        </p>
      )}
      {label === parts.answer.answered && Object.keys(beside).length > 0 && <ArgFields text={stringify(beside)} hook="given-answer" label={words.chat.theAnswer} compact />}
      {label === parts.answer.answered && told.payload !== undefined && asObject(told.payload) === undefined && <Folded text={stringify(told.payload, 2)} hook="given-answer" label={words.chat.theAnswer} />}
    </section>
  );
}

function asObject(value: unknown): object | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
