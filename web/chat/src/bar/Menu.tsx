import { type ReactNode, useState } from "react";
import { AlertChoice } from "./AlertChoice";
import { Drop } from "../lib/Drop";
import { Icon } from "../../../react/lib/Icon";
import { bearer, signIn } from "../server/session";
import { chooseLanguage, chosenLanguage, isLanguage, LANGUAGES } from "../words/language";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "../lib/theme";
import { words } from "../words";

/** What a person sets once, and need not see: the theme, the alerts, who is signed in, and what the place adds. */
export function Menu({ children }: { children?: ReactNode }) {
  return (
    <Drop
      className="menu"
      summary={
        <summary title={words.bar.settings} aria-label={words.bar.settings} data-testid="menu">
          <Icon name="settings" />
        </summary>
      }
    >
      <div className="drop-panel" tabIndex={-1}>
        {children}
        <ThemeChoice />
        <LanguageChoice />
        <AlertChoice />
        {bearer() !== undefined && (
          <button type="button" data-testid="sign-out" onClick={() => signIn(undefined)}>
            {words.bar.signOut}
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
      <span>{words.bar.theme}</span>
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
            {words.bar.themes[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The page is loaded anew in another language: what was said stays as it is, and what is typed is kept. */
function LanguageChoice() {
  return (
    <label className="theme">
      <span>{words.bar.language}</span>
      <select
        data-testid="language"
        value={chosenLanguage() ?? "auto"}
        onChange={(event) => chooseLanguage(isLanguage(event.target.value) ? event.target.value : undefined)}
      >
        <option value="auto">{words.bar.automatic}</option>
        {Object.entries(LANGUAGES).map(([one, name]) => (
          <option key={one} value={one} lang={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
