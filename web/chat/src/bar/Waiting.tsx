import { useEffect } from "react";
import { at } from "../lib/base";
import { Arrivals, chosenAlerts, lookedAt, playSound, sayLooking, showOnDesktop, tellOnce } from "./alerts";
import { ofCount, whenAsked } from "../server/notices";
import { go } from "../lib/route";
import { useSession } from "../server/session";
import { useListedCount, useTotals } from "../server/totals";
import { showTabIcon } from "./tabicon";
import { words } from "../words";

/** More are not told apart at a glance. */
const MOST = 99;

/**
 * How many chats wait for an answer, beside its link, in the document's title before `name`, and in the tab's icon; nothing
 * where none does, or nobody here may know. Who wants to be told otherwise is.
 */
export function Waiting({ name }: { name: string }) {
  const data = useTotals("", ofCount);
  const listed = useListedCount();
  const known = knownIn(useSession());
  if (data?.total !== undefined) known.total = data.total;
  const total = listed ?? known.total;
  const shown = total > MOST ? `${MOST}+` : String(total);
  useEffect(() => {
    document.title = `${total > 0 ? `(${shown}) ` : ""}${name} · aguiws`;
    showTabIcon(total);
  }, [name, total, shown]);
  useAlerts(data, known.arrivals);
  if (total === 0) return null;
  return (
    <>
      {" "}
      <span className="badge" data-testid="inbox-badge" data-total={total} title={words.bar.chatsWait(total)}>
        {shown}
        <span className="visually-hidden"> {words.bar.waiting}</span>
      </span>
    </>
  );
}

interface Known {
  session: number;
  total: number;
  arrivals: Arrivals;
}

let known: Known | undefined;

/** What was counted last, which outlives a look at another chat, and nobody's session. */
function knownIn(session: number): Known {
  if (known?.session !== session) known = { session, total: 0, arrivals: new Arrivals() };
  return known;
}

function useAlerts(counted: { total?: number } | undefined, arrivals: Arrivals): void {
  useEffect(() => whenAsked(() => arrivals.ask()), [arrivals]);
  useEffect(sayLooking, []);
  useEffect(() => {
    if (counted?.total === undefined || !arrivals.count(counted.total)) return;
    const { total } = counted;
    void lookedAt().then((looked) => {
      const { desktop, sound } = chosenAlerts();
      if (looked || (!desktop && !sound)) return;
      return tellOnce(total, () => {
        if (desktop) showOnDesktop(total, () => go(at("/inbox")));
        if (sound) playSound();
      });
    });
  }, [counted, arrivals]);
}
