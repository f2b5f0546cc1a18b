import { Icon } from "../../../react/lib/Icon";

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
    <nav className="steps" aria-label="Questions">
      <button type="button" data-testid="step-back" disabled={!back} onClick={back}>
        <Icon name="back" /> <span>Back</span>
      </button>
      <div>
        <strong data-testid="step">{step === undefined ? "Review" : `Question ${step} of ${of}`}</strong>
        <span className="hint" role="status" data-testid="answer-progress">
          {answered} of {of} answered
        </span>
        {kept && <span className="visually-hidden">Kept as drafts for everybody who may answer.</span>}
      </div>
      {next && (
        <button type="button" data-testid="step-next" onClick={next}>
          <span>{step === of ? "Review" : "Next"}</span> <Icon name="next" />
        </button>
      )}
    </nav>
  );
}
