import { Icon } from "../../../react/lib/Icon";
import { words } from "../words";

interface Props {
  /** Which question is shown, from 1; undefined: all answers are looked over. */
  step?: number;
  of: number;
  answered: number;
  /** Answers are kept as drafts. */
  kept: boolean;
  back?: () => void;
  next?: () => void;
}

/** Where somebody is among several questions, and the ways to the one before and after. They decide nothing. */
export function Steps({ step, of, answered, kept, back, next }: Props) {
  return (
    <nav className="steps" aria-label={words.decision.questions}>
      <button type="button" data-testid="step-back" disabled={!back} onClick={back}>
        <Icon name="back" /> <span>{words.decision.back}</span>
      </button>
      <div>
        <strong data-testid="step">{step === undefined ? words.decision.review : words.decision.questionOf(step, of)}</strong>
        <span className="hint" role="status" data-testid="answer-progress">
          {words.decision.answeredOf(answered, of)}
        </span>
        {kept && <span className="visually-hidden">{words.decision.keptAsDrafts}</span>}
      </div>
      {next && (
        <button type="button" data-testid="step-next" onClick={next}>
          <span>{step === of ? words.decision.review : words.decision.next}</span> <Icon name="next" />
        </button>
      )}
    </nav>
  );
}
