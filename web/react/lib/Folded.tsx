import { memo, useEffect, useId, useMemo, useRef, useState, type RefObject } from "react";
import { folds, SHOWN } from "./folds.js";
import { Marked } from "./Marked.js";
import { isProse } from "./prose.js";
import { bytesOf, sizeWords, useDigest } from "./size.js";
import { useStrings } from "./words.js";

/** A text is drawn in parts of this length, so that those out of sight cost nothing, in characters. */
const PART = 16_384;

interface Props {
  text: string;
  /** What size and digest are told of, where the text is only how that is shown. */
  source?: string;
  json?: boolean;
  /** Somebody wrote it to be read: it has the letters of what stands around it. */
  prose?: boolean;
  hook: string;
  label: string;
  /** It was asked for, and is shown as it is. */
  whole?: boolean;
  /** Hears how many bytes are not shown. */
  hides?: (bytes: number) => void;
}

/** A text to read before deciding. A long one is folded, and says how much of it is, with its size and its digest. */
export function Folded({ text, source = text, json = true, prose = false, hook, label, whole = false, hides }: Props) {
  const strings = useStrings();
  const { locale, text: words } = strings;
  const box = useRef<HTMLPreElement>(null);
  const below = useBelow(box);
  const long = !whole && folds(text);
  // Opened for this text, and not for what may come in its place.
  const [opened, open] = useState<string>();
  const all = !long || opened === text;
  const id = useId();
  const end = useMemo(() => (all ? text.length : cutBefore(text, SHOWN)), [all, text]);
  const hidden = useMemo(() => (all ? 0 : bytesOf(text.slice(end))), [all, text, end]);
  const total = useMemo(() => (long ? bytesOf(text).toLocaleString(locale) : ""), [long, text, locale]);
  const size = useMemo(() => (long ? sizeWords(bytesOf(source), strings) : ""), [long, source, strings]);
  useEffect(() => hides?.(hidden), [hides, hidden]);
  return (
    <>
      <div className="scrolls">
        <pre ref={box} id={id} className={prose ? "prose" : undefined} dir={prose ? "auto" : undefined} data-testid={hook} tabIndex={0} aria-label={label}>
          {text.length <= PART ? <Marked text={all ? text : text.slice(0, end)} json={json} /> : <Parts text={text} end={end} json={json} />}
        </pre>
        {below && (
          // By keys the box itself is scrolled.
          <button type="button" className="more-below" data-edits data-testid="more-below" tabIndex={-1} aria-hidden onClick={() => box.current?.scrollBy({ top: box.current.clientHeight * 0.8, behavior: "smooth" })}>
            {words.moreBelow}
          </button>
        )}
      </div>
      {long && (
        <div className="fold" data-testid="fold" data-hidden={hidden}>
          <span>
            {all ? (
              `${words.shown(total)} `
            ) : (
              <strong>{words.hidden(hidden.toLocaleString(locale), total)} </strong>
            )}
            {source !== text && `${words.asSent(size)} `}
          </span>
          <button type="button" data-edits data-testid="unfold" aria-expanded={all} aria-controls={id} onClick={() => open(all ? undefined : text)}>
            {all ? words.showLess : words.showAll}
          </button>
          <Digest source={source} />
        </div>
      )}
    </>
  );
}

/** Whether there is more below what a box shows. */
function useBelow(box: RefObject<HTMLElement | null>): boolean {
  const [below, tell] = useState(false);
  useEffect(() => {
    const shown = box.current!;
    const look = () => tell(shown.scrollHeight - shown.scrollTop - shown.clientHeight > 8);
    const resized = new ResizeObserver(look);
    resized.observe(shown);
    shown.addEventListener("scroll", look, { passive: true });
    return () => {
      resized.disconnect();
      shown.removeEventListener("scroll", look);
    };
  }, [box]);
  return below;
}

const Parts = memo(function Parts({ text, end, json }: { text: string; end: number; json: boolean }) {
  const parts: Array<{ at: number; text: string }> = [];
  for (let at = 0; at < end; ) {
    const next = Math.min(end, cutBefore(text, at + PART, at));
    parts.push({ at, text: text.slice(at, next) });
    at = next;
  }
  return parts.map(({ at, text }, i) => (
    <span key={at} className={i < parts.length - 1 && !text.endsWith("\n") ? "part goes-on" : "part"}>
      <Marked text={text} json={json} />
    </span>
  ));
});

/** A paragraph as somebody wrote it; a long one is folded. */
export function Paragraph({ text, hook, label }: { text: string; hook?: string; label: string }) {
  if (folds(text)) return <Folded text={text} json={false} prose={isProse(text)} hook={hook ?? "long-text"} label={label} />;
  return (
    <p className="text" data-testid={hook} dir="auto">
      <Marked text={text} />
    </p>
  );
}

/** The end of the last line that ends not long before a place; without one the place itself, between two characters. */
function cutBefore(text: string, place: number, from = 0): number {
  if (place >= text.length) return text.length;
  const line = text.lastIndexOf("\n", place - 1) + 1;
  if (line > from + (place - from) / 2) return line;
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code < 0xe000 ? place - 1 : place;
}

/** How much of a digest tells texts apart at a glance, in digits. */
const GLANCE = 12;

function Digest({ source }: { source: string }) {
  const { text: words } = useStrings();
  const digest = useDigest(source);
  const [full, show] = useState(false);
  if (digest === undefined) return null;
  if (digest === null) return <span className="hint">{words.noDigest}</span>;
  return (
    <span className="digest">
      SHA-256 <code data-testid="digest">{full ? digest : `${digest.slice(0, GLANCE)}…`}</code>{" "}
      <button type="button" className="quiet" data-edits data-testid="full-digest" aria-expanded={full} onClick={() => show(!full)}>
        {full ? words.shorten : words.inFull}
      </button>
    </span>
  );
}
