// What a block prints: lines with colours, and nothing else that escape codes can do. The rule is
// that of src/interpreter/protocol/visible.py.
import { visible } from "./visible";

const ONE =
  "(?:[34]8[;:](?:5[;:]\\d{1,3}|2::?\\d{1,3}:\\d{1,3}:\\d{1,3}|2;\\d{1,3};\\d{1,3};\\d{1,3})" +
  "|0*(?:[1-4]|7|9|2[1-79]|[34][0-79]|9[0-7]|10[0-7]|4:[0-5])?)";
const COLOURS_ONLY = new RegExp(`^\\x1b\\[${ONE}(?:;${ONE}){0,15}m$`, "u");
const NOT_TEXT = new RegExp(
  "\\x1b\\[[0-?]*[ -\\/]*[@-~]" +
    "|\\x1b[P\\]X^_][^\\x07\\x1b\\n]*(?:\\x07|\\x1b\\\\)" +
    "|\\x1b[ -\\/]+[0-~]|\\x1b[0-OQ-WYZ\\\\`-~]" +
    "|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]" +
    "|[\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff" +
    "\\ufff9-\\ufffb\\u{e0000}-\\u{e00ff}]",
  "gu",
);
const MAYBE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/;
const SGR = /\x1b\[([0-9;:]*)m/g;
const ERASES = /\x1b\[[0-2]?[JK]/;
const LONGEST = 8192; // characters of a line before it is cut into pieces, for the page's sake

/** Foreign output with its colours and line ends only: no cursor, title, clipboard or bell. */
export function tame(text: string): string {
  if (!MAYBE.test(text)) return text;
  return text.replace(NOT_TEXT, (piece) => {
    const control = piece < " " || (piece >= "\x7f" && piece < "\xa0");
    if (!control) return visible(piece);
    return COLOURS_ONLY.test(piece) ? piece : "";
  });
}

/** Foreign text without any escape code or control character. */
export function tamePlain(text: string): string {
  return tame(text).replace(SGR, "");
}

export interface Line { text: string; stderr: boolean; ends: boolean }

/** Lines as a terminal would show them: a carriage return goes back to the beginning of a line. */
export class OutputLog {
  readonly lines: Line[] = [];
  rest = "";
  private restIsError = false;
  private column = 0;
  onChange: () => void = () => undefined;

  get restLine(): Line {
    return { text: this.rest, stderr: this.restIsError, ends: false };
  }

  get isEmpty(): boolean {
    return !this.lines.length && !this.rest;
  }

  add(text: string, stream: "stdout" | "stderr"): void {
    const pieces = text.split("\n");
    const stderr = stream === "stderr";
    const plain = !text.includes("\r");
    pieces.forEach((piece, place) => {
      if (plain && !this.rest && place < pieces.length - 1 && piece.length <= LONGEST) {
        this.lines.push({ text: piece, stderr, ends: true }); // as nearly all are
        return;
      }
      if (this.rest && stderr !== this.restIsError) this.cut(false);
      this.restIsError = stderr;
      this.write(piece);
      if (place < pieces.length - 1) this.cut(true);
      else if (this.rest.length > LONGEST) this.cut(false);
    });
    this.onChange();
  }

  clear(): void {
    this.lines.length = 0;
    this.rest = "";
    this.column = 0;
    this.onChange();
  }

  private write(piece: string): void {
    piece.split("\r").forEach((part, place) => {
      if (place) this.column = 0;
      if (!part) return;
      const before = this.rest, at = this.column;
      if (at === before.length) this.rest += part;
      else if (ERASES.test(part) || before.includes("\x1b")) this.rest = before.slice(0, at) + part;
      else this.rest = before.slice(0, at) + part + before.slice(at + part.length);
      this.column = at + part.length;
    });
  }

  private cut(ends: boolean): void {
    for (let at = 0; at === 0 || at < this.rest.length; at += LONGEST) {
      const last = at + LONGEST >= this.rest.length;
      this.lines.push({ text: this.rest.slice(at, at + LONGEST), stderr: this.restIsError, ends: ends && last });
    }
    this.rest = "";
    this.column = 0;
  }
}

/** Puts lines into an element as text, with spans where they have colours. */
export class Painter {
  constructor(private style: string[] = []) {}

  /** One that goes on with the same colours and leaves this one as it is. */
  copy(): Painter {
    return new Painter(this.style);
  }

  paint(lines: readonly Line[], into: Node): void {
    let plain = "";
    let plainIsError = false;
    const flush = () => {
      if (plain) into.appendChild(pieceOf(plain, plainIsError, []));
      plain = "";
    };
    for (const line of lines) {
      const text = tame(line.text) + (line.ends ? "\n" : "");
      const simple = !text.includes("\x1b") && !this.style.length;
      if (simple) {
        if (line.stderr !== plainIsError) flush();
        plainIsError = line.stderr;
        plain += text;
        continue;
      }
      flush();
      this.coloured(text, line.stderr, into);
    }
    flush();
  }

  private coloured(text: string, stderr: boolean, into: Node): void {
    let at = 0;
    for (const found of text.matchAll(SGR)) {
      if (found.index > at) into.appendChild(pieceOf(text.slice(at, found.index), stderr, this.style));
      this.style = styleAfter(this.style, found[1]!);
      at = found.index + found[0].length;
    }
    if (at < text.length) into.appendChild(pieceOf(text.slice(at), stderr, this.style));
  }
}

function pieceOf(text: string, stderr: boolean, style: readonly string[]): Node {
  if (!stderr && !style.length) return document.createTextNode(text);
  const span = document.createElement("span");
  span.className = [...style, ...(stderr ? ["err"] : [])].join(" ");
  span.textContent = text;
  return span;
}

/** The classes that are on after a colour code: the sixteen named colours, bold, faint and so on. */
function styleAfter(style: readonly string[], codes: string): string[] {
  let now = [...style];
  const numbers = codes.split(/[;:]/).map(Number);
  const drop = (...kinds: string[]) => { now = now.filter((one) => !kinds.some((kind) => one.startsWith(kind))); };
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at]!;
    if (code === 0) now = [];
    else if (code === 1 || code === 2 || code === 3 || code === 4 || code === 9) now.push(`s${code}`);
    else if (code === 22) drop("s1", "s2");
    else if (code >= 23 && code <= 29) drop(`s${code - 20}`);
    else if (code === 38 || code === 48) {
      const named = numbers[at + 1] === 5 && numbers[at + 2]! < 16 ? numbers[at + 2]! : -1;
      drop(code === 38 ? "f" : "b");
      if (named >= 0) now.push(`${code === 38 ? "f" : "b"}${named}`);
      at += numbers[at + 1] === 5 ? 2 : numbers.length;
    } else if (code >= 30 && code <= 39) { drop("f"); if (code < 38) now.push(`f${code - 30}`); }
    else if (code >= 40 && code <= 49) { drop("b"); if (code < 48) now.push(`b${code - 40}`); }
    else if (code >= 90 && code <= 97) { drop("f"); now.push(`f${code - 82}`); }
    else if (code >= 100 && code <= 107) { drop("b"); now.push(`b${code - 92}`); }
  }
  return now;
}
