import { type FormEvent, useEffect, useState } from "react";
import { refusedBearer, signIn } from "./session";
import { words } from "../words";

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
      <h2>{words.server.signIn}</h2>
      <p className="hint">{words.server.asksWho}</p>
      {wrong && (
        <p className="fault" role="alert">
          {words.server.tokenRefused}
        </p>
      )}
      <label className="field">
        <span>{words.server.token}</span>
        <input type="password" autoComplete="off" value={token} data-testid="token" autoFocus onChange={(event) => setToken(event.target.value)} />
      </label>
      <div className="actions">
        <button type="submit" className="primary">
          {words.server.signIn}
        </button>
      </div>
    </form>
  );
}
