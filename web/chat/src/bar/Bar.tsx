import { useEffect, type ReactNode } from "react";
import { at } from "../lib/base";
import { onLink, usePlace } from "../lib/route";
import { useSession } from "../server/session";
import { useMe, useOut } from "../server/who";
import { Menu } from "./Menu";
import { showTabIcon } from "./tabicon";
import { Waiting } from "./Waiting";
import { words } from "../words";

/** The places, each with the scopes any one of which shows something there. */
const PLACES = [
  ["/", "chat", ["read", "run", "admin"]],
  ["/inbox", "inbox", ["read", "approver", "admin"]],
  ["/ops", "operator", ["admin"]],
] as const;

interface BarProps {
  /** What is looked at in the place, where that has a name of its own. */
  title?: string;
  children?: ReactNode;
  /** What can be begun in the place. */
  act?: ReactNode;
  /** What the place adds to the menu. */
  menu?: ReactNode;
}

/** The head of every place: where one is, where one can go, and what the place adds, for whoever is signed in. It names the document, too, unless Waiting does, which says there how many chats wait. */
export function Bar({ title, children, act, menu }: BarProps) {
  const path = usePlace();
  const session = useSession();
  const me = useMe();
  const out = useOut();
  const [here, place] = PLACES.find(([href]) => href === path || path.startsWith(`${href}/`)) ?? PLACES[0];
  const offered = PLACES.filter(([href, , scopes]) => !me || href === here || scopes.some((scope) => me.scopes.includes(scope)));
  // Who answers for others and begins nothing has no chat of their own: the place would lead back here.
  const leads = !me || !me.scopes.includes("approver") || ["run", "admin"].some((scope) => me.scopes.includes(scope));
  const name = out ? words.server.signIn : title ? `${title} · ${words.bar[place]}` : words.bar[place];
  const waits = !out && offered.some(([href]) => href === "/inbox");
  useEffect(() => {
    if (waits) return;
    document.title = `${name} · aguiws`;
    showTabIcon(0);
  }, [waits, name]);
  return (
    <header className="bar">
      <h1 className="visually-hidden">{name}</h1>
      <span className="brand">aguiws</span>
      {!out && (
        <>
          <nav aria-label={words.bar.places}>
            {offered.filter(([href]) => leads || href !== "/" || href === here).map(([href, one]) => (
              <a key={href} href={at(href)} aria-current={href === here ? "page" : undefined} data-testid={`go-${one}`} onClick={onLink}>
                {words.bar[one]}
                {href === "/inbox" && <Waiting key={session} name={name} />}
              </a>
            ))}
          </nav>
          {children}
        </>
      )}
      <span className="spacer" />
      {!out && act}
      <Menu>{!out && menu}</Menu>
    </header>
  );
}
