import type { Message } from "@ag-ui/client";
import { Fragment, lazy, memo, Suspense, useCallback, useDeferredValue, useRef, useState } from "react";
import { Attached } from "../files/Attached";
import { Copy } from "../lib/Copy";
import { Folded, Paragraph } from "../../../react/lib/Folded";
import { Branches, Editable, GoBack } from "./GoBack";
import { stringify } from "../../../react/lib/json";
import { mediaIn, saidIn, type Content } from "../files/media";
import { textOf } from "./messagetext";
import { worded } from "../../../react/lib/naming";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { partsOf, rowsOf, samePart, type Conversation, type Row } from "./rows";
import { clock } from "../../../react/lib/time";
import { dayWords } from "./times";
import { ToolCard } from "./ToolCard";
import { TurnMark } from "./TurnMark";
import { locale, words } from "../words";

/** Own messages that are longer are folded, in characters and in lines. */
const OWN = 1_500;
const OWN_LINES = 20;

/** A piece of code between fences, without the name of its language. */
const FENCED = /^```[^\n`]*\n([\s\S]*?)\n?```[ \t]*$/m;

/** Loaded with the first answer. */
const Markdown = lazy(() => part(() => import("../markdown/Markdown")));

/** The conversation. What is out of sight is in the page, so that it can be searched and read out, and is not laid out. */
export function MessageList({ retry, ...conversation }: Conversation & { retry: ((asked: Content) => void) | undefined }) {
  const [begins] = useState(() => new Set<string>());
  const parts = partsOf(rowsOf(conversation), begins);
  // One function for all time: parts are drawn anew for what they show alone.
  const last = useRef(retry);
  last.current = retry;
  const again = useCallback((asked: Content) => last.current?.(asked), []);
  return (
    <div role="log" aria-label={words.chat.conversation} className="conversation">
      {parts.map((rows) => (
        <Part key={rows[0]!.message.id} rows={rows} retry={retry && again} />
      ))}
      {conversation.running && (
        <div className="working" data-testid="working">
          <span className="visually-hidden">{words.chat.agentWorks}</span>
          <i aria-hidden="true" />
          <i aria-hidden="true" />
          <i aria-hidden="true" />
        </div>
      )}
    </div>
  );
}

const Part = memo(
  function Part({ rows, retry }: { rows: readonly Row[]; retry: ((asked: Content) => void) | undefined }) {
    return (
      <ol className="messages">
        {rows.map((row) => (
          <Fragment key={row.message.id}>
            {row.day !== undefined && (
              <li className="day" data-testid="day">
                {dayWords(row.day)}
              </li>
            )}
            <Item row={row} />
            {row.marks.map((mark, i) => {
              const last = row.again !== undefined && i === row.marks.length - 1;
              return (
                <li key={mark.key} className="message">
                  <TurnMark mark={mark} last={last} retry={last && retry ? () => retry(row.again!) : undefined} />
                </li>
              );
            })}
          </Fragment>
        ))}
      </ol>
    );
  },
  samePart,
);

function Item({ row: { message, growing, cards, by, used, at } }: { row: Row }) {
  const text = message.role === "assistant" || message.role === "user" ? saidIn(message.content) : "";
  const said = (
    <Editable message={message}>
      <Body message={message} growing={growing} />
    </Editable>
  );
  return (
    <li className={`message ${message.role}${by === undefined ? "" : " delegated"}`} data-testid="message" data-role={message.role} data-message-id={message.id}>
      {by !== undefined && (
        <span className="by" data-testid="subagent">
          {by}
        </span>
      )}
      {message.role === "user" ? <div className="bubble">{said}</div> : said}
      {cards.filter(({ open }) => !open).map((card) => (
        <ToolCard key={card.call.id} {...card} />
      ))}
      {used !== undefined && (
        <p className="hint" data-testid="used">
          {used}
        </p>
      )}
      {(text !== "" || (message.role === "user" && mediaIn(message.content).length > 0)) && !growing && (
        <div className="about">
          {text !== "" && <Copy text={text} label={message.role === "user" ? words.chat.copyMessage : words.chat.copyAnswer} hook="copy-message" />}
          <GoBack message={message} />
          {at !== undefined && (
            <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString(locale)} data-testid="said-at">
              {clock(new Date(at).toISOString(), Date.now(), { locale })}
            </time>
          )}
        </div>
      )}
      <Branches place={message.id} />
    </li>
  );
}

const Body = memo(function Body({ message, growing }: { message: Message; growing: boolean }) {
  if (message.role === "reasoning") {
    return (
      <details className="reasoning" data-testid="reasoning">
        <summary>{growing ? words.chat.thinking : words.chat.reasoning}</summary>
        <p className="text">{message.content}</p>
      </details>
    );
  }
  if (message.role === "activity") {
    return (
      <details className="reasoning" data-testid="activity">
        <summary>
          {words.chat.activity}: {worded(message.activityType)}
        </summary>
        <Folded text={stringify(message.content, 2)} hook="activity-content" label={words.chat.activity} />
      </details>
    );
  }
  const text = message.role === "user" ? saidIn(message.content) : textOf(message.content);
  return (
    <>
      {message.role === "user" && <Attached content={message.content} />}
      {text !== "" && (message.role === "assistant" ? <Answer text={text} growing={growing} /> : <Own text={text} />)}
    </>
  );
});

/** What a person has written: as it was written, but for pieces of code, which keep their columns. */
function Own({ text }: { text: string }) {
  if (!text.includes("```")) return <Shortened text={text} />;
  return text.split(FENCED).map((piece, i) =>
    i % 2 === 1 ? (
      <pre key={i} className="own-code" tabIndex={0} aria-label={words.chat.ownCode}>
        <code>{piece}</code>
      </pre>
    ) : (
      piece.trim() !== "" && <Shortened key={i} text={piece.trim()} />
    ),
  );
}

/** A long text, whose reader wants the answer. */
function Shortened({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const long = text.length > OWN || text.split("\n").length > OWN_LINES;
  return (
    <>
      <div className={long && !open ? "cut" : undefined}>
        <Paragraph text={text} label={words.chat.message} />
      </div>
      {long && (
        <button type="button" className="quiet" data-testid="whole-message" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.chat.showLess : words.chat.showAll}
        </button>
      )}
    </>
  );
}

function Answer({ text, growing }: { text: string; growing: boolean }) {
  // A long text takes longer to read than a frame lasts: what is typed elsewhere goes first.
  const shown = useDeferredValue(text);
  const plain = <p className="text">{text}</p>;
  return (
    <OrElse instead={plain}>
      <Suspense fallback={plain}>
        <Markdown text={growing ? shown : text} growing={growing} />
      </Suspense>
    </OrElse>
  );
}
