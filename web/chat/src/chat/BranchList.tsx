import { useEffect, useState } from "react";
import { useBack, type Branch } from "./back";
import { carriedOut } from "../decision/donebefore";
import { Guarded } from "../../../react/lib/Guarded";
import { ToolCard } from "./ToolCard";
import { locale, words } from "../words";
import { apart } from "../words/apart";

/** The earlier versions of what follows a place, and what they have carried out. */
export default function BranchList({ here }: { here: readonly Branch[] }) {
  const { readOnly, decided, restore, held, going } = useBack();
  const [fault, setFault] = useState<string>();
  useEffect(() => setFault(undefined), [held]);
  const done = carriedOut(here, decided);
  return (
    <>
      {done.length > 0 && (
        <section className="done-before" data-testid="done-before">
          <p className="hint">{apart.doneBefore}</p>
          {done.map(({ id, name, arguments: given = "" }) => (
            <ToolCard key={id} call={{ id, type: "function", function: { name, arguments: given } }} state="done" open={false} told={decided.get(id)} />
          ))}
        </section>
      )}
      <details className="branches" data-testid="branches">
        <summary>{apart.versions(here.length)}</summary>
        <ul>
          {here.map(({ id, at, title, messages, kept }) => (
            <li key={id} data-testid="branch" data-branch-id={id}>
              <span className="text" dir="auto">
                {title || apart.anotherAnswer}
              </span>
              <span className="hint">
                {words.chat.messages(messages, messages.toLocaleString(locale))}, {words.chat.replaced}{" "}
                <time dateTime={at}>{new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" })}</time>
                {!kept && `. ${apart.notKept}`}
              </span>
              {kept && !readOnly && (
                <Guarded subject={id}>
                  <button
                    type="button"
                    data-testid="restore"
                    aria-disabled={held !== undefined || going}
                    title={held}
                    onClick={() => (held ? setFault(held) : void restore(id).then(setFault))}
                  >
                    {words.chat.restore}
                  </button>
                </Guarded>
              )}
            </li>
          ))}
        </ul>
        {fault !== undefined && (
          <p className="fault" role="alert" data-testid="restore-fault">
            {fault}
          </p>
        )}
      </details>
    </>
  );
}
