import type { Message } from "@ag-ui/client";
import { lazy, Suspense, useEffect, useState, type ReactNode } from "react";
import { editable, useBack } from "./back";
import { Icon } from "../../../react/lib/Icon";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { words } from "../words";

/** Loaded with the first message that is changed. */
const Editor = lazy(() => part(() => import("./Editor")));

/** Loaded with the first branch. */
const BranchList = lazy(() => part(() => import("./BranchList")));

/** A message, or the field in which it is changed. */
export function Editable({ message, children }: { message: Message; children: ReactNode }) {
  const { editing } = useBack();
  if (editing !== message.id || typeof message.content !== "string") return children;
  return (
    <OrElse instead={children}>
      <Suspense fallback={children}>
        <Editor id={message.id} text={message.content} />
      </Suspense>
    </OrElse>
  );
}

/** What goes back from a message. */
export function GoBack({ message }: { message: Message }) {
  const { readOnly, edit, editing, again, asked, answer, held, asks, going } = useBack();
  const [fault, setFault] = useState<string>();
  const free = !readOnly && !asks;
  const changes = free && editable(message) && editing !== message.id;
  // Where nothing was answered, the question itself can be answered anew.
  const renews = free && asked !== undefined && message.id === (answer ?? asked);
  useEffect(() => setFault(undefined), [held]);
  if (!changes && !renews) return null;
  /** Says what is in the way when it is asked for: a run that begins and ends touches no button of a long conversation. */
  const unless = (act: () => void) => () => (held ? setFault(held) : act());
  return (
    <>
      {changes && (
        <button type="button" className="copy" data-testid="edit-message" onClick={unless(() => edit(message.id))}>
          <Icon name="pen" />
          <span>{words.chat.edit}</span>
        </button>
      )}
      {renews && (
        <button
          type="button"
          className="copy"
          data-testid="answer-anew"
          aria-disabled={going}
          onClick={unless(() => void again(asked).then(setFault))}
        >
          <Icon name="again" />
          <span>{words.chat.answerAnew}</span>
        </button>
      )}
      {fault !== undefined && (
        <span className="hint" role="status" data-testid="back-fault">
          {fault}
        </span>
      )}
    </>
  );
}

/** The earlier versions of what follows a place. */
export function Branches({ place }: { place: string }) {
  const here = useBack().branches.get(place);
  return (
    here && (
      <OrElse instead={null}>
        <Suspense>
          <BranchList here={here} />
        </Suspense>
      </OrElse>
    )
  );
}
