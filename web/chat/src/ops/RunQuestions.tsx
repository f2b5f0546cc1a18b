import type { DecisionInfo, OpenQuestion, RunInfo } from "../server/api";
import { ArgFields } from "../../../react/decision/ArgFields";
import { isObject } from "../../../react/forms/schema";
import { stringify } from "../../../react/lib/json";
import { visible } from "../../../react/lib/misleading";
import { Changes } from "../decision/Changes";
import { toldOnRecord, verdictOf } from "../decision/told";
import { Verdict } from "../decision/Verdict";
import { decidedAbout } from "../inbox/decided";
import { questionOf } from "./runquestions";
import { hasExpired, openQuestions } from "./runstates";
import { exactly } from "../lib/exactly";
import { When } from "./When";
import { ops } from "../words/ops";

/** What a run has asked, with who answered, how and when, and the answers that began it. */
export function RunQuestions({ run, decisions }: { run: RunInfo; decisions: readonly DecisionInfo[] }) {
  const decided = decisions.filter(({ askedBy }) => askedBy?.id === run.id);
  const began = decisions.filter(({ answeredBy }) => answeredBy?.id === run.id);
  const open = openQuestions(run).filter(({ id }) => !decided.some(({ interruptId }) => interruptId === id));
  return (
    <>
      {began.length > 0 && (
        <Questions id="run-began" title={ops.answersBefore}>
          {began.map((one) => (
            <Decided key={one.id} decision={one} />
          ))}
        </Questions>
      )}
      {decided.length + open.length > 0 && (
        <Questions id="run-asked-then" title={ops.itsQuestions}>
          {decided.map((one) => (
            <Decided key={one.id} decision={one} />
          ))}
          {open.map((one) => (
            <Open key={one.id} question={one} about={open.length === 1 ? questionOf(run) : undefined} />
          ))}
        </Questions>
      )}
    </>
  );
}

function Questions({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  return (
    <section className="of-run" aria-labelledby={id}>
      <h4 id={id}>{title}</h4>
      <ul className="run-questions" data-testid={id}>
        {children}
      </ul>
    </section>
  );
}

/** An expired one can be cancelled, and nobody can answer it. */
function Open({ question, about }: { question: OpenQuestion; about?: string }) {
  const { message, reason, expiresAt } = question;
  const late = hasExpired(question);
  return (
    <li data-testid="run-question" data-open>
      <strong dir="auto">{about ?? visible(message ?? reason ?? ops.aQuestion)}</strong>
      <span className={`tag ${late ? "late" : "asked"}`}>{late ? ops.runStates.expired : ops.runStates.asks}</span>
      {expiresAt && <When at={expiresAt} short={(time) => (late ? ops.expiredAt : ops.expiresAt)(exactly(time))} />}
    </li>
  );
}

function Decided({ decision }: { decision: DecisionInfo }) {
  const told = toldOnRecord(decision);
  const { tool, arguments: args, at } = decision;
  const answer = besides(decision.payload);
  return (
    <li data-testid="run-question">
      <strong dir="auto">{visible(decidedAbout(decision) || ops.aQuestion)}</strong>
      <span className="verdict-when">
        <Verdict badges={[verdictOf(told, tool !== undefined)]} /> <When at={at} />
      </span>
      {told.reason !== undefined && <q dir="auto">{visible(told.reason)}</q>}
      {told.changed && <Changes changes={told.changed} />}
      {(args !== undefined || answer !== undefined) && (
        <details>
          <summary>{ops.argumentsAndAnswer}</summary>
          {args !== undefined && <ArgFields text={stringify(args)} hook="run-question-args" label={ops.argumentsOf(tool ?? "")} compact />}
          {answer !== undefined && (
            <>
              <p className="hint">{ops.theAnswer}</p>
              <ArgFields text={stringify(answer)} hook="run-question-answer" label={ops.theAnswer} compact />
            </>
          )}
        </details>
      )}
    </li>
  );
}

/** What an answer has besides what is said of it in words; undefined: nothing. */
function besides(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { approved: _, editedArgs: __, reason: ___, ...more } = payload;
  return Object.keys(more).length > 0 ? more : undefined;
}
