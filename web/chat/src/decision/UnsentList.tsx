import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Marked } from "../../../react/lib/Marked";
import { visible } from "../../../react/lib/misleading";
import { Copy } from "../lib/Copy";
import { forgetTyped } from "./typed";
import { verdictOf } from "./told";
import { unsentOf, type Unsent } from "./unsent";
import { Verdict } from "./Verdict";
import { apart } from "../words/apart";
import { words } from "../words";

type Props = Parameters<typeof unsentOf>[0];

/** What was typed here and came too late, until somebody has done with it. */
export function UnsentList({ threadId, open, messages, decided, marks }: Props) {
  const [seen, see] = useState(0);
  const unsent = useMemo(() => unsentOf({ threadId, open, messages, decided, marks }), [threadId, open, decided, marks, seen]);
  return unsent.map((one) => (
    <Late
      key={one.told.interruptId}
      {...one}
      done={() => {
        forgetTyped(threadId, one.told.interruptId);
        see(seen + 1);
      }}
    />
  ));
}

function Late({ told, about, text, given, done }: Unsent & { done: () => void }) {
  const box = useRef<HTMLElement>(null);
  // Whoever was typing goes on with it into nothing else.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) box.current?.focus();
  }, []);
  return (
    <section ref={box} className="question unsent" tabIndex={-1} data-testid="unsent" aria-label={apart.unsent}>
      <header>
        <h2 dir="auto">
          <bdi>
            <Marked text={about === undefined ? words.chat.aQuestion : visible(about)} />
          </bdi>
        </h2>
        <Verdict badges={[verdictOf(told, told.toolCallId !== undefined)]} at={told.at} />
      </header>
      <p role="status">
        {told.status === "resolved" ? apart.answeredBy(told.by) : apart.overMeanwhile} {given ? apart.notTaken : apart.notSent}
      </p>
      <pre className="unsent-text" tabIndex={0} aria-label={apart.unsent} data-testid="unsent-text">
        <Marked text={text} />
      </pre>
      <div className="actions">
        <Copy text={text} label={apart.copyUnsent} hook="copy-unsent" />
        <button type="button" className="quiet" data-testid="dismiss-unsent" onClick={done}>
          {words.chat.dismiss}
        </button>
      </div>
    </section>
  );
}
