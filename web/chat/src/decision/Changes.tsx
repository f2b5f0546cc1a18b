import type { Change } from "../../../client";
import { Marked } from "../../../react/lib/Marked";
import { placeOf, sideOf } from "./told";
import { words } from "../words";

/** How an approval has edited the arguments: place by place, what was approved, and what was proposed. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <dl className="changes" data-testid="changes" aria-label={words.decision.edits}>
      {changes.map((change) => (
        <div key={change.pointer}>
          <dt>
            <bdi>
              <Marked text={placeOf(change.pointer)} />
            </bdi>
          </dt>
          <dd>
            {"after" in change ? (
              <ins>
                <Marked text={sideOf(change.after, change.cut?.includes("after"))} />
                {change.cut?.includes("after") && "…"}
              </ins>
            ) : (
              <span className="hint">{words.decision.takenOut}</span>
            )}
            {"before" in change && (
              <del>
                {words.decision.was}{" "}
                <Marked text={sideOf(change.before, change.cut?.includes("before"))} />
                {change.cut?.includes("before") && "…"}
              </del>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
