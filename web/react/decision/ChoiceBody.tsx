import type { ReactNode } from "react";
import { wayOf, worded } from "../forms/answers.js";
import type { Question } from "../forms/question.js";
import { AskedBody } from "./AskedBody.js";
import { FreeAnswer } from "./FreeAnswer.js";
import { Marked, Misleading } from "../lib/Marked.js";
import { useStrings } from "../lib/words.js";
import { useTypedBefore } from "../forms/typed.js";

interface Props {
  question: Question & { kind: "choice" };
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  /** What the ways mean is said already. */
  plain: boolean;
  resolve: (payload: unknown) => void;
}

const HOOKS = { yes: "approve", no: "decline" };

/** Answers as buttons, and folded what else may be said. */
export function ChoiceBody({ question, given, locked, abandon, plain, resolve }: Props) {
  const { answer: words, decision } = useStrings();
  const { choices, otherwise } = question;
  const typed = useTypedBefore();
  const own = given !== undefined && wayOf(question, { status: "resolved", payload: given }) === "answered";
  return (
    <>
      <div className="actions choices">
        {choices.map(({ label, payload, means }, i) => (
          <button
            key={i}
            type="button"
            className={means === "yes" ? "primary" : undefined}
            data-testid={means ? HOOKS[means] : "choice"}
            title={means === "no" && !plain ? decision.noIsAnAnswer : undefined}
            disabled={locked}
            onClick={() => resolve(payload)}
          >
            <bdi>
              <Marked text={worded(label, words)} />
            </bdi>
          </button>
        ))}
        {abandon}
      </div>
      <Misleading text={choices.map(({ label }) => label).join("\n")} />
      {otherwise !== "nothing" && (
        <details className="otherwise" open={own || typed || undefined}>
          <summary data-testid="otherwise">{typeof otherwise === "object" ? words.moreWith : words.inOtherWords}</summary>
          {typeof otherwise === "object" ? (
            <AskedBody asked={otherwise} given={given} locked={locked} abandon={null} resolve={resolve} />
          ) : (
            <FreeAnswer takes={otherwise} given={own ? given : undefined} locked={locked} resolve={resolve} />
          )}
        </details>
      )}
    </>
  );
}
