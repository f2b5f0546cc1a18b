import type { ToolCall } from "@ag-ui/client";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { reasonOnly } from "../forms/question.js";
import { readArguments, sameJson } from "../forms/readjson.js";
import { ArgEdits, hasFields } from "./ArgEdits.js";
import { ArgFields } from "./ArgFields.js";
import { Fields } from "../forms/FormBody.js";
import { parse, stringify } from "../lib/json.js";
import { acted } from "../lib/Guarded.js";
import { JsonText } from "../lib/JsonText.js";
import { printed } from "../lib/jsonscan.js";
import { Misleading } from "../lib/Marked.js";
import { escaped } from "../lib/misleading.js";
import { worded } from "../lib/naming.js";
import { OrElse } from "../lib/OrElse.js";
import { part } from "../lib/part.js";
import { isObject, requiredOf, type Schema } from "../forms/schema.js";
import type { SchemaFormHandle } from "../forms/SchemaForm.js";
import { sizeWords } from "../lib/size.js";
import type { Strings } from "../lib/strings.js";
import { useStrings } from "../lib/words.js";
import { isFlag, isText, useTyped } from "../forms/typed.js";

interface Props {
  call?: ToolCall;
  editable: boolean;
  /** What its arguments are like. */
  args?: Schema;
  /** What the schema asks for beside the decision. */
  extras?: Schema;
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown) => void;
}

/** Approve, decline, or approve with other arguments. */
export function ApprovalBody({ call, editable, args, extras, given, locked, abandon, resolve }: Props) {
  const strings = useStrings();
  const { answer: words, decision, form: reading } = strings;
  const source = call?.function.arguments || "{}";
  const read = useMemo(() => printed(source), [source]);
  const proposed = read?.text ?? source;
  const [unseen, setUnseen] = useState(0);
  const { approved, editedArgs, ...beside } = isObject(given) ? given : {};
  const [edited, setEdited] = useTyped<string | undefined>("args", () => (editedArgs === undefined ? undefined : escaped(stringify(editedArgs, 2))), isText);
  const [asJson, setAsJson] = useTyped("args-as-json", () => edited !== undefined && !hasFields(edited, strings), isFlag);
  const [fault, setFault] = useState<string>();
  const form = useRef<SchemaFormHandle>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const decline = useRef<HTMLButtonElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  /** Where something is typed that cannot be read. */
  const unread = useRef(new Set<string>());
  // The usual question beside a decision needs no form to be loaded.
  const asksWhy = reasonOnly(extras);
  const [why, setWhy] = useTyped("why", typeof beside.reason === "string" ? beside.reason : "", isText);
  /** The reason is asked for once somebody is about to say no. */
  const [declines, setDeclines] = useTyped("declines", approved === false || why !== "", isFlag);
  const saysWhy = asksWhy !== undefined && declines;
  const leads = useRef(false);

  const decide = (decision: Record<string, unknown>) => {
    if (asksWhy) {
      resolve({ ...(saysWhy && why.trim() !== "" && { reason: why }), ...decision });
      return;
    }
    // What nobody was asked yet and nobody has to say does not stand in the way.
    const read = form.current ? form.current.read() : requiredOf(extras ?? {}).length === 0 ? { value: {} } : undefined;
    if (read) resolve({ ...(isObject(read.value) ? read.value : {}), ...decision });
  };
  const declined = ({ nativeEvent }: MouseEvent<HTMLButtonElement>) => {
    if (!asksWhy || declines) return decide({ approved: false });
    // A finger would have the keyboard of the screen come up, for what nobody has to say.
    leads.current = (nativeEvent as PointerEvent).pointerType !== "touch";
    // The second of two presses is for the same.
    acted();
    setDeclines(true);
  };
  /** Enter where the reason is typed presses the button of the no, which may be too soon for it; Escape leads back to where nothing was chosen. */
  const reasoned = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    if (event.key === "Enter") return decline.current?.click();
    setDeclines(false);
    decline.current?.focus();
  };
  const begin = () => {
    setAsJson(!read || read.twice.length > 0 || !hasFields(source, strings));
    setEdited(read ? escaped(proposed) : proposed);
  };
  const approveEdited = async () => {
    if (!asJson && unread.current.size > 0) {
      fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      return;
    }
    const read = readArguments(edited ?? "", reading);
    if ("fault" in read) {
      setFault(read.fault);
      return;
    }
    setFault(undefined);
    // What was opened and left as it was is approved as it was proposed.
    if (sameJson(read.value, source)) {
      decide({ approved: true });
      return;
    }
    const wrong = args && (await faultIn(args, read.value, strings));
    if (wrong === undefined) decide({ approved: true, editedArgs: read.value });
    else setFault(wrong);
  };
  const discard = () => {
    setEdited(undefined);
    setFault(undefined);
    unread.current.clear();
    requestAnimationFrame(() => edit.current?.focus());
  };
  const switched = () => {
    const { fault } = asJson ? { fault: undefined, ...readArguments(edited ?? "", reading) } : {};
    setFault(fault);
    unread.current.clear();
    if (fault === undefined) setAsJson(!asJson);
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      discard();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void approveEdited();
    }
  };

  return (
    <>
      {call && <Misleading text={edited === undefined ? `${call.function.name}\n${proposed}` : call.function.name} />}
      {read && read.twice.length > 0 && (
        <p className="misleading" role="note" data-testid="named-twice">
          <strong>{words.twice}</strong> {read.twice.slice(0, 5).map((name) => JSON.stringify(name)).join(", ")}. {words.twiceMeans}
        </p>
      )}
      {edited === undefined ? (
        call && (
          <ArgFields text={source} schema={args} hook="proposed-args" label={decision.proposed} hides={setUnseen} />
        )
      ) : (
        <div ref={fields} className="edits" onKeyDown={keyed}>
          {asJson ? (
            <JsonText
              label={words.arguments}
              hook="args-editor"
              value={edited}
              fault={fault}
              rows={Math.min(16, edited.split("\n").length + 1)}
              locked={locked}
              autoFocus
              change={setEdited}
            />
          ) : (
            <>
              <ArgEdits value={argumentsIn(edited)} schema={args} locked={locked} change={setEdited} reads={(place, readable) => note(unread.current, place, readable)} />
              {fault && (
                <span className="fault" role="alert">
                  {fault}
                </span>
              )}
            </>
          )}
          <div className="actions">
            <span className="hint keys">{words.keys}</span>
            {(!asJson || hasFields(source, strings)) && (
              <button type="button" className="quiet" data-edits data-testid="args-as-json" aria-pressed={asJson} onClick={switched}>
                {asJson ? words.editFields : words.editJson}
              </button>
            )}
          </div>
        </div>
      )}
      {saysWhy && (
        <label className="field">
          <span>
            {words.reason} <span className="hint">{words.reasonHint}</span> {edited === undefined && <span className="hint keys when-focused">{words.reasonKeys}</span>}
          </span>
          <input
            type="text"
            autoComplete="off"
            data-testid="field-reason"
            value={why}
            maxLength={asksWhy.most}
            disabled={locked}
            autoFocus={leads.current}
            onChange={(event) => setWhy(event.target.value)}
            onKeyDown={reasoned}
          />
        </label>
      )}
      {extras && !asksWhy && (
        <OrElse instead={<p className="fault">{words.notLoaded}</p>}>
          <Fields schema={extras} given={beside} locked={locked} handle={form} />
        </OrElse>
      )}
      <div className="actions">
        {edited === undefined ? (
          <>
            <button type="button" className={saysWhy ? undefined : "primary"} data-testid="approve" disabled={locked} onClick={() => decide({ approved: true })}>
              {unseen > 0 && call ? words.approveUnseen(sizeWords(unseen, strings)) : call || editable ? words.approve : words.yes}
            </button>
            <button
              type="button"
              ref={decline}
              className={saysWhy ? "primary refuses" : undefined}
              data-testid="decline"
              data-edits={asksWhy && !declines ? "" : undefined}
              aria-expanded={asksWhy && !declines ? false : undefined}
              title={decision.noIsAnAnswer}
              disabled={locked}
              onClick={declined}
            >
              {call || editable ? words.decline : words.no}
            </button>
            {editable && (
              <button type="button" ref={edit} data-edits data-testid="edit" aria-expanded={false} disabled={locked} onClick={begin}>
                {words.edit}
              </button>
            )}
          </>
        ) : (
          <>
            <button type="button" className="primary" data-testid="approve-edited" disabled={locked} onClick={() => void approveEdited()}>
              {words.approveEdited}
            </button>
            <button type="button" data-edits data-testid="discard-edits" onClick={discard}>
              {words.discardEdits}
            </button>
          </>
        )}
        {abandon}
      </div>
    </>
  );
}

/** What was read as fields before. */
function argumentsIn(edited: string): Record<string, unknown> {
  const value = parse(edited);
  return isObject(value) ? value : {};
}

/** What is told of a place holds for all within it. */
function note(unread: Set<string>, place: string, readable: boolean): void {
  if (!readable) unread.add(place);
  else for (const one of unread) if (one === place || one.startsWith(`${place}/`)) unread.delete(one);
}

/** What a tool's schema says against arguments, in a sentence. */
async function faultIn(schema: Schema, value: unknown, { fault }: Strings): Promise<string | undefined> {
  const { judge, told } = await part(() => import("../forms/judge.js"));
  const [first] = judge(schema, value, fault);
  return first && told(first.path.map(worded).join(" › ") || fault.theAnswer, [first.message], fault);
}
