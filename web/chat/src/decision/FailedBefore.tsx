import type { Ended } from "./record";
import { clock } from "../../../react/lib/time";
import { saidBy, sentence, wordsFor } from "../lib/words";
import { locale } from "../words";
import { apart } from "../words/apart";

interface Props {
  earlier: readonly Ended[];
  /** It was the same each time, and it is to be said what else can be done. */
  same?: boolean;
}

/** Of a turn that has failed again: what else can be done, and, folded away, how it failed before. */
export default function FailedBefore({ earlier, same }: Props) {
  return (
    <div className="failed-before" data-testid="failed-before">
      {same && <p>{apart.failsEachTime}</p>}
      <details>
        <summary>{apart.failedBefore(earlier.length)}</summary>
        <ol>
          {earlier.map((end) => (
            <li key={end.key}>
              {end.on !== undefined && <time dateTime={new Date(end.on).toISOString()}>{clock(new Date(end.on).toISOString(), Date.now(), { locale })}</time>}{" "}
              <span dir="auto">{sentence(saidBy(end).said || wordsFor(end.code).title)}</span>
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}
