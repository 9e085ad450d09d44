// Beside the conversation: the files of the workspace, and the variables of Python.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type FileList, type Variable } from "./api";
import { SIGNS, sizeText } from "./block";
import { dialog, inWorkspace, opened, panel, running, showChanges, upload } from "./store";
import { visible } from "./visible";

const MOST_BLOCKS = 12;
const TITLES = { files: "Files", variables: "Variables" };

export function SidePanel() {
  const which = panel.value;
  if (!which) return null;
  return (
    <aside class="panel" aria-label={TITLES[which]}>
      <header>
        <div role="tablist" aria-label="Panel">
          {(["files", "variables"] as const).map((name) => (
            <button type="button" role="tab" aria-selected={which === name} onClick={() => { panel.value = name; }}>{TITLES[name]}</button>
          ))}
        </div>
        <button type="button" class="icon" aria-label="Close the panel" onClick={() => { panel.value = null; }}>×</button>
      </header>
      {!opened.value ? <p class="hollow">Nothing here yet. Ask for something, and files and variables show up.</p>
        : which === "files" ? <Files session={opened.value.id} /> : <Variables session={opened.value.id} />}
    </aside>
  );
}

const folder = signal("");
const files = signal<FileList | null>(null);
const variables = signal<Variable[] | null>(null);
const problem = signal("");

function useFresh(session: string, read: () => Promise<void>, extra: unknown) {
  const done = opened.value?.conversation.value.blocksDone.value;
  const busy = running.value;
  useEffect(() => {
    let current = true;
    read().then(
      () => { if (current) problem.value = ""; },
      (error: Error) => { if (current) problem.value = error.message; },
    );
    return () => { current = false; };
  }, [session, done, busy, extra]);
}

function Files({ session }: { session: string }) {
  useEffect(() => { folder.value = ""; }, [session]);
  useFresh(session, async () => { files.value = await api.files(session, folder.value); }, folder.value);
  const list = files.value;
  const into = (name: string) => (folder.value ? `${folder.value}/${name}` : name);
  return (
    <div class="panel-body">
      <nav class="crumbs" aria-label="Folder">
        <button type="button" class="bare link" onClick={() => { folder.value = ""; }}>Workspace</button>
        {folder.value.split("/").filter(Boolean).map((name, at, all) => (
          <span> / <button type="button" class="bare link" onClick={() => { folder.value = all.slice(0, at + 1).join("/"); }}>{visible(name)}</button></span>
        ))}
      </nav>
      {problem.value && <p class="notice warning">{problem.value}</p>}
      {list && !list.entries.length && <p class="hollow">This folder is empty. Drop files anywhere on the page to put them here.</p>}
      <ul class="entries">
        {list?.entries.map((entry) => (
          <li>
            {entry.kind === "directory"
              ? <button type="button" class="bare entry" onClick={() => { folder.value = into(entry.name); }}><span class="name">{visible(entry.name)}/</span></button>
              : entry.kind === "file"
                ? <a class="entry" href={api.fileAddress(session, into(entry.name))} download="" title="Download"><span class="name">{visible(entry.name)}</span><span class="quiet">{sizeText(entry.size ?? 0)}</span></a>
                : <span class="entry quiet"><span class="name">{visible(entry.name)}</span>{entry.kind}</span>}
          </li>
        ))}
      </ul>
      <ChangedFiles />
      {list?.truncated && <p class="quiet">There are more; these are the first.</p>}
      <div class="actions">
        <a class="button small" href={api.archiveAddress(session, folder.value)} download="">Download as zip</a>
        <label class="button small">Upload<input type="file" multiple class="hidden" onChange={(event) => void upload([...(event.currentTarget.files ?? [])])} /></label>
      </div>
    </div>
  );
}

/** What each block changed, the last first. */
function ChangedFiles() {
  const conversation = opened.value?.conversation.value;
  conversation?.version.value;
  conversation?.blocksDone.value;
  const blocks = (conversation?.blocks() ?? []).filter((block) => block.changes?.length && block.checkpoint).reverse().slice(0, MOST_BLOCKS);
  if (!blocks.length) return null;
  return (
    <section class="changed-files" aria-label="Changed by blocks">
      <h3>Changed by blocks</h3>
      <ul class="entries">
        {blocks.map((block) => (
          <li>
            <button type="button" class="bare entry" title="Show the changes" onClick={() => void showChanges(block)}>
              {block.changes!.slice(0, 4).map((change) => <span class="name">{SIGNS[change.kind]} {visible(inWorkspace(change.path))}</span>)}
              {block.changes!.length > 4 && <span class="quiet">and {block.changes!.length - 4} more</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Variables({ session }: { session: string }) {
  useFresh(session, async () => { variables.value = await api.variables(session); }, 0);
  const list = variables.value;
  return (
    <div class="panel-body">
      {problem.value && <p class="notice info">{problem.value}</p>}
      {list && !list.length && <p class="hollow">No variables yet. They appear when a block of Python makes some.</p>}
      {list && list.length > 0 && (
        <ul class="entries variables">
          {list.map((one) => (
            <li class={one.changed ? "changed" : undefined}>
              {one.shape?.length === 2
                ? <button type="button" class="bare entry" onClick={() => { dialog.value = { kind: "table", name: one.name }; }}><Facts one={one} /></button>
                : <div class="entry"><Facts one={one} /></div>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Facts({ one }: { one: Variable }) {
  const shape = one.shape ? one.shape.map((size) => (size ?? 0).toLocaleString()).join(" × ") : "";
  const size = one.size === null ? "" : sizeText(one.size);
  return (
    <>
      <span class="name">{visible(one.name)}{one.changed && <span class="dot" title="changed by the last block"><span class="hidden"> changed</span></span>}</span>
      <span class="quiet">{[visible(one.type), shape, size].filter(Boolean).join(" · ")}</span>
      {one.preview && one.preview !== one.type && <span class="value">{visible(one.preview)}</span>}
    </>
  );
}
