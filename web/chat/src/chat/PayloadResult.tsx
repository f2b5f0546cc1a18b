import { useState } from "react";
import type { Payload } from "../../../client/payloads";
import { fetchPayload } from "../../../client/payloads";
import { pretty } from "../../../react/forms/readjson";
import { download } from "../server/download";
import { Folded } from "../../../react/lib/Folded";
import { Marked } from "../../../react/lib/Marked";
import { bearer } from "../server/session";
import { sizeWords } from "../../../react/lib/size";
import { locale, parts, words } from "../words";
import { apart } from "../words/apart";

/** More than this is not drawn, in bytes: it can be kept as a file. */
const DRAWN = 2 << 20;

const TEXTUAL = /^(text\/|application\/(json|xml|yaml|x-ndjson|[\w.-]+\+(json|xml))($|;))/i;

/** A result that travels by reference: how it begins, how large it is, and all of it when somebody asks. */
export default function PayloadResult({ payload }: { payload: Payload }) {
  const [all, show] = useState<string>();
  const [state, become] = useState<"rest" | "loading" | { failed: string }>("rest");
  const textual = TEXTUAL.test(payload.mediaType);
  const doing = (work: () => Promise<void>) => async () => {
    become("loading");
    try {
      await work();
      become("rest");
    } catch (error) {
      become({ failed: error instanceof Error ? error.message : String(error) });
    }
  };
  const load = doing(async () => show(await (await fetchPayload(payload, { token: bearer() || undefined })).text()));
  const keep = doing(() => download(`/payloads/${encodeURIComponent(payload.ref)}`, payload.name || "payload"));
  return (
    <div className="payload" data-testid="payload" data-ref={payload.ref} data-whole={all !== undefined} aria-busy={state === "loading"}>
      {all !== undefined ? (
        <Folded text={pretty(all)} source={all} whole hook="tool-result" label={words.chat.result} />
      ) : (
        payload.preview && (
          <pre data-testid="tool-result" tabIndex={0} aria-label={apart.resultBegins}>
            <Marked text={payload.preview} json={false} />
          </pre>
        )
      )}
      <div className="fold">
        <span data-testid="payload-size">
          {all === undefined && payload.preview ? `${apart.begins} ` : ""}
          {sizeWords(payload.size, parts)} {apart.sizeOf} <bdi>{payload.mediaType}</bdi>
          {payload.expiresAt && `, ${apart.until(new Date(payload.expiresAt).toLocaleString(locale))}`}.{" "}
        </span>
        {textual && payload.size <= DRAWN && (
          <button type="button" data-testid="payload-all" disabled={state === "loading"} aria-expanded={all !== undefined} onClick={() => (all === undefined ? void load() : show(undefined))}>
            {all === undefined ? words.chat.showAll : words.chat.showLess}
          </button>
        )}{" "}
        <button type="button" className="quiet" data-testid="payload-download" disabled={state === "loading"} onClick={() => void keep()}>
          {apart.download}
        </button>
      </div>
      {typeof state === "object" && (
        <p role="alert" className="fault" data-testid="payload-failed">
          {state.failed}
        </p>
      )}
    </div>
  );
}
