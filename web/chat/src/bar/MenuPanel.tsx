import { useState, type ReactNode } from "react";
import { AlertChoice } from "./AlertChoice";
import { chooseLanguage, chosenLanguage, isLanguage, LANGUAGES } from "../words/language";
import { isIn, signOut, useMe } from "../server/who";
import { visible } from "../../../react/lib/misleading";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "../lib/theme";
import { words } from "../words";

/** What the menu offers in each place, and what the place adds. */
export default function MenuPanel({ children }: { children?: ReactNode }) {
  return (
    <>
      <ThemeChoice />
      <LanguageChoice />
      <AlertChoice />
      {children}
      <Person />
    </>
  );
}

/** Who is signed in, with the way out; nothing where there is none. */
function Person() {
  const me = useMe();
  const [fault, setFault] = useState<string>();
  if (!isIn(me)) return null;
  const leave = () => {
    setFault(undefined);
    signOut().then(
      (out) => out || setFault(words.bar.answersFirst),
      () => setFault(words.bar.notSignedOut),
    );
  };
  return (
    <>
      {me && (
        <p className="hint" data-testid="who">
          {words.bar.signedInAs(visible(me.name ?? me.user))}
        </p>
      )}
      <button type="button" data-testid="sign-out" onClick={leave}>
        {words.bar.signOut}
      </button>
      {fault && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </>
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
