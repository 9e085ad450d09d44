// Colours for code; the library comes when the first code is shown.
import type { HLJSApi } from "highlight.js";

const NAMES: Record<string, string> = {
  py: "python", python3: "python", sh: "bash", shell: "bash", zsh: "bash", console: "bash", js: "javascript", node: "javascript",
  ts: "typescript", yml: "yaml", html: "xml", svg: "xml",
};
const LONGEST = 60_000; // characters; longer code stays plain
export interface Token { text: string; kind: string }

let library: Promise<HLJSApi> | undefined;

async function load(): Promise<HLJSApi> {
  const all = await import("./languages");
  return all.hljs;
}

/** Code as pieces with kinds; together they are the code, to the letter. */
export async function tokens(source: string, language: string): Promise<Token[]> {
  const plain = [{ text: source, kind: "" }];
  if (source.length > LONGEST) return plain;
  const hljs = await (library ??= load());
  const name = NAMES[language.toLowerCase()] ?? language.toLowerCase();
  if (!hljs.getLanguage(name)) return plain;
  const html = hljs.highlight(source, { language: name, ignoreIllegals: true }).value;
  const found: Token[] = [];
  collect(new DOMParser().parseFromString(`<pre>\n${html}</pre>`, "text/html").querySelector("pre")!, "", found);
  return found.map((one) => one.text).join("") === source ? found : plain;
}

function collect(node: Node, kind: string, into: Token[]): void {
  for (const child of node.childNodes) {
    if (child instanceof Text) into.push({ text: child.data, kind });
    else collect(child, (child as Element).className || kind, into);
  }
}

export async function highlightInto(element: Element, source: string, language: string): Promise<void> {
  const found = await tokens(source, language);
  element.replaceChildren(...found.map(({ text, kind }) => {
    if (!kind) return document.createTextNode(text);
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  }));
}
