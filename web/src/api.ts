// The server's paths and bodies; docs/server.md is the contract.
import type { Answer, Bytes, Message } from "./events";

export interface Session {
  id: string;
  title: string;
  model: string;
  directory: string;
  parent: string | null;
  created: number;
  updated: number;
  messages: number;
  state: "parked" | "idle" | "running" | "waiting";
  n: number;
  question: number | null;
}

export interface Spent { dollars: number | null; input: number; output: number }
export type Settings = Record<string, unknown>;
export interface SessionDetails extends Session { settings: Settings; spent: Spent }
export interface Me { user: string; owner: boolean; version: string; workspace_root: string }
/** A state that can be gone back to, and the place of the message whose code it was taken for. */
export type Mark = [checkpoint: string, message: number];
export interface FileEntry { name: string; kind: "file" | "directory" | "link" | "other"; size: number | null; modified: number }
export interface FileList { path: string; entries: FileEntry[]; truncated: boolean }
export interface Variable { name: string; type: string; shape: (number | null)[] | null; size: number | null; preview: string; changed: boolean }
export interface Column { name: string; type: string; nulls?: number | null; distinct?: number | null; min?: unknown; max?: unknown }
export interface TablePage { columns: Column[]; rows: unknown[][]; index: unknown[]; offset: number; matching: number; shape: [number, number] }
export interface Models { default: string; choices: { name: string; ready: boolean }[] }
export interface Picture { media_type: string; data: string }
export type Conflicts = "refuse" | "keep" | "overwrite";

/** What a try did, beside the session it began with. */
export interface Compared {
  text: string;
  messages: number;
  variables: { name: string; change: "new" | "changed" | "gone" }[];
  files: { path: string; change: "added" | "modified" | "deleted" | "renamed"; size: number | null }[];
}

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, text: string, readonly files: string[] = []) {
    super(text);
  }
}

type Query = Record<string, string | number | boolean | undefined>;

function address(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") words.set(name, String(value));
  }
  const text = words.toString();
  return `/api${path}${text ? `?${text}` : ""}`;
}

async function refused(response: Response): Promise<ApiError> {
  let error: { code?: string; text?: string; files?: string[] } = {};
  try {
    error = ((await response.json()) as { error?: typeof error }).error ?? {};
  } catch {
    // an answer without a body of ours
  }
  const text = error.text ?? `The server answered ${response.status}.`;
  return new ApiError(response.status, error.code ?? "", text, error.files);
}

async function ask<T>(method: string, url: string, body?: unknown): Promise<T> {
  const options: RequestInit = { method, credentials: "same-origin" };
  if (body instanceof Blob) {
    options.body = body;
    options.headers = { "Content-Type": "application/octet-stream" };
  } else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(url, options);
  } catch {
    throw new ApiError(0, "offline", "The server does not answer. Is it still running?");
  }
  if (!response.ok) throw await refused(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

const get = <T>(path: string, query?: Query) => ask<T>("GET", address(path, query));
const post = <T>(path: string, body: unknown = {}) => ask<T>("POST", address(path), body);
const of = (id: string) => `/sessions/${encodeURIComponent(id)}`;

export const api = {
  login: (token: string) => post<void>("/login", { token }),
  logout: () => post<void>("/logout"),
  me: () => get<Me>("/me"),
  models: () => get<Models>("/models"),

  sessions: (query: string) => get<{ sessions: Session[] }>("/sessions", { query, limit: 200 }).then((all) => all.sessions),
  create: (settings: Settings = {}) => post<Session>("/sessions", { workspace: "", settings }),
  session: (id: string) => get<SessionDetails>(of(id)),
  remove: (id: string) => ask<void>("DELETE", address(of(id))),
  messages: (id: string) => get<{ messages: Message[]; marks: Mark[]; n: number }>(`${of(id)}/messages`),
  change: (id: string, settings: Settings) => ask<Settings>("PATCH", address(`${of(id)}/settings`), settings),
  fork: (id: string) => post<Session>(`${of(id)}/fork`),
  tries: (id: string) => get<{ tries: Session[] }>(`${of(id)}/tries`).then((answer) => answer.tries),
  compare: (id: string) => get<Compared>(`${of(id)}/compare`),
  keep: (id: string, conflicts: Conflicts) => post<{ told: string }>(`${of(id)}/keep`, { conflicts }),

  say: (id: string, text: string, images: Picture[]) => post<{ n: number }>(`${of(id)}/messages`, { text, images }),
  proceed: (id: string) => post<{ n: number }>(`${of(id)}/proceed`),
  decide: (id: string, question: number, answer: Answer, reason = "", source: string | null = null) =>
    post<void>(`${of(id)}/decisions`, { question, answer, reason, source }),
  input: (id: string, question: number, text: string | null) => post<void>(`${of(id)}/input`, { question, text }),
  interrupt: (id: string, force: boolean) => post<void>(`${of(id)}/interrupt`, { force }),
  undo: (id: string, to: string, conflicts: Conflicts) => post<{ told: string }>(`${of(id)}/undo`, { to, conflicts }),
  redo: (id: string, conflicts: Conflicts) => post<{ told: string }>(`${of(id)}/redo`, { conflicts }),
  diff: (id: string, block: string) => get<{ diff: string }>(`${of(id)}/diff`, { block }).then((answer) => answer.diff),

  files: (id: string, path: string) => get<FileList>(`${of(id)}/files`, { path }),
  upload: (id: string, path: string, file: Blob, replace: boolean) =>
    ask<{ path: string; size: number }>("PUT", address(`${of(id)}/file`, { path, replace: replace || undefined }), file),
  variables: (id: string) => get<{ variables: Variable[] }>(`${of(id)}/variables`).then((answer) => answer.variables),
  table: (id: string, query: Query) => get<TablePage>(`${of(id)}/table`, query),

  fileAddress: (id: string, path: string) => address(`${of(id)}/file`, { path }),
  archiveAddress: (id: string, path: string) => address(`${of(id)}/archive`, { path }),
  exportAddress: (id: string, format: string) => address(`${of(id)}/export`, { format }),
  blobAddress: (id: string, digest: string) => address(`${of(id)}/blobs/${encodeURIComponent(digest)}`),
  socketAddress: (id: string, after: number) => {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    return `${scheme}//${location.host}${address(`${of(id)}/socket`, { after })}`;
  },
};

/** Where bytes can be had, for an image or a download. */
export function bytesAddress(session: string, bytes: Bytes, mediaType: string): string {
  return "base64" in bytes ? `data:${mediaType};base64,${bytes.base64}` : api.blobAddress(session, bytes.kept);
}
