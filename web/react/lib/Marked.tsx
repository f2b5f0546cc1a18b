import { Fragment, memo, type ReactNode } from "react";
import { misleading, pieces, visible, type Piece } from "./misleading.js";
import { useStrings } from "./words.js";

/** More marks than this in one text are written out instead of drawn. */
const MARKS = 500;

const RTL = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const STRINGS = /("(?:[^"\\\n]|\\.)*")/;

interface Props {
  text: string;
  /** It is JSON, whose strings turn nothing around but themselves. */
  json?: boolean;
}

/**
 * A text in which nothing hides: what would not be seen, and letters that pass for others, are marked. The characters
 * themselves stay where they are, for whoever copies them.
 */
export const Marked = memo(function Marked({ text, json = false }: Props): ReactNode {
  if (!json || !RTL.test(text)) return <Pieces text={text} />;
  return text.split(STRINGS).map((part, i) =>
    i % 2 === 1 && RTL.test(part) ? (
      <bdi key={i}>
        <Pieces text={part} />
      </bdi>
    ) : (
      <Pieces key={i} text={part} />
    ),
  );
});

function Pieces({ text }: { text: string }): ReactNode {
  const found = pieces(text, useStrings().text);
  if (found.length === 1 && found[0]!.marks === undefined) return text;
  let marks = 0;
  return found.map((piece, i) => {
    if (piece.marks === undefined) return <Fragment key={i}>{piece.text}</Fragment>;
    return ++marks > MARKS ? <Fragment key={i}>{visible(piece.text)}</Fragment> : <Mark key={i} piece={piece} />;
  });
}

function Mark({ piece: { text, marks, hidden } }: { piece: Piece }) {
  const [first, ...more] = marks!.split(", ");
  const code = `${first!.split(" ", 1)[0]}${more.length > 0 || / more$/.test(marks!) ? "…" : ""}`;
  return (
    <span className="mark" role="img" aria-label={marks} title={marks} data-testid="mark" data-code={hidden ? code : undefined}>
      {text}
    </span>
  );
}

/** Says what misleads in texts that somebody decides about; nothing where nothing does. */
export const Misleading = memo(function Misleading({ text }: { text: string }) {
  const { text: words } = useStrings();
  const said = misleading(text, words);
  if (said.length === 0) return null;
  return (
    <p className="misleading" role="note" data-testid="misleading">
      <strong>{words.misleads}</strong> {visible(said.join("; "))}.
    </p>
  );
});
