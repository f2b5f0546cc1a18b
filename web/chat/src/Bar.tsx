import { useState, type ReactNode } from "react";
import { onLink, usePath } from "./route";
import { bearer, signIn, useSession } from "./session";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "./theme";

const PLACES = [
  ["/", "Chat"],
  ["/inbox", "Inbox"],
  ["/ops", "Operator"],
] as const;

/** The head of every place: where one is, where one can go, and what the place adds. */
export function Bar({ children }: { children?: ReactNode }) {
  const path = usePath();
  useSession();
  return (
    <header className="bar">
      <h1>aguiws</h1>
      <nav aria-label="Places">
        {PLACES.map(([href, name]) => (
          <a key={href} href={href} aria-current={path === href ? "page" : undefined} data-testid={`go-${name.toLowerCase()}`} onClick={onLink}>
            {name}
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
