import { useEffect, useState, type ReactNode } from "react";
import { usePolled } from "./api";
import { ofWaiting } from "./notices";
import { onLink, usePath } from "./route";
import { bearer, signIn, useSession } from "./session";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "./theme";

const PLACES = [
  ["/", "Chat"],
  ["/inbox", "Inbox"],
  ["/ops", "Operator"],
] as const;

interface BarProps {
  /** What is looked at in the place, where that has a name of its own. */
  title?: string;
  children?: ReactNode;
}

/** The head of every place: where one is, where one can go, and what the place adds. It names the document, too. */
export function Bar({ title, children }: BarProps) {
  const path = usePath();
  const session = useSession();
  const place = PLACES.find(([href]) => href === path)?.[1] ?? "Chat";
  const name = title ? `${title} · ${place}` : place;
  useEffect(() => {
    document.title = `${name} · aguiws`;
  }, [name]);
  return (
    <header className="bar">
      <h1 className="visually-hidden">{name}</h1>
      <span className="brand">aguiws</span>
      <nav aria-label="Places">
        {PLACES.map(([href, name]) => (
          <a key={href} href={href} aria-current={path === href ? "page" : undefined} data-testid={`go-${name.toLowerCase()}`} onClick={onLink}>
            {name}
            {href === "/inbox" && <Waiting key={session} />}
          </a>
        ))}
      </nav>
      {children}
      <span className="spacer" />
      {bearer() !== undefined && (
        <button type="button" className="quiet" data-testid="sign-out" onClick={() => signIn(undefined)}>
          Sign out
        </button>
      )}
      <ThemeChoice />
    </header>
  );
}

/** How often those that wait are counted where no notices come, in milliseconds. */
const EVERY_MS = 10_000;

/** More are not told apart at a glance. */
const MOST = 99;

/** How many chats wait for an answer; nothing where none does, or nobody here may know. */
function Waiting() {
  const { data } = usePolled<{ total?: number }>("/inbox/totals", EVERY_MS, ofWaiting);
  const total = data?.total ?? 0;
  if (total === 0) return null;
  return (
    <>
      {" "}
      <span className="badge" data-testid="inbox-badge" data-total={total}>
        {total > MOST ? `${MOST}+` : total}
        <span className="visually-hidden"> waiting</span>
      </span>
    </>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <select
      className="theme"
      aria-label="Theme"
      data-testid="theme"
      value={theme}
      onChange={(event) => {
        const chosen = event.target.value as Theme;
        setTheme(chosen);
        chooseTheme(chosen);
      }}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {one.charAt(0).toUpperCase() + one.slice(1)}
        </option>
      ))}
    </select>
  );
}
