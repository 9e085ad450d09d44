// A session as the page shows it: items made from messages, and changed by events.
import { signal } from "@preact/signals";
import type { Mark } from "./api";
import type { Action, ActionResult, Answer, ApprovalRequested, Code, Decision, Display, FileChange, Message, Part, Usage } from "./events";
import type { Numbered } from "./live";
import { OutputLog } from "./output";

const NOT_RUN = new Set(["declined", "invalid", "skipped"]);
let keys = 0;
const changed = new Set<Item>();
let frame = 0;

/** Something that is drawn again, at most once a frame, after it was touched. */
abstract class Item {
  readonly key = ++keys;
  readonly version = signal(0);

  touch(): void {
    changed.add(this);
    frame ||= requestAnimationFrame(drawChanged);
  }
}

function drawChanged(): void {
  frame = 0;
  const items = [...changed];
  changed.clear();
  for (const item of items) item.version.value++;
}

export class Said extends Item {
  constructor(readonly text: string, readonly pictures: readonly Display[]) { super(); }
}

export class Prose extends Item {
  open = true;
  constructor(public text: string) { super(); }
}

export class Thought extends Item {
  open = true;
  constructor(public text: string) { super(); }
}

export class Note extends Item {
  constructor(readonly text: string, readonly level: "info" | "warning" | "error") { super(); }
}

/** A question that waits for an answer, with the number of its event. */
export interface Question { n: number; request: ApprovalRequested; answer: Answer | "answered" | null }
/** What was answered on this page, by the number of the question: the others hear only that it was. */
export const given = new Map<number, Answer>();
export interface InputQuestion { n: number; prompt: string; hidden: boolean }
export type Piece = { key: number; log: OutputLog } | { key: number; display: Display };

export class Block extends Item {
  state: "writing" | "proposed" | "running" | "done" = "writing";
  question: Question | null = null;
  /** What it asked for while it ran, and what was answered. */
  grants: Question[] = [];
  input: InputQuestion | null = null;
  /** What was proposed, where the user changed it before it ran. */
  original: Action | null = null;
  decision: Decision | null = null;
  checkpoint: string | null = null;
  discarded = "";
  changes: FileChange[] | null = null;
  notices: { text: string; level: string }[] = [];
  pieces: Piece[] = [];
  result: ActionResult | null = null;
  activeLine: number | null = null;
  startedAt = 0;
  seconds: number | null = null;
  /** The place of the reply that proposed it, of those that were there when the page came. */
  message = -1;
  private clearNext = false;

  constructor(public action: Action) { super(); }

  get waits(): boolean {
    return this.question !== null || this.grants.some((grant) => !grant.answer) || this.input !== null;
  }

  print(text: string, stream: "stdout" | "stderr"): void {
    this.clearIfAsked();
    const last = this.pieces.at(-1);
    if (last && "log" in last) return last.log.add(text, stream);
    const log = new OutputLog();
    log.add(text, stream);
    this.pieces.push({ key: ++keys, log });
    this.touch();
  }

  show(display: Display, updates: boolean): void {
    this.clearIfAsked();
    const known = (piece: Piece) => "display" in piece && piece.display.display_id === display.display_id;
    const at = updates && display.display_id ? this.pieces.findIndex(known) : -1;
    if (at >= 0) this.pieces[at] = { key: this.pieces[at]!.key, display };
    else this.pieces.push({ key: ++keys, display });
    this.touch();
  }

  clear(wait: boolean): void {
    this.clearNext = true;
    if (!wait) this.clearIfAsked();
  }

  private clearIfAsked(): void {
    if (!this.clearNext) return;
    this.clearNext = false;
    this.pieces = [];
    this.touch();
  }
}

export type Shown = Said | Prose | Thought | Note | Block;

export class Conversation {
  readonly items: Shown[] = [];
  readonly version = signal(0);
  readonly running = signal(false);
  /** Blocks whose files or variables may have changed since; the panel looks again. */
  readonly blocksDone = signal(0);
  /** The block with a question that waits, if any. */
  readonly asking = signal<Block | null>(null);
  readonly used: Usage = { type: "Usage", input: 0, cached: 0, output: 0, reasoning: 0, dollars: 0 };
  readonly usedVersion = signal(0);
  readonly retrying = signal("");
  private current: Block | null = null;
  private checkpoint: string | null = null;
  private streamed = false;

  constructor(messages: readonly Message[], marks: readonly Mark[]) {
    messages.forEach((message, place) => {
      const before = this.items.length;
      this.addMessage(message);
      for (const item of this.items.slice(before)) if (item instanceof Block) item.message = place;
    });
    this.takeMarks(marks);
  }

  /** Which states can be gone back to, for blocks of the past: in each reply they come in order. */
  private takeMarks(marks: readonly Mark[]): void {
    const ran = this.blocks().filter((block) => !NOT_RUN.has(block.result?.outcome ?? ""));
    for (const [checkpoint, message] of marks) {
      const block = ran.find((one) => one.message === message && !one.checkpoint);
      if (block) block.checkpoint = checkpoint;
    }
  }

  private add<T extends Shown>(item: T): T {
    this.items.push(item);
    this.version.value++;
    return item;
  }

  blocks(): Block[] {
    return this.items.filter((item): item is Block => item instanceof Block);
  }

  // Messages of the past.

  addMessage(message: Message): void {
    if (message.audience === "assistant") return;
    if (message.role === "computer") return this.addResults(message);
    if (message.role === "user") {
      const pictures = message.parts.filter((part): part is Display => part.type === "Display");
      const text = message.parts.map((part) => (part.type === "Text" ? part.text : "")).join("");
      this.add(new Said(text, pictures));
      return;
    }
    for (const part of message.parts) this.addReplyPart(part);
  }

  private addReplyPart(part: Part): void {
    if (part.type === "Text") this.add(new Prose(part.text)).open = false;
    else if (part.type === "Reasoning") this.add(new Thought(part.text)).open = false;
    else if (part.type === "Code" || part.type === "ActionCall" || part.type === "MalformedCall") {
      this.add(new Block(part)).state = "proposed";
    }
  }

  private addResults(message: Message): void {
    const result = message.parts.find((part): part is ActionResult => part.type === "ActionResult");
    const first = message.parts[0];
    const code = first?.type === "Code" ? first : null;
    const block = (result && this.withCall(result.call_id)) ?? (code ? this.add(new Block(code)) : null);
    if (!block) return;
    for (const part of message.parts) this.addResultPart(block, part);
    block.changes ??= []; // where files changed, the message names them
    block.state = "done";
    block.touch();
  }

  private addResultPart(block: Block, part: Part): void {
    const files = part.type === "Output" ? FILES.exec(part.text) : null;
    if (files) block.changes = changesIn(files[1]!);
    else if (part.type === "Output") {
      if (part.omitted) block.print(`[${part.omitted.toLocaleString()} characters left out]\n`, "stderr");
      block.print(part.text, part.stream);
    } else if (part.type === "Display") block.show(part, false);
    else if (part.type === "ActionResult") block.result = part;
    else if (part.type === "Code" && part !== block.action) this.edit(block, part);
  }

  private edit(block: Block, action: Code): void {
    block.original = block.action;
    block.action = action;
  }

  private withCall(id: string): Block | undefined {
    return this.items.findLast((item): item is Block => item instanceof Block && item.state !== "done" && callOf(item.action) === id);
  }

  // Events, as they come.

  apply(event: Numbered): void {
    switch (event.type) {
      case "TurnStarted":
        this.running.value = true;
        if (event.message) this.addMessage(event.message);
        return;
      case "TextDelta":
        return this.stream(Prose, event.text);
      case "ReasoningDelta":
        return this.stream(Thought, event.text);
      case "CodeDelta":
        return this.writeCode(event.language, event.text, event.call_id);
      case "ActionProposed":
        return this.propose(event.action);
      case "ModelRetrying":
        this.retrying.value = `${event.reason} Trying again in ${Math.round(event.seconds)} s.`;
        return;
      case "ReplyFinished":
        return this.replyFinished(event.usage);
      case "ApprovalRequested":
        return this.ask(event.n, event);
      case "Decided":
        return this.decided(event.action, event.decision);
      case "QuestionClosed":
        return this.closeQuestion(event.question, event.by);
      case "CheckpointTaken":
        this.checkpoint = event.checkpoint;
        return;
      case "CheckpointDiscarded":
        return this.discard(event.checkpoint, event.told);
      case "ActionStarted":
        return this.start(event.action);
      case "MessageFinished":
        return this.messageFinished(event.message);
      case "TurnFinished":
        return this.finish(event.end, event.detail);
      case "Notice":
        return this.notice(event.text, event.level);
      default:
        if (this.current) this.applyToBlock(this.current, event);
    }
  }

  private discard(checkpoint: string, told: string): void {
    const block = this.blocks().findLast((one) => one.checkpoint === checkpoint);
    if (!block) return;
    block.checkpoint = null;
    block.discarded = told;
    block.touch();
  }

  private applyToBlock(block: Block, event: Numbered): void {
    switch (event.type) {
      case "OutputDelta":
        return block.print(event.text, event.stream);
      case "DisplayShown":
        return block.show(event.display, event.updates);
      case "OutputCleared":
        return block.clear(event.wait);
      case "ActiveLine":
        block.activeLine = event.line;
        break;
      case "InputRequested":
        block.input = { n: event.n, prompt: event.prompt, hidden: event.hidden };
        this.asking.value = block;
        break;
      case "ExecutionFinished":
        block.result = { type: "ActionResult", call_id: callOf(block.action), outcome: event.outcome, summary: event.summary };
        block.activeLine = null;
        block.seconds = (performance.now() - block.startedAt) / 1000;
        break;
      case "FilesChanged":
        block.changes = event.changes;
        break;
    }
    block.touch();
  }

  private stream(kind: typeof Prose | typeof Thought, text: string): void {
    this.streamed = true;
    this.retrying.value = "";
    const last = this.items.at(-1);
    if (last instanceof kind && last.open) {
      last.text += text;
      last.touch();
    } else this.add(new kind(text));
  }

  private writeCode(language: string, text: string, call: string): void {
    this.streamed = true;
    const last = this.items.at(-1);
    if (last instanceof Block && last.state === "writing" && last.action.type === "Code" && callOf(last.action) === call) {
      last.action = { ...last.action, source: last.action.source + text };
      last.touch();
    } else this.add(new Block({ type: "Code", language, source: text, call_id: call, to_compare: false, attempt: "" }));
  }

  private propose(action: Action): void {
    this.streamed = true;
    const written = this.items.findLast((item): item is Block => item instanceof Block && item.state === "writing" && callOf(item.action) === callOf(action));
    const block = written ?? this.add(new Block(action));
    block.action = action;
    block.state = "proposed";
    block.touch();
  }

  private replyFinished(usage: Usage | null): void {
    for (const item of this.items.slice(-8)) {
      if ((item instanceof Prose || item instanceof Thought) && item.open) {
        item.open = false;
        item.touch();
      }
    }
    if (!usage) return;
    this.used.input += usage.input;
    this.used.output += usage.output;
    this.used.dollars = (this.used.dollars ?? 0) + (usage.dollars ?? 0);
    this.usedVersion.value++;
  }

  private ask(n: number, request: ApprovalRequested): void {
    const question: Question = { n, request, answer: null };
    if (request.proposed) {
      const block = this.withCall(callOf(request.action)) ?? this.add(new Block(request.action));
      block.state = "proposed";
      block.question = question;
      this.wait(block);
      return;
    }
    const block = this.current ?? this.add(new Block(request.action));
    block.grants.push(question);
    this.wait(block);
  }

  private wait(block: Block): void {
    this.asking.value = block;
    block.touch();
  }

  private decided(action: Action, decision: Decision): void {
    const grant = this.current?.grants.find((one) => !one.answer || one.answer === "answered");
    if (this.current && grant) grant.answer = decision.answer;
    const block = grant ? this.current! : this.withCall(callOf(action));
    if (!block) return;
    if (!grant) {
      block.question = null;
      block.decision = decision;
    }
    this.settle(block);
  }

  private closeQuestion(n: number, by: "user" | "interrupt" | "timeout" | "end"): void {
    const block = this.asking.value;
    if (!block) return;
    if (block.question?.n === n) block.question = null;
    if (block.input?.n === n) block.input = null;
    const grant = block.grants.find((one) => one.n === n);
    if (grant) grant.answer ??= given.get(n) ?? (by === "user" ? "answered" : "no");
    this.settle(block);
  }

  private settle(block: Block): void {
    if (!block.waits && this.asking.value === block) this.asking.value = null;
    block.touch();
  }

  private start(action: Action): void {
    const block = this.withCall(callOf(action)) ?? this.add(new Block(action));
    if (action.type === "Code" && block.action.type === "Code" && block.action.source !== action.source) this.edit(block, action);
    block.action = action;
    block.state = "running";
    block.question = null;
    block.checkpoint = this.checkpoint;
    block.startedAt = performance.now();
    this.checkpoint = null;
    this.current = block;
    this.settle(block);
  }

  private messageFinished(message: Message): void {
    if (message.role === "computer") {
      const result = message.parts.find((part): part is ActionResult => part.type === "ActionResult");
      const block = result && this.withCall(result.call_id);
      if (block) {
        block.result = result;
        block.state = "done";
        block.changes ??= [];
        block.question = null;
        this.settle(block);
      }
      this.current = null;
      this.blocksDone.value++;
    } else if (message.role === "assistant" && !this.streamed) this.addMessage(message);
    this.streamed = false;
  }

  private notice(text: string, level: "info" | "warning" | "error"): void {
    if (this.current) {
      this.current.notices.push({ text, level });
      this.current.touch();
    } else this.add(new Note(text, level));
  }

  private finish(end: string, detail: string): void {
    this.running.value = false;
    this.retrying.value = "";
    this.asking.value = null;
    this.streamed = false;
    for (const item of this.items.slice(-20)) {
      if (item instanceof Prose || item instanceof Thought) item.open = false;
      if (item instanceof Block && (item.state === "writing" || item.state === "running")) item.state = "done";
      item.touch();
    }
    if (this.current) this.blocksDone.value++;
    this.current = null;
    const said = TURN_ENDS[end];
    if (said !== undefined) this.add(new Note(detail || said, end === "interrupted" || end === "declined" ? "info" : "warning"));
  }
}

// What is kept of the files that a block changed: the line that src/interpreter/protocol/changed_files.py writes.
const FILES = /^\[files: (.*?)(?: and \d+ more)?\]\n$/s;
const CHANGE = /(added|modified|deleted|renamed) (.+?)(?=, (?:added|modified|deleted|renamed) |$)/gs;

function changesIn(line: string): FileChange[] {
  return [...line.matchAll(CHANGE)].map(([, kind, names]) => {
    const [before, after] = kind === "renamed" ? names!.split(" → ") : ["", names!];
    return { type: "FileChange", path: after ?? names!, kind: kind as FileChange["kind"], size: null, renamed_from: after ? before! : "" };
  });
}

const TURN_ENDS: Record<string, string | undefined> = {
  interrupted: "You stopped it.",
  out_of_steps: "The limit of steps is reached. Say “go on” to continue.",
  out_of_budget: "The budget is used up.",
  stuck: "The model went round in circles.",
  failed: "The model could not answer.",
};

export function callOf(action: Action): string {
  return action.call_id;
}
