import type { Element, ElementContent } from "hast";
import { memo, useEffect, useState, type ReactNode } from "react";
import ReactMarkdown, { defaultUrlTransform, type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./CodeBlock";
import { drawnUpTo } from "./drawable";
import { mayHoldFormulas } from "./formulas";
import { part } from "../../../react/lib/part";
import { hostOf, Picture } from "./Picture";
import { steady } from "./steady";
import { apart } from "../words/apart";
import "../styles/markdown.css";
import "../styles/code.css";

/** A cell of figures: none of it goes on in another line. */
const FIGURES = /^[\s\d.,:;/%‰°$€£¥+\-−–—()×^'’_]*\d[\s\d.,:;/%‰°$€£¥+\-−–—()×^'’_a-zµ]*$/i;
const FIGURES_LENGTH = 40;

// Text comes from agents. HTML in it stays text; links open elsewhere and tell nothing of here; pictures are named, and not
// fetched unless somebody asks: whoever wrote the text would learn that it is read.
const COMPONENTS: Components = {
  a: ({ node, href, children }) => {
    if (!href) return <span>{children}</span>;
    // A picture is pressed itself, so that a link around it stands behind it.
    const pictured = holdsPicture(node);
    return (
      <>
        {pictured && <>{children} </>}
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {pictured ? apart.linkTo(hostOf(href) ?? apart.elsewhere) : children}
        </a>
      </>
    );
  },
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : undefined} alt={alt} />,
  pre: ({ node }) => <CodeBlock text={codeOf(node)} language={languageOf(node)} />,
  // A block that scrolls has to be reachable with the keyboard.
  table: ({ children }) => (
    <div className="scroll" role="region" aria-label={apart.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  td: ({ node, style, children }) => (
    <td style={style} className={isFigures(node) ? "figures" : undefined} dir="auto">
      {children}
    </td>
  ),
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  input: ({ checked }) => <span>{checked ? "☑" : "☐"}</span>,
};

/** Headings of an answer stand below those of the page. */
function heading(depth: number) {
  return ({ children }: { children?: ReactNode }) => (
    <p className={`heading heading-${depth}`} role="heading" aria-level={Math.min(depth + 2, 6)} dir="auto">
      {children}
    </p>
  );
}

const PLUGINS: Options["remarkPlugins"] = [remarkGfm];

type Maths = typeof import("./maths").default;
let loaded: Maths | undefined;

/** An agent's text, as far as it is drawn at all. While it is being written, what is open is shown as if it were closed. */
export default memo(function Markdown({ text, growing }: { text: string; growing: boolean }) {
  const end = drawnUpTo(text);
  const left = text.slice(end);
  return (
    <div className="markdown">
      {end > 0 && <Drawn text={growing && left === "" ? steady(text) : text.slice(0, end)} />}
      {left !== "" && (
        <div data-testid="not-drawn">
          <p className="hint">{end > 0 ? apart.writtenFromHere : apart.written}</p>
          <p className="text" dir="auto">
            {left}
          </p>
        </div>
      )}
    </div>
  );
});

const Drawn = memo(function Drawn({ text }: { text: string }) {
  const formulas = mayHoldFormulas(text);
  const [maths, use] = useState(() => loaded);
  useEffect(() => {
    if (!formulas || maths) return;
    let left = false;
    // Without it formulas are read as they were written.
    void part(() => import("./maths"))
      .then((module) => {
        loaded = module.default;
        if (!left) use(loaded);
      })
      .catch(() => {});
    return () => {
      left = true;
    };
  }, [formulas, maths]);
  const drawn = formulas ? maths : undefined;
  return (
    <ReactMarkdown
      remarkPlugins={drawn ? [...PLUGINS!, ...drawn.remark] : PLUGINS}
      rehypePlugins={drawn?.rehype}
      components={COMPONENTS}
      urlTransform={(url, key) => (key === "src" && url.startsWith("data:image/") ? url : defaultUrlTransform(url))}
    >
      {text}
    </ReactMarkdown>
  );
});

function textOf(nodes: readonly ElementContent[]): string {
  return nodes.map((node) => (node.type === "text" ? node.value : node.type === "element" ? textOf(node.children) : "")).join("");
}

function holdsPicture(node: Element | undefined): boolean {
  return node?.children.some((child) => child.type === "element" && (child.tagName === "img" || holdsPicture(child))) ?? false;
}

function codeOf(node: Element | undefined): string {
  return textOf(node?.children ?? []).replace(/\n$/, "");
}

function languageOf(node: Element | undefined): string | undefined {
  const code = node?.children[0];
  const names = code?.type === "element" && Array.isArray(code.properties.className) ? code.properties.className : [];
  return names.map(String).find((name) => name.startsWith("language-"))?.slice("language-".length);
}

function isFigures(node: Element | undefined): boolean {
  const text = textOf(node?.children ?? []);
  return text.length <= FIGURES_LENGTH && FIGURES.test(text);
}
