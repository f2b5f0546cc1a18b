import { Decision, type DecisionProps } from "../../../react/decision/Decision";
import type { Answer } from "../../../react/forms/answers";
import { onLink, threadHref } from "../lib/route";
import { control } from "../server/api";
import { give, keepTyped } from "./typed";
import { words } from "../words";

interface Props extends Omit<DecisionProps, "onAnswer" | "onChange" | "keep" | "linkTo" | "control" | "exact"> {
  threadId: string;
  /** Decides, or, with undefined, takes the decision back. Without it the question is only looked at. */
  decide?: (answer: Answer | undefined) => void;
}

/** One question of a thread. What is typed into it is kept for the tab. */
export function InterruptCard({ threadId, decide, ...question }: Props) {
  const { id } = question.interrupt;
  const decides = (answer: Answer | undefined) => {
    give(threadId, id, answer);
    decide?.(answer);
  };
  return (
    <Decision
      {...question}
      onAnswer={decide && (({ interruptId: _, ...answer }) => decides(answer))}
      onChange={decide && (() => decides(undefined))}
      keep={() => keepTyped(threadId, id)}
      linkTo={linkTo}
      control={control}
      exact
    />
  );
}

function linkTo(threadId: string) {
  return (
    <a href={threadHref(threadId)} onClick={onLink} data-testid="called">
      {words.decision.openItsChat}
    </a>
  );
}
