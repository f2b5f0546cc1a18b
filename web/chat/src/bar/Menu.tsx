import { type ReactNode, useState } from "react";
import { AlertChoice } from "./AlertChoice";
import { Drop } from "../lib/Drop";
import { Icon } from "../../../react/lib/Icon";
import { chooseLanguage, chosenLanguage, isLanguage, LANGUAGES } from "../words/language";
import { bearer } from "../server/session";
import { atProvider, signOut, useMe, type Me } from "../server/who";
import { visible } from "../../../react/lib/misleading";
import { chooseTheme, chosenTheme, THEMES, type Theme } from "../lib/theme";
import { words } from "../words";

/** What a person sets once, and need not see: the theme, the alerts, who is signed in, and what the place adds. */
export function Menu({ children }: { children?: ReactNode }) {
  const person = usePerson();
  const name = person && words.bar.signedInAs(person);
  const told = name ? `${words.bar.settings}. ${name}` : words.bar.settings;
  return (
    <Drop
      className="menu"
      summary={
        <summary title={told} aria-label={told} data-testid="menu">
          {person && (
            <span className="account" data-testid="account" dir="auto">
              {person}
            </span>
          )}
          <Icon name="settings" />
        </summary>
      }
    >
      <div className="drop-panel" tabIndex={-1}>
        <ThemeChoice />
        <LanguageChoice />
        <AlertChoice />
        {children}
        <Person />
      </div>
    </Drop>
  );
}

/** Whether somebody has signed in, and can sign out. */
const isIn = (me: Me | undefined) => bearer() !== undefined || (me !== undefined && atProvider());

/** What whoever has signed in is called. */
function usePerson(): string | undefined {
  const me = useMe();
  return me && isIn(me) ? visible(me.name ?? me.user) : undefined;
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
