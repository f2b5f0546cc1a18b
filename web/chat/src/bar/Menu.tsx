import { lazy, Suspense, useState, type ReactNode } from "react";
import { Drop } from "../lib/Drop";
import { Icon } from "../../../react/lib/Icon";
import { part } from "../../../react/lib/part";
import { isIn, useMe } from "../server/who";
import { visible } from "../../../react/lib/misleading";
import { words } from "../words";

/** It is seldom opened, and loaded when it is. */
const MenuPanel = lazy(() => part(() => import("./MenuPanel")));

/** What a person sets once, and need not see: the theme, the alerts, who is signed in, and what the place adds. */
export function Menu({ children }: { children?: ReactNode }) {
  const person = usePerson();
  const [opened, setOpened] = useState(false);
  const name = person && words.bar.signedInAs(person);
  const told = name ? `${words.bar.settings}. ${name}` : words.bar.settings;
  return (
    <Drop
      className="menu"
      onToggle={() => setOpened(true)}
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
        {opened && (
          <Suspense fallback={null}>
            <MenuPanel>{children}</MenuPanel>
          </Suspense>
        )}
      </div>
    </Drop>
  );
}

/** What whoever has signed in is called. */
function usePerson(): string | undefined {
  const me = useMe();
  return me && isIn(me) ? visible(me.name ?? me.user) : undefined;
}
