import { type FormEvent, useState } from "react";
import { signIn } from "./session";

/** Asks for a token. It is kept in memory until the tab is closed or reloaded. */
export function SignIn({ wrong }: { wrong: boolean }) {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") signIn(token.trim());
  };
  return (
    <form className="sign-in" onSubmit={submit} data-testid="sign-in">
      <h2>Sign in</h2>
      <p className="hint">This server asks who you are. The token stays in this tab and is forgotten with it.</p>
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
