// What of an answer is said aloud: sentences as they are complete, and never code.
import type { Action } from "../events";

const ENDS = /[.!?…。！？][)"'”’»]*(?=\s|$)|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)/gu;
const NUMBERED = /(?:^|\s)(?:\d+|[A-Za-z]|e\.g|i\.e|z\.B|etc|Dr|Mr|Mrs|vs|approx|ca)\.$/u;
const LONGEST = 400; // characters that are said at once

/** Cuts a text that grows into sentences to be said. */
export class Sentences {
  private text = "";

  /** Those that are complete after this much more. */
  add(more: string): string[] {
    this.text += more;
    return this.cut(false);
  }

  /** What is left, at the end of an answer. */
  end(): string[] {
    const last = this.cut(true);
    this.text = "";
    return last;
  }

  private cut(all: boolean): string[] {
    const open = openFence(this.text);
    const ready = open < 0 ? this.text : this.text.slice(0, open);
    const found: string[] = [];
    let from = 0;
    for (const match of ready.matchAll(ENDS)) {
      const end = match.index + match[0].length;
      if (NUMBERED.test(ready.slice(from, end)) || (!all && open < 0 && end === ready.length)) continue;
      found.push(ready.slice(from, end));
      from = end;
    }
    const rest = this.text.slice(from);
    if (all || ready.length - from > LONGEST) {
      found.push(open < 0 ? rest : ready.slice(from));
      this.text = open < 0 || all ? "" : this.text.slice(open);
    } else this.text = rest;
    return found.map(plain).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  }
}

/** Where code begins that has not ended yet, or -1. */
function openFence(text: string): number {
  const fences = [...text.matchAll(/^\s*(```|~~~)/gmu)];
  return fences.length % 2 ? fences.at(-1)!.index : -1;
}

/** Words without the signs of Markdown; code, tables, formulas and addresses are not read aloud. */
export function plain(text: string): string {
  return text
    .replace(/^\s*(```|~~~)[\s\S]*?^\s*\1\s*$/gmu, " ")
    .replace(/^\s*\|.*$/gmu, " ")
    .replace(/\$\$[\s\S]*?\$\$/gu, " ")
    .replace(/!\[[^\]]*\]\([^)]*\)/gu, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replace(/https?:\/\/\S+/gu, " ")
    .replace(/`([^`\n]*)`/gu, (_, code: string) => (/^[\p{L}\p{N} _.-]{1,40}$/u.test(code) ? code.replaceAll("_", " ") : "some code"))
    .replace(/^\s*(?:#{1,6}|[-*+]|\d+[.)]|>)\s+/gmu, "")
    .replace(/[*_~#|<>]+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

const OUTCOMES: Record<string, string> = {
  failed: "It failed", interrupted: "It was stopped", timed_out: "It took too long and was stopped", died: "Its process died", declined: "It was not run",
};

/** What a block did, in a sentence. */
export function resultSentence(outcome: string, summary: string, files: number, pictures: number): string {
  if (outcome !== "ok") {
    const why = summary.split("\n")[0]?.slice(0, 160) ?? "";
    return `${OUTCOMES[outcome] ?? "It ended"}${why ? `: ${plain(why)}` : ""}.`;
  }
  const made = [
    pictures ? (pictures === 1 ? "shows a picture" : `shows ${pictures} pictures`) : "",
    files ? (files === 1 ? "changed one file" : `changed ${files} files`) : "",
  ].filter(Boolean);
  return made.length ? `It ran, and ${made.join(" and ")}.` : "It ran.";
}

/** What waits for an answer, in a sentence; the code itself is read with the eyes. */
export function questionSentence(action: Action): string {
  if (action.type !== "Code") return "A question waits for you.";
  const lines = action.source.trimEnd().split("\n").length;
  return `May ${lines === 1 ? "one line" : `${lines} lines`} of ${action.language} run?`;
}
