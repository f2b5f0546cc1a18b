import { type ReactNode, useState } from "react";
import { AlertChoice } from "./AlertChoice";
import { Drop } from "../lib/Drop";
import { Icon } from "../../../react/lib/Icon";
import { bearer } from "../server/session";
import { atProvider, signOut, useMe } from "../server/who";
import { visible } from "../../../react/lib/misleading";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "../lib/theme";

/** What a person sets once, and need not see: the theme, the alerts, who is signed in, and what the place adds. */
export function Menu({ children }: { children?: ReactNode }) {
  return (
    <Drop
      className="menu"
      summary={
        <summary title="Settings" aria-label="Settings" data-testid="menu">
          <Icon name="settings" />
        </summary>
      }
    >
      <div className="drop-panel" tabIndex={-1}>
        {children}
        <ThemeChoice />
        <AlertChoice />
        <Person />
      </div>
    </Drop>
  );
}

/** Who is signed in, with the way out; nothing where there is none. */
function Person() {
  const me = useMe();
  const [fault, setFault] = useState(false);
  if (bearer() === undefined && !(me && atProvider())) return null;
  const leave = () => {
    setFault(false);
    signOut().catch(() => setFault(true));
  };
  return (
    <>
      {me && (
        <p className="hint" data-testid="who">
          Signed in as {visible(me.name ?? me.user)}
        </p>
      )}
      <button type="button" data-testid="sign-out" onClick={leave}>
        Sign out
      </button>
      {fault && (
        <p className="fault" role="alert">
          You are still signed in: the server did not answer. Try again.
        </p>
      )}
    </>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <label className="theme">
      <span>Theme</span>
      <select
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
    </label>
  );
}
