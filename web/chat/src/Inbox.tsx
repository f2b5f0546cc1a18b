import { useState } from "react";
import { call } from "./api";
import { Bar } from "./Bar";
import { Bulk } from "./bulk";
import { InboxOpen } from "./InboxOpen";
import { Resolved } from "./Resolved";

const VIEWS = [["open", "Waiting"], ["resolved", "Resolved"]] as const;

/** What waits for an answer across threads, and what was decided: of the tenant for who may answer for others, of the own namespace otherwise. */
export default function Inbox() {
  const [view, setView] = useState<(typeof VIEWS)[number][0]>("open");
  // Answers that are on their way outlive a look at the other view.
  const [bulk] = useState(() => new Bulk((request) => call("POST", "/inbox/resolve", request)));
  const views = (
    <div className="views" role="group" aria-label="Views of the inbox">
      {VIEWS.map(([name, words]) => (
        <button key={name} type="button" aria-pressed={view === name} data-testid={`view-${name}`} onClick={() => setView(name)}>
          {words}
        </button>
      ))}
    </div>
  );
  return (
    <div className="place">
      <Bar />
      <div className="page">
        <main>{view === "open" ? <InboxOpen views={views} bulk={bulk} /> : <Resolved views={views} />}</main>
      </div>
    </div>
  );
}
