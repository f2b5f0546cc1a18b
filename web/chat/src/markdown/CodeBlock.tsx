import type { Root, RootContent } from "hast";
import { memo, useEffect, useState, type ReactNode } from "react";
import { Copy } from "../lib/Copy";
import { part } from "../../../react/lib/part";
import { spare } from "../lib/spare";
import { apart } from "../words/apart";

/** A text is coloured when it has not changed for so long, in milliseconds. */
const STILL_MS = 150;

interface Coloured {
  text: string;
  tree: Root;
}

/** A block of code, in colours where its language is known. What is still being written is coloured up to where it last rested. */
export const CodeBlock = memo(function CodeBlock({ text, language }: { text: string; language?: string }) {
  const [coloured, show] = useState<Coloured>();
  useEffect(() => {
    if (language === undefined) return;
    let left = false;
    let leave = () => {};
    const timer = setTimeout(async () => {
      // Without its colours it can be read as well.
      const colours = await part(() => import("./colours")).catch(() => undefined);
      if (!colours || left) return;
      leave = spare.ask(() => {
        const tree = colours.default(language, text);
        if (tree) show({ text, tree });
      });
    }, STILL_MS);
    return () => {
      left = true;
      leave();
      clearTimeout(timer);
    };
  }, [text, language]);
  const upTo = coloured && text.startsWith(coloured.text) ? coloured : undefined;
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{language}</span>
        <Copy text={text} label={apart.copyCode} hook="copy-code" />
      </div>
      <pre tabIndex={0} dir="ltr">
        <code data-coloured={upTo?.text === text || undefined}>
          {upTo && drawn(upTo.tree.children)}
          {upTo ? text.slice(upTo.text.length) : text}
        </code>
      </pre>
    </div>
  );
});

function drawn(nodes: readonly RootContent[]): ReactNode {
  return nodes.map((node, i) => {
    if (node.type === "text") return node.value;
    if (node.type !== "element") return null;
    return (
      <span key={i} className={(node.properties.className as string[] | undefined)?.join(" ")}>
        {drawn(node.children)}
      </span>
    );
  });
}
