import type { Interrupt } from "@ag-ui/client";
import { type ReactNode, useEffect, useState } from "react";
import { ControlError, type Control } from "../control/control.js";
import { useStrings } from "../lib/words.js";

/** What an agent asks an account for, and where a browser begins. */
export interface Login {
  url: string;
  title: string;
  /** Of the control API: what is asked for, and how the latest try went; posting begins another. */
  path: string;
}

interface Asked {
  yours: boolean;
  problem?: { detail: string; advice: string };
}

/** The login that a question asks for; undefined: it asks for none that begins here. */
export function loginOf({ id, reason, metadata }: Interrupt): Login | undefined {
  const { authorizeUrl: url, providerTitle } = (metadata ?? {}) as Record<string, unknown>;
  if (reason !== "aguiws:auth_required" || typeof url !== "string" || typeof providerTitle !== "string") return undefined;
  const [, scheme, thread, interrupt] = /^(https?):\/\/[^/?#]+\/login\/([^/?#]+)\/([^/?#]+)$/.exec(url) ?? [];
  if (!scheme || interrupt !== encodeURIComponent(id)) return undefined;
  return { url, title: providerTitle, path: `/threads/${thread}/interrupts/${interrupt}/login` };
}

interface Props {
  login: Login;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  /** Whom to ask about the login. Without it, the address is opened as it is. */
  control?: Control;
}

/** A button that opens the provider in another tab, and why the latest try came to nothing. */
export function LoginBody({ login, locked, abandon, control }: Props) {
  const { answer: words } = useStrings();
  const [asked, setAsked] = useState<Asked>();
  const [fault, setFault] = useState<string>();
  const { path } = login;
  useEffect(() => {
    if (!control) return;
    let over = false;
    const look = () => {
      if (document.hidden) return;
      control.call<Asked>("GET", path).then(
        (now) => !over && setAsked(now),
        // What is open is told by the thread; one that is not found is somebody else's.
        (error) => !over && error instanceof ControlError && error.status === 404 && setAsked({ yours: false }),
      );
    };
    look();
    document.addEventListener("visibilitychange", look);
    window.addEventListener("focus", look);
    return () => {
      over = true;
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("focus", look);
    };
  }, [control, path]);
  const begin = async () => {
    setFault(undefined);
    if (!control?.signedIn) {
      // Nobody is told apart: the address is all that is needed, whatever this page's own host is called.
      window.open(login.url, "_blank", "noopener");
      return;
    }
    const tab = window.open("about:blank", "_blank"); // later, the browser would not let it
    if (tab) tab.opener = null;
    try {
      const { url } = await control.call<{ url?: string }>("POST", path);
      if (url && tab) tab.location.href = url;
      else tab?.close();
      if (url && !tab) setFault(words.noTab);
    } catch (error) {
      tab?.close();
      if (!(error instanceof ControlError)) throw error;
      const { advice } = error.details;
      setFault(typeof advice === "string" ? `${error.message} ${advice}` : error.message);
    }
  };
  const said = fault ?? (asked?.problem && `${asked.problem.detail} ${asked.problem.advice}`);
  return (
    <>
      {said && (
        <p className="fault" role="alert" data-testid="login-problem">
          {said}
        </p>
      )}
      {asked?.yours === false && <p className="hint">{words.somebodyElse}</p>}
      <div className="actions">
        <button type="button" className="primary" data-testid="login" disabled={locked || asked?.yours === false} onClick={() => void begin()}>
          {words.signIn(login.title)}
        </button>
        {abandon}
      </div>
    </>
  );
}
