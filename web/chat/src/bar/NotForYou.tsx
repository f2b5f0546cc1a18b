import { at } from "../lib/base";
import { onLink } from "../lib/route";
import { Bar } from "./Bar";
import { apart } from "../words/apart";
import { words } from "../words";
import { useMay } from "../server/who";

/** In the place of the operators' pages, for whoever may see none of them. */
export default function NotForYou() {
  const answers = useMay("read", "approver", "admin");
  return (
    <div className="place">
      <Bar />
      <main className="page">
        <section className="empty" aria-label={apart.forOperators} data-testid="not-for-you">
          <h2>{apart.forOperators}</h2>
          <p>{apart.scopesOfOperators}</p>
          <p>
            <a href={at(answers ? "/inbox" : "/")} onClick={onLink}>
              {answers ? words.bar.inbox : words.bar.chat}
            </a>
          </p>
        </section>
      </main>
    </div>
  );
}
