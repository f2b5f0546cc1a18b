import type { Interrupt, Message } from "@ag-ui/client";
import { labelOf, questionOf, saidBeside, subjectOf, type Answer } from "./answers";
import { stringify } from "./json";
import { Marked } from "./Marked";

interface Props {
  open: readonly Interrupt[];
  messages: readonly Message[];
  answers: Readonly<Record<string, Answer>>;
  faults: Readonly<Record<string, { message: string } | undefined>>;
  /** Goes to a question. */
  look: (id: string) => void;
}

/** A longer one is cut, in characters: it is seen whole at its question. */
const SAID = 120;

/** What will be sent, all of it at once. */
export function Review({ open, messages, answers, faults, look }: Props) {
  return (
    <ol className="review" data-testid="review" aria-label="Your answers">
      {open.map((interrupt, i) => {
        const { id } = interrupt;
        const answer = answers[id];
        const label = answer && labelOf(questionOf(interrupt).kind, answer);
        const yes = answer?.status === "resolved" && label !== "Declined";
        const said = answer && saidBeside(answer);
        const beside = said === undefined ? "" : stringify(said);
        const way = answer ? "Change" : "Answer";
        return (
          <li key={id}>
            <div className="about-what">
              <p>
                <Marked text={subjectOf(interrupt, messages)} />
              </p>
              {beside !== "" && (
                <p className="hint">
                  <Marked text={beside.length > SAID ? `${beside.slice(0, SAID)}…` : beside} />
                </p>
              )}
              {faults[id] && <p className="fault">{faults[id].message}</p>}
            </div>
            <span className={yes ? "tag done" : answer ? "tag" : "tag asked"}>{label ?? "Not answered"}</span>
            <button type="button" className="quiet" data-testid="review-look" aria-label={`${way} question ${i + 1}`} onClick={() => look(id)}>
              {way}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
