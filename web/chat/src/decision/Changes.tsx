import type { Change } from "../../../client";
import { Marked } from "../../../react/lib/Marked";
import { placeOf, sideOf } from "./told";
import { words } from "../words";

/** How an approval has edited the arguments: place by place, what was proposed and what was approved. */
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
            {"before" in change && (
              <del>
                <span className="visually-hidden">{words.decision.was} </span>
                <Marked text={sideOf(change.before, change.cut?.includes("before"))} />
                {change.cut?.includes("before") && "…"}
              </del>
            )}
            {"after" in change && (
              <ins>
                <span className="visually-hidden">{words.decision.now} </span>
                <Marked text={sideOf(change.after, change.cut?.includes("after"))} />
                {change.cut?.includes("after") && "…"}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
