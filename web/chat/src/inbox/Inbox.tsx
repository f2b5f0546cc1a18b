import { useEffect, useRef, useState } from "react";
import { call } from "../server/api";
import { Bar } from "../bar/Bar";
import { Bulk } from "./bulk";
import { InboxOpen } from "./InboxOpen";
import { Resolved } from "./Resolved";

const VIEWS = [["open", "Waiting"], ["resolved", "Resolved"]] as const;

/** What waits for an answer across threads, and what was decided: of the tenant for who may answer for others, of the own namespace otherwise. */
export default function Inbox() {
  const [view, setView] = useState<(typeof VIEWS)[number][0]>("open");
  // Answers that are on their way outlive a look at the other view.
  const [bulk] = useState(() => new Bulk((request) => call("POST", "/inbox/resolve", request)));
  const box = useRef<HTMLDivElement>(null);
  const switched = useRef(false);
  useEffect(() => {
    // Each view has the buttons in its own heading, so that the one that was pressed is gone.
    if (switched.current) box.current?.querySelector<HTMLButtonElement>('.views [aria-pressed="true"]')?.focus();
  }, [view]);
  const choose = (name: typeof view) => {
    switched.current = true;
    setView(name);
  };
  const views = (
    <div className="views" role="group" aria-label="Views of the inbox">
      {VIEWS.map(([name, words]) => (
        <button key={name} type="button" aria-pressed={view === name} data-testid={`view-${name}`} onClick={() => choose(name)}>
          {words}
        </button>
      ))}
    </div>
  );
  return (
    <div ref={box} className="place">
      <Bar />
      <div className="page broad">
        <main>{view === "open" ? <InboxOpen views={views} bulk={bulk} /> : <Resolved views={views} />}</main>
      </div>
    </div>
  );
}
