import { type FormEvent, useEffect, useState } from "react";
import { bearer, refusedBearer, signIn } from "./session";
import { asksWho, atProvider, goSignIn, isSamePerson, wasSignedIn } from "./who";
import { words } from "../words";

/** Offers the ways to sign in: at the program's own login, at the server's provider, or by a token. */
export default function SignIn({ wrong }: { wrong: boolean }) {
  const login = document.querySelector<HTMLMetaElement>('meta[name="aguiws:login"]')?.content;
  useEffect(() => {
    if (wrong) refusedBearer();
  }, [wrong]);
  useEffect(asksWho, []);
  return (
    <div className="sign-in" data-testid="sign-in">
      <h2>{words.server.signIn}</h2>
      {login ? <AtSite address={login} /> : atProvider() ? <Ways wrong={wrong} /> : <TokenForm wrong={wrong} focus />}
    </div>
  );
}

/** The login of the program that serves the page, whose people have no token. */
function AtSite({ address }: { address: string }) {
  return (
    <>
      <p className="hint" role="status">
        {words.server.asksWhoOnly}
      </p>
      <div className="actions">
        <button type="button" className="primary" data-testid="sign-in-site" autoFocus onClick={() => location.assign(address)}>
          {words.server.toLogin}
        </button>
      </div>
    </>
  );
}

/** The provider, and a token for who has one. */
function Ways({ wrong }: { wrong: boolean }) {
  return (
    <>
      <p className="hint" role="status" data-testid="sign-in-why">
        {wasSignedIn() ? words.server.sessionEnded : words.server.asksWhoOnly}
      </p>
      <div className="actions">
        <button type="button" className="primary" data-testid="sign-in-go" autoFocus={!wrong} onClick={goSignIn}>
          {words.server.signIn}
        </button>
      </div>
      <details open={wrong} data-testid="use-token">
        <summary>{words.server.useToken}</summary>
        <TokenForm wrong={wrong} focus={wrong} />
      </details>
    </>
  );
}

/** Asks for a token. It is kept for the tab, whatever is loaded in it. */
function TokenForm({ wrong, focus }: { wrong: boolean; focus: boolean }) {
  const [token, setToken] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = token.trim();
    if (given === "") return;
    // What a person has written and answered stays theirs when their token has run out.
    signIn(given, bearer() !== undefined && (await isSamePerson(given)));
  };
  return (
    <form onSubmit={submit}>
      <p className="hint">{words.server.asksWho}</p>
      {wrong && (
        <p className="fault" role="alert">
          {words.server.tokenRefused}
        </p>
      )}
      <label className="field">
        <span>{words.server.token}</span>
        <input type="password" autoComplete="off" value={token} data-testid="token" autoFocus={focus} onChange={(event) => setToken(event.target.value)} />
      </label>
      <div className="actions">
        <button type="submit" className="primary">
          {words.server.signIn}
        </button>
      </div>
    </form>
  );
}
