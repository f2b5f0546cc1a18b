import { Decision, type DecisionProps } from "../../../react/decision/Decision";
import type { Answer } from "../../../react/forms/answers";
import type { Keep } from "../../../react/forms/typed";
import { onLink, threadHref } from "../lib/route";
import { control } from "../server/api";
import { keepOwn, ownOf, ownPerson } from "../server/own";
import { words } from "../words";

interface Props extends Omit<DecisionProps, "onAnswer" | "onChange" | "keep" | "linkTo" | "control" | "exact"> {
  threadId: string;
  /** Decides, or, with undefined, takes the decision back. Without it the question is only looked at. */
  decide?: (answer: Answer | undefined) => void;
}

/** One question of a thread. What is typed into it is kept for the tab. */
export function InterruptCard({ threadId, decide, ...question }: Props) {
  const { id } = question.interrupt;
  return (
    <Decision
      {...question}
      onAnswer={decide && (({ interruptId: _, ...answer }) => decide(answer))}
      onChange={decide && (() => decide(undefined))}
      keep={() => typedInto(threadId, id)}
      linkTo={linkTo}
      control={control}
      exact
    />
  );
}

const NAME = "typed";

function typedInto(threadId: string, question: string): Keep {
  const person = ownPerson();
  const key = `${threadId} ${question}`;
  return {
    read: () => ownOf(NAME, key),
    // What comes of it after its writer has left is not kept for the next.
    write: (fields) => person === ownPerson() && keepOwn(NAME, key, fields),
  };
}

function linkTo(threadId: string) {
  return (
    <a href={threadHref(threadId)} onClick={onLink} data-testid="called">
      {words.decision.openItsChat}
    </a>
  );
}
