import type { ReactNode } from "react";
import { labelOf, type Question } from "../forms/answers";
import { AskedBody } from "./AskedBody";
import { FreeAnswer } from "./FreeAnswer";
import { Marked, Misleading } from "../lib/Marked";
import { useTypedBefore } from "../forms/typed";
import { Ways } from "./Ways";

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
  const { choices, otherwise } = question;
  const typed = useTypedBefore();
  const own = given !== undefined && labelOf(question, { status: "resolved", payload: given }) === "Answered";
  return (
    <>
      <div className="actions choices">
        {choices.map(({ label, payload, means }, i) => (
          <button
            key={i}
            type="button"
            className={means === "yes" ? "primary" : undefined}
            data-testid={means ? HOOKS[means] : "choice"}
            disabled={locked}
            onClick={() => resolve(payload)}
          >
            <bdi>
              <Marked text={label} />
            </bdi>
          </button>
        ))}
        {abandon}
      </div>
      <Misleading text={choices.map(({ label }) => label).join("\n")} />
      {!plain && <Ways no={choices.find(({ means }) => means === "no")?.label} />}
      {otherwise !== "nothing" && (
        <details className="otherwise" open={own || typed || undefined}>
          <summary data-testid="otherwise">{typeof otherwise === "object" ? "Say more with the answer" : "Answer in other words"}</summary>
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
