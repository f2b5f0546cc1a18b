import { useId } from "react";
import { readArguments, readJson } from "../forms/readjson.js";
import { stringify } from "../lib/json.js";
import { JsonText } from "../lib/JsonText.js";
import { Misleading } from "../lib/Marked.js";
import { escaped } from "../lib/misleading.js";
import { useStrings } from "../lib/words.js";
import { isFlag, isText, useTyped } from "../forms/typed.js";

interface Props {
  /** What may be said: any text and any JSON, or JSON objects alone. */
  takes: "any" | "object";
  /** What was answered before in words of one's own. */
  given?: unknown;
  locked: boolean;
  resolve: (payload: unknown) => void;
}

/** An answer that no button says: a text, or JSON, which is read while it is typed. */
export function FreeAnswer({ takes, given, locked, resolve }: Props) {
  const { answer: words, form } = useStrings();
  const said = typeof given === "string" && takes === "any";
  const [json, setJson] = useTyped("is-json", takes === "object" || (given !== undefined && !said), isFlag);
  const [typed, setTyped] = useTyped("free", () => (given === undefined ? "" : said ? given : escaped(stringify(given, 2))), isText);
  const id = useId();
  const empty = typed.trim() === "";
  const read = !json ? { value: typed } : takes === "object" ? readArguments(typed, form) : readJson(typed, form);
  const fault = "fault" in read && !empty ? read.fault : undefined;
  return (
    <>
      {json ? (
        <JsonText label={words.asJson} hook="answer-json" value={typed} fault={fault} rows={3} locked={locked} change={setTyped} />
      ) : (
        <div className="field">
          <label htmlFor={id}>{words.asText}</label>
          <textarea id={id} data-testid="answer-text" rows={3} dir="auto" value={typed} disabled={locked} onChange={(event) => setTyped(event.target.value)} />
          <Misleading text={typed} />
        </div>
      )}
      <div className="actions">
        <button type="button" data-testid="submit-answer" disabled={locked || empty || "fault" in read} onClick={() => "value" in read && resolve(read.value)}>
          {json ? words.sendJson : words.sendText}
        </button>
        {takes === "any" && (
          <label className="check">
            <input type="checkbox" checked={json} data-testid="answer-is-json" disabled={locked} onChange={(event) => setJson(event.target.checked)} />
            <span>{words.isJson}</span>
          </label>
        )}
      </div>
    </>
  );
}
