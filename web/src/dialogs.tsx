// What opens above the page: undo, changes, tables, pictures, settings, keys.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { api, type Settings } from "./api";
import type { Block } from "./conversation";
import type { FileChange } from "./events";
import { attempt, dialog, type Dialog, inWorkspace, me, opened, removeSession, showChanges, undo } from "./store";
import { TableView, variableRows } from "./table";
import { visible } from "./visible";

export function Dialogs() {
  const open = dialog.value;
  return open && <Shown key={open.kind} open={open} />;
}

function Shown({ open }: { open: Dialog }) {
  switch (open.kind) {
    case "undo":
      return <UndoDialog block={open.block} files={open.files} />;
    case "diff":
      return <Sheet title={open.title} wide><DiffView text={open.text} /></Sheet>;
    case "table":
      return <TableDialog name={open.name} />;
    case "tries":
      return <Sheet title="Several ways" wide><Later load={() => import("./tries").then(({ TriesView }) => <TriesView parent={open.parent} />)} /></Sheet>;
    case "picture":
      return <Sheet title="Picture" wide><img class="large" src={open.source} alt={open.title} /></Sheet>;
    case "settings":
      return <SettingsDialog />;
    case "keys":
      return <KeysDialog />;
    case "remove":
      return (
        <Sheet title="Delete this session?">
          <p>“{visible(open.session.title.slice(0, 200)) || "Untitled"}” and its variables are deleted. Files in the workspace stay.</p>
          <div class="actions">
            <button type="button" class="danger" onClick={() => { dialog.value = null; void removeSession(open.session.id); }}>Delete</button>
            <button type="button" onClick={() => { dialog.value = null; }}>Cancel</button>
          </div>
        </Sheet>
      );
  }
}

function Sheet({ title, wide, children }: { title: string; wide?: boolean; children: ComponentChildren }) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = place.current!;
    element.showModal();
    return () => element.close();
  }, []);
  const shut = () => { dialog.value = null; };
  return (
    <dialog ref={place} class={wide ? "sheet wide" : "sheet"} aria-labelledby="sheet-title" onClose={shut} onClick={(event) => { if (event.target === place.current) shut(); }}>
      <div class="sheet-body">
        <header><h2 id="sheet-title">{title}</h2><button type="button" class="icon" aria-label="Close" onClick={shut}>×</button></header>
        {children}
      </div>
    </dialog>
  );
}

/** A part of the page that comes when it is asked for. */
export function Later({ load }: { load: () => Promise<ComponentChildren> }) {
  const [part, setPart] = useState<ComponentChildren>(<p class="hollow" role="status">One moment…</p>);
  useEffect(() => {
    load().then(setPart, () => setPart(<p class="notice error">This part of the page could not be loaded. Is the server still running?</p>));
  }, []);
  return <>{part}</>;
}

const BACK = { added: "will be removed", modified: "gets its earlier content back", deleted: "comes back", renamed: "gets its old name back" };

/** What an undo of this block brings back: it takes those after it along. */
function UndoDialog({ block, files }: { block: Block; files: string[] }) {
  const [busy, setBusy] = useState(false);
  const after = useMemo(() => {
    const all = opened.value?.conversation.value.blocks() ?? [];
    return all.slice(all.indexOf(block)).filter((one) => one.checkpoint);
  }, [block]);
  const changes = new Map<string, FileChange["kind"]>();
  for (const one of after) for (const change of one.changes ?? []) if (!changes.has(change.path)) changes.set(change.path, change.kind);
  const known = after.every((one) => one.changes !== null);
  const act = async (conflicts: "refuse" | "keep" | "overwrite") => { setBusy(true); await undo(block, conflicts); setBusy(false); };
  return (
    <Sheet title={after.length > 1 ? `Undo this block and ${after.length - 1} after it?` : "Undo this block?"}>
      <p>Variables become what they were before it, and the conversation goes back to there.</p>
      {changes.size > 0 && (
        <ul class="changes">{[...changes].slice(0, 12).map(([path, kind]) => <li><span class="path">{visible(inWorkspace(path))}</span> <span class="quiet">{BACK[kind]}</span></li>)}
          {changes.size > 12 && <li class="quiet">and {changes.size - 12} more files</li>}</ul>
      )}
      {known && !changes.size && <p class="quiet">It changed no files.</p>}
      {!known && <p class="quiet">Files that it made or changed go back, too. <button type="button" class="bare link" onClick={() => void showChanges(block)}>Show what it changed</button></p>}
      {files.length > 0 && (
        <div class="notice warning" role="alert">
          <p>Somebody else changed these files since: {files.slice(0, 8).map((path) => visible(inWorkspace(path))).join(", ")}{files.length > 8 ? " and more" : ""}.</p>
        </div>
      )}
      <div class="actions">
        {files.length
          ? <><button type="button" class="primary" disabled={busy} onClick={() => void act("keep")}>Undo, keep these files</button>
            <button type="button" class="danger" disabled={busy} onClick={() => void act("overwrite")}>Undo, overwrite them</button></>
          : <button type="button" class="primary" disabled={busy} onClick={() => void act("refuse")}>Undo</button>}
        <button type="button" onClick={() => { dialog.value = null; }}>Cancel</button>
      </div>
      <p class="quiet">An undo can be taken back with Redo.</p>
    </Sheet>
  );
}

export function DiffView({ text }: { text: string }) {
  if (!text.trim()) return <p class="hollow">No file changed.</p>;
  return (
    <pre class="diff" dir="ltr" tabIndex={0} aria-label="Changes">
      {text.replace(/\n$/, "").split("\n").map((line) => <span class={diffKind(line)}>{visible(line)}{"\n"}</span>)}
    </pre>
  );
}

function diffKind(line: string): string {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return "head";
  if (line.startsWith("@@")) return "place";
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : "";
}

function TableDialog({ name }: { name: string }) {
  const session = opened.value?.id ?? "";
  const source = useMemo(() => variableRows(session, name), [session, name]);
  return <Sheet title={visible(name)} wide><TableView source={source} tall /></Sheet>;
}

const FIELDS: { name: string; label: string; hint: string; kind: "number" | "text" }[] = [
  { name: "max_budget", label: "Budget of the session, $", hint: "The model is not asked any more once it is spent.", kind: "number" },
  { name: "max_turn_budget", label: "Budget of one message, $", hint: "", kind: "number" },
  { name: "max_steps", label: "Steps of one message", hint: "", kind: "number" },
  { name: "custom_instructions", label: "Instructions for the model", hint: "", kind: "text" },
];

function SettingsDialog() {
  const session = opened.value;
  const [changed, setChanged] = useState<Settings>({});
  const now = session?.details.value?.settings ?? {};
  const save = () => attempt(async () => {
    if (session && Object.keys(changed).length) await api.change(session.id, changed);
    await session?.refresh();
    dialog.value = null;
  });
  return (
    <Sheet title="Settings of this session">
      {!session ? <p class="hollow">Begin a session first.</p> : (
        <form onSubmit={(event) => { event.preventDefault(); void save(); }}>
          {FIELDS.map(({ name, label, hint, kind }) => (
            <label class="field">
              <span>{label}</span>
              {kind === "text"
                ? <textarea rows={3} value={String(now[name] ?? "")} onInput={(event) => setChanged({ ...changed, [name]: event.currentTarget.value })} />
                : <input type="number" min="0" step="any" value={now[name] === null || now[name] === undefined ? "" : String(now[name])}
                    onInput={(event) => setChanged({ ...changed, [name]: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })} />}
              {hint && <small class="quiet">{hint}</small>}
            </label>
          ))}
          {me.value?.owner && (
            <label class="check"><input type="checkbox" checked={Boolean(now["auto_run"])} onChange={(event) => setChanged({ ...changed, auto_run: event.currentTarget.checked })} /> Run code without asking me</label>
          )}
          <div class="actions"><button type="submit" class="primary">Save</button><button type="button" onClick={() => { dialog.value = null; }}>Cancel</button></div>
        </form>
      )}
    </Sheet>
  );
}

const KEYS: [string, string][] = [
  ["Enter", "send the message (Shift+Enter: a new line)"], ["Esc", "stop what runs, close what is open"], ["y  e  d  n", "run, edit, dry run, decline the block that asks"],
  ["q", "go to the question that waits"], ["/", "go to the message field"], ["s", "search sessions"], ["c", "new session"], ["f", "files"], ["v", "variables"], ["m", "talk: begin, and end"],
  ["u", "undo the last block"], ["?", "this list"],
];

function KeysDialog() {
  return (
    <Sheet title="Keys">
      <dl class="keys">{KEYS.map(([key, what]) => <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
      <p class="quiet">Single letters work while no field has the focus.</p>
    </Sheet>
  );
}
