// What a model says, as Markdown: made into HTML, cleaned, and put in piece by piece while it grows.
import DOMPurify from "dompurify";
import { marked, type Token, type TokensList } from "marked";
import { useLayoutEffect, useRef } from "preact/hooks";
import { api } from "./api";
import { highlightInto } from "./highlight";
import { tamePlain } from "./output";

const TAGS = [
  "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "b", "i", "del", "code", "pre", "blockquote",
  "ul", "ol", "li", "a", "img", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub", "kbd", "span", "input",
];
const ATTRIBUTES = ["href", "src", "alt", "title", "class", "start", "align", "type", "checked", "disabled"];
const HARMLESS = /^<\/?(?:br|hr|sub|sup|kbd|b|i|em|strong|del|p)\s*\/?>\s*$/i;

// HTML in Markdown is shown as the text that it is, but for a few tags without attributes: the
// cleaning below is the second wall, not the first.
marked.use({
  renderer: {
    html({ text }) {
      if (HARMLESS.test(text)) return text;
      return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
    },
  },
});

const WEB = /^(https?:|mailto:)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The HTML of Markdown, without anything that could run or reach out. */
export function cleanHtml(html: string, session: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    // Links keep whatever they have until `settle` looks at them: a path in the workspace is one.
    ALLOWED_URI_REGEXP: /^(?!\s*(?:javascript|vbscript):)/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll("a")) settleLink(link, session);
  for (const picture of fragment.querySelectorAll("img")) settlePicture(picture, session);
  for (const box of fragment.querySelectorAll("input")) settleBox(box);
  for (const one of fragment.querySelectorAll("[class]")) {
    if (!/^language-[\w+#-]+$/.test(one.className)) one.removeAttribute("class");
  }
  for (const table of fragment.querySelectorAll("table")) wrapTable(table);
  return fragment;
}

/** A link leads to the web in a new tab, or to a file of the workspace; others are plain text. */
function settleLink(link: HTMLAnchorElement, session: string): void {
  const target = link.getAttribute("href") ?? "";
  const path = pathInWorkspace(target);
  if (WEB.test(target)) {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  } else if (path && session) {
    link.href = api.fileAddress(session, path);
    link.setAttribute("download", "");
  } else link.replaceWith(...link.childNodes);
}

/** A picture of the web is never fetched: it becomes a link. One of the workspace is shown. */
function settlePicture(picture: HTMLImageElement, session: string): void {
  const source = picture.getAttribute("src") ?? "";
  const path = pathInWorkspace(source);
  if (/^data:image\/(png|jpeg|gif|webp);base64,/i.test(source)) picture.alt ||= "picture";
  else if (path && session) {
    picture.src = api.fileAddress(session, path);
    picture.alt ||= path;
  } else if (WEB.test(source)) {
    const link = document.createElement("a");
    link.href = source;
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
    link.textContent = picture.alt || source;
    picture.replaceWith(link);
  } else picture.replaceWith(picture.alt);
}

function settleBox(box: HTMLInputElement): void {
  const mark = document.createElement("span");
  mark.textContent = box.checked ? "☑ " : "☐ ";
  box.replaceWith(mark);
}

function wrapTable(table: HTMLTableElement): void {
  const scroller = document.createElement("div");
  scroller.className = "table-scroll";
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", "Table");
  table.replaceWith(scroller);
  scroller.append(table);
}

/** The path of a file that a link names: relative, or as models write it, `sandbox:/mnt/data/…`. */
function pathInWorkspace(target: string): string {
  const plain = target.replace(/^sandbox:(?:\/+mnt\/data\/+)?/i, "").replace(/[?#].*$/s, "");
  if (!plain || SCHEME.test(plain) || plain.startsWith("/") || plain.includes("\\")) return "";
  try {
    return decodeURIComponent(plain);
  } catch {
    return "";
  }
}

function rendered(token: Token, links: TokensList["links"], session: string): HTMLElement {
  const element = document.createElement("div");
  const one = Object.assign([token], { links }) as TokensList;
  element.append(cleanHtml(marked.parser(one), session));
  for (const code of element.querySelectorAll("pre > code")) highlightFence(code);
  return element;
}

function highlightFence(code: Element): void {
  const language = /^language-(.+)$/.exec(code.className)?.[1] ?? "";
  (code.parentElement as HTMLElement).tabIndex = 0;
  if (language) void highlightInto(code, code.textContent ?? "", language);
}

/** Prose: of a text that grows, only the last piece is made anew. */
export function Markdown({ text, session }: { text: string; session: string }) {
  const place = useRef<HTMLDivElement>(null);
  const raws = useRef<string[]>([]);
  useLayoutEffect(() => {
    const parent = place.current!;
    const tokens = marked.lexer(tamePlain(text), { gfm: true });
    let at = 0;
    for (const token of tokens) {
      if (token.type === "space") continue;
      if (raws.current[at] !== token.raw) {
        const element = rendered(token, tokens.links, session);
        const old = parent.children[at];
        if (old) old.replaceWith(element);
        else parent.append(element);
        raws.current[at] = token.raw;
      }
      at++;
    }
    raws.current.length = at;
    while (parent.children.length > at) parent.lastChild!.remove();
  }, [text, session]);
  return <div class="prose" ref={place} />;
}
