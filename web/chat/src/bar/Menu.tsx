import { type ReactNode, useState } from "react";
import { AlertChoice } from "./AlertChoice";
import { Drop } from "../lib/Drop";
import { Icon } from "../../../react/lib/Icon";
import { bearer, signIn } from "../server/session";
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
        {bearer() !== undefined && (
          <button type="button" data-testid="sign-out" onClick={() => signIn(undefined)}>
            Sign out
          </button>
        )}
      </div>
    </Drop>
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
