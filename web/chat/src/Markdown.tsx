import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { steady } from "./steady";

// Text comes from agents. HTML in it stays text; links open elsewhere and tell nothing of here; pictures are named, not
// fetched: whoever wrote the text would learn that it is read.
const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) => <span className="hint">[picture: {alt || String(src ?? "")}]</span>,
  // A block that scrolls has to be reachable with the keyboard.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  table: ({ children }) => (
    <div className="scroll" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  // Headings of an answer are not those of the page.
  h1: ({ children }) => <p className="heading">{children}</p>,
  h2: ({ children }) => <p className="heading">{children}</p>,
  h3: ({ children }) => <p className="heading">{children}</p>,
  h4: ({ children }) => <p className="heading">{children}</p>,
  h5: ({ children }) => <p className="heading">{children}</p>,
  h6: ({ children }) => <p className="heading">{children}</p>,
  input: ({ checked }) => <span>{checked ? "☑" : "☐"}</span>,
};

const PLUGINS = [remarkGfm];

/** An agent's text. While it is being written, what is open is shown as if it were closed. */
export default memo(function Markdown({ text, growing }: { text: string; growing: boolean }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {growing ? steady(text) : text}
      </ReactMarkdown>
    </div>
  );
});
