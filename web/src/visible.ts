// Foreign text as a picture that cannot lie: the rule of src/interpreter/protocol/visible.py, from
// whose tables visible-table.ts is written. A test draws the same strings with both.
import { BESIDE_ANY, IN_FORMULAS, KINDS, LOOKALIKES, RUNS, SCRIPTS } from "./visible-table";

const OPEN = "⟨", TAB = "⇥", SPACE = "␠", CONTINUED = "↪";
const OWN = new Set([OPEN, TAB, SPACE, CONTINUED]);
const MARK = /⟨U\+[0-9A-F]{4,6}⟩/g;
const LONGEST_CLUSTER = 4;
const NOT_PLAIN = /[^ -~]/;
const MIXABLE = new Set(BESIDE_ANY.map((name) => SCRIPTS.indexOf(name) + 1));
const LATIN = SCRIPTS.indexOf("LATIN") + 1;
const PLAIN = 1, SIGN = 2, LETTER = 4, WORD = 8;

interface Kind { flags: number; script: number; direction: string }

let starts: Uint32Array | undefined;
let kinds: Kind[] = [];
let kindOfRun: Uint16Array = new Uint16Array();

function unpack(): Uint32Array {
  kinds = KINDS.split(";").map((text) => {
    const [, flags, direction, script] = /^(\d+)(\D)(\d+)$/.exec(text)!;
    return { flags: Number(flags), direction: direction!, script: Number(script) };
  });
  const runs = RUNS.split(",");
  kindOfRun = new Uint16Array(runs.length);
  const begin = new Uint32Array(runs.length);
  let at = 0;
  runs.forEach((run, place) => {
    const [kind, length] = run.split(":");
    kindOfRun[place] = parseInt(kind!, 16);
    begin[place] = at;
    at += length ? parseInt(length, 16) : 1;
  });
  return begin;
}

function kindOf(character: string): Kind {
  starts ??= unpack();
  const number = character.codePointAt(0)!;
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= number) low = middle;
    else high = middle - 1;
  }
  return kinds[kindOfRun[low]!]!;
}

/** What is drawn for each character of a line: the character, or a mark. */
export function drawn(line: string): string[] {
  const shown = Array.from(line);
  if (!NOT_PLAIN.test(line) && !line.endsWith(" ")) return shown;
  for (const at of notAsItself(line, shown)) shown[at] = markOf(shown[at]!);
  for (let at = shown.length - 1; at >= 0 && shown[at] === " "; at--) shown[at] = SPACE;
  return shown;
}

function markOf(character: string): string {
  if (character === "\t") return `${TAB}┄┄┄`;
  return `${OPEN}U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

export function isMark(shown: string): boolean {
  return OWN.has(shown[0] ?? "");
}

/** A name, host, path or title as it is drawn in one line. */
export function visible(name: string): string {
  const spaces = name.length - name.replace(/^ +/, "").length;
  const shown = name.split("\n").map((line) => drawn(line).join("")).join(`${OPEN}U+000A⟩`);
  return SPACE.repeat(spaces) + shown.slice(spaces);
}

/** A sentence or a few lines in which names have been drawn already: their marks stay. */
export function sentence(text: string): string {
  return text.split("\n").map((line) => sentenceLine(line.replace(/ +$/, ""))).join("\n");
}

function sentenceLine(line: string): string {
  const characters = Array.from(line);
  const shown = drawn(line);
  const kept = new Set<number>();
  for (const found of line.matchAll(MARK)) {
    const start = Array.from(line.slice(0, found.index)).length;
    for (let at = start; at < start + found[0].length; at++) kept.add(at);
  }
  return shown
    .map((one, at) => {
      const character = characters[at]!;
      return kept.has(at) || character === TAB || character === SPACE ? character : one;
    })
    .join("");
}

// Which characters of a line are not drawn as themselves.

function notAsItself(line: string, characters: string[]): Set<number> {
  const facts = characters.map(kindOf);
  const marked = new Set<number>();
  facts.forEach((kind, at) => {
    if (!(kind.flags & PLAIN)) marked.add(at);
  });
  if (line.startsWith("─")) marked.add(0);
  if (/[^\x00-\x7f]/.test(line)) {
    looseSigns(characters, facts, marked);
    lookalikeLetters(characters, facts, marked);
    turnedRound(facts, marked);
  }
  return marked;
}

/** Signs on letters that stand on nothing of their script, twice, too many, or out of order. */
function looseSigns(characters: string[], facts: Kind[], marked: Set<number>): void {
  let start = 0;
  characters.forEach((character, at) => {
    if (!(facts[at]!.flags & SIGN)) {
      start = at;
      return;
    }
    const first = Math.max(start, at - LONGEST_CLUSTER);
    const cluster = characters.slice(first, at + 1);
    const together = cluster.join("");
    const fits =
      cluster.length <= LONGEST_CLUSTER &&
      !!(facts[first]!.flags & LETTER) &&
      facts[first]!.script === facts[at]!.script &&
      cluster[cluster.length - 2] !== character &&
      together.normalize("NFC") === together;
    if (!fits) marked.add(at);
  });
}

type Span = { start: number; end: number };

/** Letters that seem to be Latin: in a word with Latin ones, or in a word of their own. */
function lookalikeLetters(characters: string[], facts: Kind[], marked: Set<number>): void {
  const words = wordsOf(facts);
  words.forEach((word, place) => {
    const letters = characters.slice(word.start, word.end);
    if (letters.every((one) => one < "\x80")) return;
    const scripts = new Set<number>();
    for (let at = word.start; at < word.end; at++) {
      const kind = facts[at]!;
      if (kind.flags & LETTER && !MIXABLE.has(kind.script)) scripts.add(kind.script);
    }
    const alone = letters.every((one) => LOOKALIKES.includes(one));
    if (scripts.size > 1) {
      for (let at = word.start; at < word.end; at++) {
        if (!isAtHome(characters[at]!, facts[at]!)) marked.add(at);
      }
    } else if (alone && !isAmongItsOwn(characters, facts, words, place)) {
      for (let at = word.start; at < word.end; at++) marked.add(at);
    }
  });
}

function wordsOf(facts: Kind[]): Span[] {
  const words: Span[] = [];
  facts.forEach((kind, at) => {
    if (!(kind.flags & WORD)) return;
    const last = words[words.length - 1];
    if (last?.end === at) last.end = at + 1;
    else words.push({ start: at, end: at + 1 });
  });
  return words;
}

function isAtHome(letter: string, kind: Kind): boolean {
  const latin = kind.script === LATIN || !(kind.flags & LETTER);
  return latin || MIXABLE.has(kind.script) || IN_FORMULAS.includes(letter);
}

/** Whether a short word stands in a sentence: one space from a word that can be no Latin one. */
function isAmongItsOwn(characters: string[], facts: Kind[], words: Span[], place: number): boolean {
  const word = words[place]!;
  const before = words[Math.max(0, place - 1)]!;
  const after = words[Math.min(words.length - 1, place + 1)]!;
  const near: Span[] = [];
  if (characters.slice(before.end, word.start).join("") === " ") near.push(before);
  if (characters.slice(word.end, after.start).join("") === " ") near.push(after);
  const own = facts[word.start]!.script;
  return near.some(
    (other) =>
      facts.slice(other.start, other.end).every((kind) => kind.script === own) &&
      !characters.slice(other.start, other.end).every((one) => LOOKALIKES.includes(one)),
  );
}

/** Letters written from right to left that would move the numbers and signs after them. */
function turnedRound(facts: Kind[], marked: Set<number>): void {
  const directions = facts.map((kind, at) => (marked.has(at) ? "L" : kind.direction)).join("");
  if (!directions.includes("R")) return;
  const allowed = new Set<number>();
  const readable = /(?<!R)(?<!R )(?=(R+(?: R+)*))\1(?=[^LER]*(?:L|$))/g;
  for (const found of directions.matchAll(readable)) {
    for (let at = found.index; at < found.index + found[0].length; at++) allowed.add(at);
  }
  for (let at = 0; at < directions.length; at++) {
    if (directions[at] === "R" && !allowed.has(at)) marked.add(at);
  }
}
