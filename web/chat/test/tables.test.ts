// What the page and its parts say stands in their tables, which say the same in each language.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { GERMAN } from "../../react/lib/german";
import { ENGLISH } from "../../react/lib/strings";
import { de } from "../src/words/de";
import { en } from "../src/words/en";
import { apart } from "../src/words/en.apart";
import { inbox } from "../src/words/en.inbox";
import { ops } from "../src/words/en.ops";

/** Names, which are the same in every language. */
const SAME = new Set(["aguiws", "Bearer", "Esc", "Redis", "SHA-256"]);

/** What browsers call so. */
const CALLED = new Set(["Enter", "Escape", "Files", "Notification", "Tab"]);

/** What the code calls so. */
const ACTS = new Set(["approve chosen", "decline chosen"]);

/** What the server keeps of an operator's doing, which is read in any language. */
const KEPT = new Set(["by an operator", "cancelled by an operator", "interrupted by an operator"]);

/** Calls that take a selector. */
const SELECTS = /\.(?:closest|matches|querySelector(?:All)?)$/;

/** Classes that are chosen in the code. */
const CLASSES = /^(?:tag|hint) [\w-]+$/;

/** A call that wants no words: only whether there is a fault is asked for. */
const UNHEARD = new Set(["react/forms/wording.ts readJson(message)"]);

/** Attributes that are read to somebody, or are handed on to such. */
const SAID = new Set(["title", "alt", "placeholder", "label", "of", "nothing", "summary", "aria-label", "aria-description", "aria-roledescription", "aria-valuetext"]);

const root = fileURLToPath(new URL("../../", import.meta.url));
const within = (folder: string, but: RegExp) => (readdirSync(root + folder, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file) && !but.test(file)).map((file) => `${folder}/${file}`);
const page = within("chat/src", /^words\//);
const parts = within("react", /^(?:dist|types|test|node_modules)\/|^lib\/(?:strings|german)\.ts$/);
const read = (file: string) => ts.createSourceFile(file, readFileSync(root + file, "utf8"), ts.ScriptTarget.Latest, true);

type Found = (node: ts.Node, what?: string) => void;

/** Looks at all of a file; `look` answers whether it has seen to what is within. */
function walked(files: readonly string[], look: (node: ts.Node, found: Found) => boolean | void): string[] {
  const list: string[] = [];
  for (const file of files) {
    const source = read(file);
    const found: Found = (node, what = node.getText().trim()) => list.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${what}`);
    const visit = (node: ts.Node): void => {
      if (!look(node, found)) ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return list;
}

const speaks = (text: string) => /\p{L}/u.test(text) && !SAME.has(text.trim());

/** The literals that an expression may come to. */
function literals(node: ts.Node | undefined): ts.Node[] {
  if (!node) return [];
  if (ts.isStringLiteralLike(node)) return speaks(node.text) ? [node] : [];
  if (ts.isTemplateExpression(node)) {
    const spoken = [node.head, ...node.templateSpans.map(({ literal }) => literal)].some(({ text }) => speaks(text.replaceAll(/aguiws/g, "")));
    return [...(spoken ? [node] : []), ...node.templateSpans.flatMap(({ expression }) => literals(expression))];
  }
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return /^(?:\?\?|\|\||\+)$/.test(node.operatorToken.getText()) ? [...literals(node.left), ...literals(node.right)] : /^(?:&&|,)$/.test(node.operatorToken.getText()) ? literals(node.right) : [];
  if (ts.isParenthesizedExpression(node) || ts.isJsxExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)) return literals(node.expression);
  return [];
}

describe("in the sources", () => {
  it("stands no text between elements or in an attribute that is read", () => {
    const said = walked([...page, ...parts], (node, found) => {
      if (ts.isJsxText(node) && speaks(node.text)) found(node);
      if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) literals(node).forEach((one) => found(one));
      if (ts.isJsxAttribute(node) && SAID.has(node.name.getText())) literals(node.initializer).forEach((one) => found(one));
    });
    expect(said).toEqual([]);
  });

  // A sentence that is made elsewhere comes to the page later.
  it("stands no sentence", () => {
    const sentence = /^(?:\p{Lu}?\p{Ll}+(?:'s|,|:)? )+\p{Ll}+|^\p{Lu}\p{Ll}+(?:…|\.|$)/u;
    const said = walked([...page], (node, found) => {
      if (ts.isImportDeclaration(node) || (ts.isJsxAttribute(node) && !SAID.has(node.name.getText()))) return true;
      if (ts.isLiteralTypeNode(node) || (ts.isCallExpression(node) && SELECTS.test(node.expression.getText()))) return true;
      if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node) && !ts.isTemplateMiddleOrTemplateTail(node)) return false;
      const text = node.text.trim();
      if (sentence.test(text) && speaks(text) && !CALLED.has(text) && !ACTS.has(text) && !KEPT.has(text) && !CLASSES.test(text)) found(node);
      return false;
    });
    expect(said).toEqual([]);
  });

  it("keeps nothing of a table when it is loaded", () => {
    const tables = new Set(["words", "parts", "locale"]);
    const kept = walked(page, (node, found) => {
      if (ts.isFunctionLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
      if (ts.isIdentifier(node) && tables.has(node.text)) found(node.parent);
      if (ts.isClassDeclaration(node) || ts.isImportDeclaration(node)) return true;
      return false;
    });
    expect(kept).toEqual([]);
  });

  it("writes no number and no time in a language of its own", () => {
    const written = walked([...page, ...parts], (node, found) => {
      const writes = ts.isCallExpression(node) ? /\.toLocale\w*String$/.test(node.expression.getText()) : ts.isNewExpression(node) && /^Intl\./.test(node.expression.getText());
      if (!writes) return;
      const [locale] = (node as ts.CallExpression | ts.NewExpression).arguments ?? [];
      if (!locale || ts.isStringLiteralLike(locale)) found(node);
    });
    expect(written).toEqual([]);
  });

  it("says nothing in English because nobody gave it words", () => {
    const needs = new Map<string, number>();
    walked(parts, (node) => {
      if (!ts.isFunctionDeclaration(node) || !node.name) return false;
      const at = node.parameters.findIndex(({ initializer }) => initializer && /^ENGLISH\b/.test(initializer.getText()));
      if (at >= 0) needs.set(`${node.getSourceFile().fileName.replace(/^react\/|\.tsx?$/g, "")} ${node.name.text}`, at);
      return false;
    });
    expect(needs.size).toBeGreaterThan(10);
    const spoken = walked([...page, ...parts], (node, found) => {
      if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return false;
      const imported = importedFrom(node.getSourceFile(), node.expression.text);
      const at = needs.get(`${imported} ${node.expression.text}`);
      if (at !== undefined && node.arguments.length <= at && !UNHEARD.has(`${node.getSourceFile().fileName} ${node.getText()}`)) found(node);
      return false;
    });
    expect(spoken).toEqual([]);
  });
});

/** The file of the parts that a name is imported from, or stands in. */
function importedFrom(source: ts.SourceFile, name: string): string {
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const named = statement.importClause?.namedBindings;
    if (!named || !ts.isNamedImports(named) || !named.elements.some((one) => one.name.text === name)) continue;
    const { pathname } = new URL(statement.moduleSpecifier.text, `file:///${source.fileName}`);
    return pathname.replace(/^\/react\//, "").replace(/\.js$/, "");
  }
  return source.fileName.replace(/^react\/|\.tsx?$/g, "");
}

/** Every word of a table by its place, and for one that is made of others, which of them it has. */
function wordsOf(table: unknown, place = ""): Array<[place: string, holds: string]> {
  if (typeof table === "string") return [[place, table.trim() === "" ? "nothing" : "a text"]];
  if (typeof table === "function") {
    // A list that is one name reads as that name, joined or not.
    const names = ["first", "second", "third"].map((name) => [`‹${name}›`]);
    const said = String(table(...names));
    return [[place, names.flat().filter((name) => said.includes(name)).join()]];
  }
  return Object.entries(table as object).sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([name, within]) => wordsOf(within, `${place}/${name}`));
}

it.each<[string, unknown, unknown]>([
  ["the page", en, de.page],
  ["what is loaded later", apart, de.apart],
  ["the inbox", inbox, de.inbox],
  ["the operator's view", ops, de.ops],
  ["its parts", ENGLISH, GERMAN],
])("says in German what it says in English: %s", (_, english, german) => {
  expect(wordsOf(german)).toEqual(wordsOf(english));
});
