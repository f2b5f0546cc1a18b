// Answers that wait outlast the place where they were given: they are told wherever their person goes on the page.

import { createRoot, type Root } from "react-dom/client";
import { Words } from "../../../react/lib/words";
import { call, OUTLIVE, outlives } from "../server/api";
import { toasts } from "../lib/toasts";
import { ownPerson } from "../server/own";
import { unsent, usePerson } from "../server/session";
import { parts } from "../words";
import { askKeyOf } from "./asked";
import { Bulk } from "./bulk";
import { Held, sizeOfAll } from "./held";
import { Toast } from "./Toast";

export interface Lasting {
  readonly person: number;
  readonly held: Held;
  /** Answers to several: the last one is being chosen, and those before it wait, or have something to be said of them. */
  bulks: readonly Bulk[];
  /** The place of the questions is looked at. */
  there: boolean;
}

export const newBulk = () => new Bulk((request) => call("POST", "/inbox/resolve", request, outlives(request)));

let lasting: Lasting | undefined;

/** What the person at the page has answered. */
export function lastingOf(): Lasting {
  const person = ownPerson();
  if (lasting?.person !== person) lasting = { person, held: sendsWhenLeft(new Held(askKeyOf, ownPerson)), bulks: [newBulk()], there: false };
  return lasting;
}

/** Whoever answers and leaves means it. Browsers let a page that goes send no more than so much: then the person is asked. */
function sendsWhenLeft(held: Held): Held {
  const leaves = () => void held.send();
  const sends = () => held.send();
  const asks = (event: Event) => sizeOfAll(held.look().waiting) > OUTLIVE && event.preventDefault();
  let waits = false;
  held.watch(() => {
    if (waits === held.look().waiting.length > 0) return;
    waits = !waits;
    if (waits) {
      unsent.add(sends);
      addEventListener("pagehide", leaves);
      addEventListener("beforeunload", asks);
    } else {
      unsent.delete(sends);
      removeEventListener("pagehide", leaves);
      removeEventListener("beforeunload", asks);
    }
  });
  return held;
}

/** The place of the questions is looked at until the returned function is called: there a bar of its own says what of several is unanswered, and what was only proposed goes with the place. */
export function looksAt(lasting: Lasting): () => void {
  lasting.there = true;
  for (const { state, items } of lasting.bulks.map((bulk) => bulk.look())) if (state === "unanswered") lasting.held.forget(items);
  return () => {
    lasting.there = false;
    for (const bulk of lasting.bulks) if (bulk.look().state === "asking") bulk.leave();
  };
}

let root: Root | undefined;

/** A place tells itself what waits, until the returned function is called: then it is told over whichever place comes. */
export function tellsItself(lasting: Lasting): () => void {
  root?.render(null);
  return () => {
    root ??= createRoot(toasts().appendChild(document.createElement("div")));
    root.render(
      <Words strings={parts}>
        <Elsewhere {...lasting} />
      </Words>,
    );
  };
}

function Elsewhere({ person, held }: Lasting) {
  usePerson();
  if (person !== ownPerson()) return null;
  return <Toast held={held} undo={() => held.undo()?.undone?.()} />;
}
