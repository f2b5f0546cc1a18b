import { type FormEvent, useEffect, useState } from "react";
import { refusedBearer, signIn } from "./session";
import { atProvider, goSignIn, wasSignedIn } from "./who";

/** Offers the ways to sign in: at the server's provider, if it has one, and by a token. */
export function SignIn({ wrong }: { wrong: boolean }) {
  useEffect(() => {
    if (wrong) refusedBearer();
  }, [wrong]);
  return (
    <div className="sign-in" data-testid="sign-in">
      <h2>Sign in</h2>
      {atProvider() ? <Ways wrong={wrong} /> : <TokenForm wrong={wrong} focus />}
    </div>
  );
}

/** The provider, and a token for who has one. */
function Ways({ wrong }: { wrong: boolean }) {
  return (
    <>
      <p className="hint" role="status" data-testid="sign-in-why">
        {wasSignedIn() ? "Your session has ended. What you have written in this tab is kept for you." : "This server asks who you are."}
      </p>
      <div className="actions">
        <button type="button" className="primary" data-testid="sign-in-go" autoFocus={!wrong} onClick={goSignIn}>
          Sign in
        </button>
      </div>
      <details open={wrong} data-testid="use-token">
        <summary>Use a token</summary>
        <TokenForm wrong={wrong} focus={wrong} />
      </details>
    </>
  );
}

/** Asks for a token. It is kept for the tab, whatever is loaded in it. */
function TokenForm({ wrong, focus }: { wrong: boolean; focus: boolean }) {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") signIn(token.trim());
  };
  return (
    <form onSubmit={submit}>
      <p className="hint">This server asks who you are. The token stays in this tab until you sign out or close it.</p>
      {wrong && (
        <p className="fault" role="alert">
          The server does not accept this token.
        </p>
      )}
      <label className="field">
        <span>Token</span>
        <input type="password" autoComplete="off" value={token} data-testid="token" autoFocus={focus} onChange={(event) => setToken(event.target.value)} />
      </label>
      <div className="actions">
        <button type="submit" className="primary">
          Sign in
        </button>
      </div>
    </form>
  );
}
