// What the page knows and does: who is here, which sessions there are, and the one that is open.
import { computed, effect, signal } from "@preact/signals";
import { createContext } from "preact";
import { api, ApiError, type Conflicts, type Me, type Models, type Picture, type Session, type SessionDetails, type Settings } from "./api";
import { type Block, Conversation, given } from "./conversation";
import type { Answer } from "./events";
import { LiveEvents, type Numbered } from "./live";

export interface Toast { text: string; level: "info" | "error"; label?: string; act?: () => void }
export type Dialog =
  | { kind: "undo"; block: Block; files: string[] }
  | { kind: "diff"; title: string; text: string }
  | { kind: "table"; name: string }
  | { kind: "tries"; parent: string }
  | { kind: "picture"; source: string; title: string }
  | { kind: "settings" }
  | { kind: "keys" }
  | { kind: "remove"; session: Session };
export type Panel = "files" | "variables" | null;

export const me = signal<Me | null>(null);
export const entry = signal<"opening" | "in" | "out">("opening");
export const sessions = signal<Session[]>([]);
export const search = signal("");
export const opened = signal<Opened | null>(null);
export const loading = signal(false);
export const models = signal<Models>({ default: "", choices: [] });
/** The model for a session that is not begun yet. */
export const chosenModel = signal("");
export const toast = signal<Toast | null>(null);
export const dialog = signal<Dialog | null>(null);
export const panel = signal<Panel>(null);
export const drawer = signal(false);
export const running = computed(() => opened.value?.conversation.value.running.value ?? false);
export const asking = computed(() => opened.value?.conversation.value.asking.value ?? null);
/** Who hears what happens in the session that is open. */
export const hearers = new Set<(event: Numbered) => void>();
/** Said to those who cannot see the page change. */
export const spoken = signal("");

export function tell(text: string, level: Toast["level"] = "info", label?: string, act?: () => void): void {
  toast.value = label && act ? { text, level, label, act } : { text, level };
}

/** Do something that may be refused; the reason is shown. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) entry.value = "out";
    tell(error instanceof Error ? error.message : String(error), "error");
    return undefined;
  }
}

/** A session that is on the page: its conversation, and the events that change it. */
export class Opened {
  readonly conversation;
  readonly details = signal<SessionDetails | null>(null);
  readonly connected = signal(true);
  /** How many tries of it are open. */
  readonly tries = signal(0);
  private live: LiveEvents | undefined;
  private reloading = false;
  private wentBack = 0;

  private constructor(readonly id: string, conversation: Conversation) {
    this.conversation = signal(conversation);
  }

  static async load(id: string): Promise<Opened> {
    const made = new Opened(id, new Conversation([], []));
    await made.read();
    return made;
  }

  /** Read all of it again, and go on with the events after that. */
  async read(): Promise<void> {
    this.live?.close();
    const [details, past] = await Promise.all([api.session(this.id), api.messages(this.id)]);
    const conversation = new Conversation(past.messages, past.marks);
    conversation.running.value = details.state === "running" || details.state === "waiting";
    this.details.value = details;
    this.conversation.value = conversation;
    this.live = new LiveEvents(this.id, past.n, {
      event: (event) => this.take(event),
      connected: (yes) => { this.connected.value = yes; },
    });
  }

  close(): void {
    this.live?.close();
  }

  private take(event: Numbered): void {
    if (event.type === "WentBack") {
      if (event.n <= this.wentBack) return; // what was read after it has it already
      this.wentBack = event.n;
    }
    if (event.type === "Reset" || event.type === "WentBack") {
      if (event.type === "WentBack") {
        if (event.told.startsWith("Redone")) tell(event.told);
        else tell(event.told, "info", "Redo", () => void redo("refuse"));
      }
      if (!this.reloading) void this.reread();
      return;
    }
    if (event.type === "SessionChanged") return void this.refresh();
    this.conversation.value.apply(event);
    if (opened.value === this) for (const hear of hearers) hear(event);
    if (event.type === "TurnFinished" || event.type === "TurnStarted") {
      void this.refresh();
      void findSessions();
    }
    if (event.type === "ApprovalRequested" || event.type === "InputRequested" || event.type === "QuestionClosed") void findSessions();
    if (event.type === "TurnFinished") spoken.value = "The answer is complete.";
    if (event.type === "ApprovalRequested") spoken.value = "A question waits for you.";
  }

  private async reread(): Promise<void> {
    this.reloading = true;
    await attempt(() => this.read());
    this.reloading = false;
  }

  async refresh(): Promise<void> {
    const [details, tries] = await Promise.all([api.session(this.id).catch(() => null), api.tries(this.id).catch(() => [])]);
    if (details) this.details.value = details;
    this.tries.value = tries.length;
  }
}

/** The session that a part of the page belongs to: the one that is open, or a try beside it. */
export const Here = createContext<Opened | null>(null);

// Signing in, and finding one's way.

/** Fulfilled when it is known who is here; what is done before that waits for it. */
let known: Promise<void> = Promise.resolve();

export async function enter(): Promise<void> {
  known = findOut();
  await known;
  if (entry.value === "out") return;
  await Promise.all([followAddress(), findSessions(), attempt(async () => { models.value = await api.models(); })]);
}

/** Who is here. With a token in the address the page is drawn while it is sent: it is nearly always right. */
async function findOut(): Promise<void> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, "", location.pathname);
    entry.value = "in";
    await Promise.resolve(token).then(decodeURIComponent).then(api.login).catch(() => undefined);
  }
  try {
    me.value = await api.me();
    entry.value = "in";
  } catch {
    entry.value = "out";
  }
}

export async function signIn(token: string): Promise<void> {
  await api.login(token);
  await enter();
}

export async function findSessions(): Promise<void> {
  await known;
  const query = search.value;
  const found = await api.sessions(query).catch(() => null);
  if (found && query === search.value) sessions.value = found;
}

export async function followAddress(): Promise<void> {
  const id = /^#\/s\/(.+)$/.exec(location.hash)?.[1];
  if (!id) return leave();
  await openSession(decodeURIComponent(id));
}

/** The session that is on its way. */
let coming = "";

function leave(): void {
  coming = "";
  loading.value = false;
  opened.value?.close();
  opened.value = null;
}

export function newSession(): void {
  leave();
  drawer.value = false;
  if (location.hash) history.pushState(null, "", location.pathname);
}

export async function openSession(id: string): Promise<void> {
  drawer.value = false;
  if (coming === id) return; // an address that is typed is told twice
  const isThere = opened.value?.id === id;
  coming = isThere ? "" : id;
  loading.value = !isThere;
  if (isThere) return;
  await known;
  const found = await attempt(() => Opened.load(id));
  if (coming !== id) return found?.close();
  leave();
  opened.value = found ?? null;
  const hash = found ? `#/s/${encodeURIComponent(id)}` : "";
  if (location.hash !== hash) history.pushState(null, "", hash || location.pathname);
}

/** The session that is open, or a new one. */
export async function present(): Promise<Opened | undefined> {
  await known;
  if (opened.value) return opened.value;
  const settings: Settings = chosenModel.value ? { model: chosenModel.value } : {};
  const made = await attempt(() => api.create(settings));
  if (!made) return undefined;
  await openSession(made.id);
  void findSessions();
  return opened.value ?? undefined;
}

export async function removeSession(id: string): Promise<void> {
  await attempt(() => api.remove(id));
  if (opened.value?.id === id) newSession();
  await findSessions();
}

// Talking.

export async function say(text: string, images: Picture[]): Promise<boolean> {
  const session = await present();
  if (!session) return false;
  const answer = await attempt(() => api.say(session.id, text, images));
  return answer !== undefined;
}

export async function decide(session: Opened | null, question: number, answer: Answer, reason = "", source: string | null = null): Promise<boolean> {
  if (!session) return false;
  given.set(question, answer);
  return (await attempt(async () => { await api.decide(session.id, question, answer, reason, source); return true; })) ?? false;
}

export async function stop(force = false): Promise<void> {
  const session = opened.value;
  if (session) await attempt(() => api.interrupt(session.id, force));
}

export async function undo(block: Block, conflicts: Conflicts): Promise<void> {
  const session = opened.value;
  if (!session || !block.checkpoint) return;
  try {
    await api.undo(session.id, block.checkpoint, conflicts);
    dialog.value = null;
  } catch (error) {
    if (error instanceof ApiError && error.code === "conflict") dialog.value = { kind: "undo", block, files: error.files };
    else {
      dialog.value = null;
      tell(error instanceof Error ? error.message : String(error), "error");
    }
  }
}

export async function redo(conflicts: Conflicts): Promise<void> {
  const session = opened.value;
  if (!session) return;
  try {
    await api.redo(session.id, conflicts);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof ApiError && error.code === "conflict") tell(text, "error", "Overwrite", () => void redo("overwrite"));
    else tell(text, "error");
  }
}

/** A path as people say it: from the workspace, where it lies in there. */
export function inWorkspace(path: string, session: Opened | null = opened.value): string {
  const directory = session?.details.value?.directory.replace(/\/$/, "");
  return directory && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

export async function showChanges(block: Block): Promise<void> {
  const session = opened.value;
  const checkpoint = block.checkpoint;
  if (!session || !checkpoint) return;
  const text = await attempt(() => api.diff(session.id, checkpoint));
  if (text !== undefined) dialog.value = { kind: "diff", title: "What this block changed", text };
}

export async function chooseModel(model: string): Promise<void> {
  const session = opened.value;
  if (!session) chosenModel.value = model;
  else await attempt(async () => { await api.change(session.id, { model }); await session.refresh(); });
}

/** Several ways, side by side; from within a try, those of the session it began with. */
export function showTries(): void {
  const session = opened.value;
  if (session) dialog.value = { kind: "tries", parent: session.details.value?.parent ?? session.id };
}

// Files that were dropped: they are in the workspace, and the next message names them.

export const uploads = signal<string[]>([]);
export const uploading = signal(0);

export async function upload(files: Iterable<File>): Promise<void> {
  const session = await present();
  if (!session) return;
  for (const file of files) {
    uploading.value++;
    const done = await attempt(() => uploadOne(session.id, file));
    uploading.value--;
    if (done) uploads.value = [...uploads.value.filter((name) => name !== done), done];
  }
  session.conversation.value.blocksDone.value++;
}

/** The path that a file was put at; where there is one of that name already, it gets a number. */
async function uploadOne(session: string, file: File): Promise<string> {
  const [, stem, suffix] = /^(.*?)(\.[^.]*)?$/s.exec(file.name)!;
  for (let number = 1; ; number++) {
    const path = number === 1 ? file.name : `${stem}-${number}${suffix ?? ""}`;
    try {
      return (await api.upload(session, path, file, false)).path;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || number > 50) throw error;
    }
  }
}

effect(() => {
  const title = opened.value?.details.value?.title;
  document.title = title ? `${title} · reploop` : "reploop";
});
