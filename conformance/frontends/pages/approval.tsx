// A question, the way an application puts it: approve as proposed, with edits, decline, cancel; what its agent takes for a
// yes and a no is in its metadata, if that is anything else.

import { useState } from "react";
import "./page.css";

interface Asked {
  id: string;
  message?: string;
  metadata?: Record<string, unknown>;
}

export function Approval({ interrupt, resolve, cancel }: { interrupt: Asked; resolve: (payload: unknown) => void; cancel: () => void }) {
  const [edited, setEdited] = useState("");
  const [yes, no] = (interrupt.metadata?.answers ?? []) as { payload: unknown }[];
  return (
    <div data-testid="question" data-id={interrupt.id}>
      <p>{interrupt.message ?? "May I?"}</p>
      <button data-testid="approve" onClick={() => resolve(yes ? yes.payload : { approved: true })}>Approve</button>
      <input data-testid="edits" aria-label="edited arguments" value={edited} onChange={(event) => setEdited(event.target.value)} />
      <button data-testid="approve-edited" onClick={() => resolve({ approved: true, editedArgs: JSON.parse(edited) })}>Approve with edits</button>
      <button data-testid="answer" onClick={() => resolve(JSON.parse(edited))}>Answer</button>
      <button data-testid="decline" onClick={() => resolve(no ? no.payload : { approved: false })}>Decline</button>
      <button data-testid="cancel" onClick={cancel}>Cancel</button>
    </div>
  );
}
