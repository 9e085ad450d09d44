// Several ways of doing something, side by side: what each did, what differs, and which is kept.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError, type Compared, type Conflicts, type Session, type Variable } from "./api";
import { BlockView, sizeText } from "./block";
import { Block, Note, Prose, Said, type Shown } from "./conversation";
import { Markdown } from "./markdown";
import { tamePlain } from "./output";
import { attempt, dialog, findSessions, Here, Opened, opened, openSession, tell } from "./store";
import { sentence, visible } from "./visible";

const MOST = 4; // ways at once

interface Try { session: Session; live: Opened; compared: Compared | null; variables: Variable[] }
interface View { began: number; variables: Variable[]; tries: Try[] }

/** What there is to compare; what is at work says so later. */
async function look(parent: string, known: readonly Try[]): Promise<View> {
  const [sessions, past, variables] = await Promise.all([api.tries(parent), api.messages(parent), valuesOf(parent)]);
  const began = past.messages.filter((message) => message.role === "user" && message.audience !== "assistant").length;
  const tries = await Promise.all(sessions.map(async (session) => {
    const live = known.find((one) => one.session.id === session.id)?.live ?? (await Opened.load(session.id));
    if (live.conversation.value.running.value) return { session, live, compared: null, variables: [] };
    const compared = await api.compare(session.id).catch(() => null);
    return { session, live, compared, variables: await valuesOf(session.id) };
  }));
  return { began, variables, tries };
}

function valuesOf(session: string): Promise<Variable[]> {
  return api.variables(session).catch(() => []);
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: a session has no time for two who look into it or copy it. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return mine;
}

export function TriesView({ parent }: { parent: string }) {
  const view = useSignal<View | null>(null);
  const here = useRef(true);
  const fresh = () => attempt(() => inTurn(async () => {
    if (!here.current) return;
    view.value = await look(parent, view.peek()?.tries ?? []);
    if (!here.current) close();
  }));
  const close = () => { for (const one of view.peek()?.tries ?? []) one.live.close(); };
  useEffect(() => {
    void fresh();
    return () => { here.current = false; close(); };
  }, [parent]);
  if (!view.value) return <p class="hollow" role="status">One moment…</p>;
  const { tries } = view.value;
  return (
    <div class="tries">
      {tries.length > 0 && (
        <div class="columns" tabIndex={0} role="group" aria-label="Tries">
          {tries.map((one, place) => <Column key={one.session.id} one={one} number={place + 1} view={view.value!} parent={parent} fresh={fresh} />)}
        </div>
      )}
      {tries.length > 0 && <DifferencesTable view={view.value} />}
      {tries.length < MOST && <NewTry parent={parent} most={MOST - tries.length} more={tries.length > 0} done={fresh} />}
    </div>
  );
}

/** Each line is a way of its own, in a copy of the conversation, the variables and the files. */
function NewTry({ parent, most, more, done }: { parent: string; most: number; more: boolean; done: () => unknown }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const ways = text.split("\n").map((line) => line.trim()).filter(Boolean).slice(0, most);
  const begin = async () => {
    setBusy(true);
    for (const way of ways) {
      const made = await attempt(() => inTurn(() => api.fork(parent)));
      if (!made) break;
      await attempt(() => api.say(made.id, way, []));
    }
    setText("");
    await done();
    setBusy(false);
  };
  return (
    <form class="new-try" onSubmit={(event) => { event.preventDefault(); void begin(); }}>
      <label class="field grow">
        <span>What shall be tried{more ? " besides" : ""}? One way on each line; each gets a copy of the conversation, the variables and the files.</span>
        <textarea rows={2} value={text} placeholder={"Fit a line\nFit a forest"} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class={more ? undefined : "primary"} disabled={busy || !ways.length}>{busy ? "Copying…" : ways.length > 1 ? `Try these ${ways.length}` : "Try it"}</button>
    </form>
  );
}

interface ColumnProps { one: Try; number: number; view: View; parent: string; fresh: () => unknown }

function Column({ one, number, view, parent, fresh }: ColumnProps) {
  const conversation = one.live.conversation.value;
  conversation.version.value;
  const running = conversation.running.value;
  useEffect(() => { if (!running) void fresh(); }, [running]);
  const said = conversation.items.flatMap((item, place) => (item instanceof Said ? [place] : []));
  const begin = said[view.began];
  const items = begin === undefined ? [] : conversation.items.slice(begin);
  const drop = () => attempt(async () => {
    one.live.close();
    if (opened.value?.id === one.session.id) await openSession(parent);
    await inTurn(() => api.remove(one.session.id));
    await fresh();
  });
  const open = () => { dialog.value = null; void openSession(one.session.id); };
  return (
    <section class="column" aria-label={`Try ${number}`}>
      <header>
        <h3>Try {number}</h3>
        <span class={conversation.asking.value ? "status asks" : "status"}>{conversation.asking.value ? "waits for you" : running ? "at work" : "done"}</span>
      </header>
      <div class="column-body">
        <Here.Provider value={one.live}>
          {items.map((item) => <Item key={item.key} item={item} session={one.session.id} />)}
          {!items.length && <p class="hollow">Nothing was tried here yet. Open it and say what to do.</p>}
        </Here.Provider>
      </div>
      <div class="actions">
        <button type="button" class="small primary" disabled={running} onClick={() => void keep(one.session.id, parent, view.tries, "refuse")}>Keep this</button>
        <button type="button" class="small" onClick={open}>Open</button>
        <button type="button" class="small" onClick={() => void drop()}>Drop</button>
      </div>
    </section>
  );
}

function Item({ item, session }: { item: Shown; session: string }) {
  item.version.value;
  if (item instanceof Block) return <BlockView block={item} session={session} />;
  if (item instanceof Prose) return <Markdown text={item.text} session={session} />;
  if (item instanceof Note) return <p class={`notice ${item.level}`}>{sentence(item.text)}</p>;
  if (item instanceof Said) return <p class="said"><span class="hidden">You: </span>{tamePlain(item.text)}</p>;
  return null;
}

/** One becomes what happened; the others are dropped, since they began with what was before it. */
async function keep(id: string, parent: string, tries: readonly Try[], conflicts: Conflicts): Promise<void> {
  dialog.value = null; // which closes those who listen to the tries
  await openSession(parent);
  try {
    const { told } = await inTurn(() => api.keep(id, conflicts));
    for (const other of tries) if (other.session.id !== id) await api.remove(other.session.id).catch(() => undefined);
    tell(told);
    await findSessions();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof ApiError && error.code === "conflict") tell(text, "error", "Overwrite", () => void keep(id, parent, tries, "overwrite"));
    else tell(text, "error");
  }
}

/** Values and files that are not the same everywhere. */
function DifferencesTable({ view }: { view: View }) {
  const names = [...new Set(view.tries.flatMap((one) => one.compared?.variables.map(({ name }) => name) ?? []))].sort();
  const paths = [...new Set(view.tries.flatMap((one) => one.compared?.files.map(({ path }) => path) ?? []))].sort();
  if (!names.length && !paths.length) return <p class="quiet">No value and no file differs yet.</p>;
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label="What differs">
      <table class="differs">
        <thead><tr><th scope="col">What differs</th><th scope="col">Now</th>{view.tries.map((_, place) => <th scope="col">Try {place + 1}</th>)}</tr></thead>
        <tbody>
          {names.map((name) => (
            <tr><th scope="row">{visible(name)}</th><td>{valueOf(view.variables, name)}</td>
              {view.tries.map((one) => <td class={one.compared?.variables.some((changed) => changed.name === name) ? "differs" : undefined}>{valueOf(one.variables, name)}</td>)}</tr>
          ))}
          {paths.map((path) => (
            <tr><th scope="row">{visible(path)}</th><td>{view.tries.some((one) => one.compared?.files.some((file) => file.path === path && file.change !== "added")) ? "as it is" : "–"}</td>
              {view.tries.map((one) => <FileCell one={one} path={path} />)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valueOf(variables: readonly Variable[], name: string): string {
  const found = variables.find((one) => one.name === name);
  if (!found) return "–";
  const shape = found.shape ? found.shape.map((size) => (size ?? 0).toLocaleString()).join(" × ") : "";
  return visible([found.preview || found.type, shape].filter(Boolean).join(" · "));
}

function FileCell({ one, path }: { one: Try; path: string }) {
  const file = one.compared?.files.find((changed) => changed.path === path);
  if (!file) return <td>as it is</td>;
  if (file.change === "deleted") return <td class="differs">deleted</td>;
  return <td class="differs"><a href={api.fileAddress(one.session.id, path)} download="">{file.change}</a>{file.size === null ? "" : ` ${sizeText(file.size)}`}</td>;
}
