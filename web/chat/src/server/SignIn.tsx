import { type FormEvent, useEffect, useState } from "react";
import { refusedBearer, signIn } from "./session";

/** Asks for a token. It is kept for the tab, whatever is loaded in it. */
export function SignIn({ wrong }: { wrong: boolean }) {
  const [token, setToken] = useState("");
  useEffect(() => {
    if (wrong) refusedBearer();
  }, [wrong]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") signIn(token.trim());
  };
  return (
    <form className="sign-in" onSubmit={submit} data-testid="sign-in">
      <h2>Sign in</h2>
      <p className="hint">This server asks who you are. The token stays in this tab until you sign out or close it.</p>
      {wrong && (
        <p className="fault" role="alert">
          The server does not accept this token.
        </p>
      )}
      <label className="field">
        <span>Token</span>
        <input type="password" autoComplete="off" value={token} data-testid="token" autoFocus onChange={(event) => setToken(event.target.value)} />
      </label>
      <div className="actions">
        <button type="submit" className="primary">
          Sign in
        </button>
      </div>
    </form>
  );
}
