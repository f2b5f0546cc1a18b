import { useEffect, useRef, useState } from "react";
import { Bar } from "../bar/Bar";
import { InboxOpen } from "./InboxOpen";
import { lastingOf, newBulk, tellsItself } from "./lasting";
import { Resolved } from "./Resolved";
import { inbox } from "../words/inbox";
import "../styles/inbox.css";

const VIEWS = ["open", "resolved"] as const;

/** What waits for an answer across threads, and what was decided: of the tenant for who may answer for others, of the own namespace otherwise. */
export default function Inbox() {
  const [view, setView] = useState<(typeof VIEWS)[number]>("open");
  const [lasting] = useState(lastingOf);
  const { held } = lasting;
  const [bulks, setBulks] = useState(lasting.bulks);
  const box = useRef<HTMLDivElement>(null);
  const switched = useRef(false);
  useEffect(() => tellsItself(lasting), [lasting]);
  useEffect(() => {
    lasting.bulks = bulks;
  }, [lasting, bulks]);
  useEffect(() => {
    // Each view has the buttons in its own heading, so that the one that was pressed is gone.
    if (switched.current) box.current?.querySelector<HTMLButtonElement>('.views [aria-pressed="true"]')?.focus();
  }, [view]);
  const choose = (name: typeof view) => {
    switched.current = true;
    setView(name);
  };
  const more = () => setBulks((before) => [...before.filter((one) => one.look().state !== "idle" || one.look().results.length > 0), newBulk()]);
  const views = (
    <div className="views" role="group" aria-label={inbox.views}>
      {VIEWS.map((name) => (
        <button key={name} type="button" aria-pressed={view === name} data-testid={`view-${name}`} onClick={() => choose(name)}>
          {inbox[name]}
        </button>
      ))}
    </div>
  );
  return (
    <div ref={box} className="place">
      <Bar />
      <div className="page broad">
        <main>{view === "open" ? <InboxOpen views={views} bulks={bulks} more={more} lasting={lasting} /> : <Resolved views={views} held={held} />}</main>
      </div>
    </div>
  );
}
