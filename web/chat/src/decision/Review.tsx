import type { Interrupt, Message } from "@ag-ui/client";
import type { Change } from "../../../client";
import { labelOf, saysYes, saidBeside, type Answer } from "../../../react/forms/answers";
import { isDestructive, questionOf } from "../../../react/forms/question";
import { readJson } from "../../../react/forms/readjson";
import { aboutWhat, toolCallOf } from "../../../react/forms/wording";
import { Changes } from "./Changes";
import { stringify } from "../../../react/lib/json";
import { Grave } from "../../../react/lib/Grave";
import { Marked } from "../../../react/lib/Marked";
import { visible } from "../../../react/lib/misleading";
import { worded } from "../../../react/lib/naming";
import { isObject } from "../../../react/forms/schema";
import { changesOf } from "./told";
import { parts, words } from "../words";

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
    <ol className="review" data-testid="review" aria-label={words.decision.yourAnswers}>
      {open.map((interrupt, i) => {
        const { id } = interrupt;
        const answer = answers[id];
        const question = questionOf(interrupt, parts.answer);
        const label = answer && visible(labelOf(question, answer, parts));
        const yes = answer !== undefined && saysYes(question, answer);
        const changed = answer && editedIn(answer, toolCallOf(interrupt, messages)?.function.arguments);
        const beside = answer && (question.kind !== "choice" || label === parts.answer.answered) ? besideOf(answer, changed !== undefined) : "";
        const way = answer ? words.decision.change : words.decision.answer;
        return (
          <li key={id}>
            <div className="about-what">
              <p>
                <Marked text={aboutWhat(interrupt, toolCallOf(interrupt, messages), parts)} />
              </p>
              {yes && isDestructive(interrupt) && <Grave />}
              {changed && <Changes changes={changed} />}
              {beside !== "" && (
                <p className="hint">
                  <Marked text={beside.length > SAID ? `${beside.slice(0, SAID)}…` : beside} />
                </p>
              )}
              {faults[id] && <p className="fault">{faults[id].message}</p>}
            </div>
            <span className={yes ? "tag done" : answer ? "tag" : "tag asked"}>{label ?? words.decision.notAnswered}</span>
            <button type="button" className="quiet" data-testid="review-look" aria-label={(answer ? words.decision.changeQuestion : words.decision.answerQuestion)(i + 1)} onClick={() => look(id)}>
              {way}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** What an approval edits; undefined where it edits nothing, or nobody can tell. */
function editedIn({ payload }: Answer, proposed: string | undefined): Change[] | undefined {
  if (proposed === undefined || !isObject(payload) || payload.editedArgs === undefined) return undefined;
  const read = readJson(proposed, parts.form);
  return "value" in read ? changesOf(read.value, payload.editedArgs) : undefined;
}

/** What an answer says beside its decision, and beside edits that are shown. */
function besideOf(answer: Answer, edits: boolean): string {
  const said = saidBeside(answer);
  if (!isObject(said)) return said === undefined ? "" : stringify(said);
  const { editedArgs: _, ...others } = said;
  const beside = edits ? others : said;
  const { reason } = beside;
  if (Object.keys(beside).join() === "reason" && typeof reason === "string") return reason;
  return Object.entries(beside).map(([name, value]) => `${worded(name)}: ${typeof value === "string" ? value : stringify(value)}`).join(", ");
}
