// The page: sessions to the left, the conversation, files and variables to the right.
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "./api";
import { BlockView } from "./block";
import { Composer, draft, focusComposer } from "./composer";
import { Block, Note, Prose, Said, type Shown, Thought } from "./conversation";
import { Dialogs } from "./dialogs";
import { PictureView } from "./display";
import { Markdown } from "./markdown";
import { tamePlain } from "./output";
import { SidePanel } from "./panel";
import { Logo, Sidebar } from "./sidebar";
import {
  attempt, chooseModel, chosenModel, dialog, drawer, entry, Here, loading, me, models, type Opened, opened, panel, redo, showTries, signIn, spoken, toast, upload,
} from "./store";
import { sentence, visible } from "./visible";

export function App() {
  if (entry.value === "opening") return <p class="hollow" role="status">One moment…</p>;
  if (entry.value === "out") return <SignIn />;
  return (
    <div class={panel.value ? "page with-panel" : "page"}>
      <Sidebar />
      {drawer.value && <div class="veil" onClick={() => { drawer.value = false; }} />}
      <main>
        <TopBar />
        {opened.value ? <Here.Provider value={opened.value}><ConversationView key={opened.value.id} session={opened.value} /></Here.Provider> : <Welcome />}
        <Composer />
      </main>
      <SidePanel />
      <DropPlace />
      <Dialogs />
      <ToastView />
      <div class="hidden" role="status" aria-live="polite">{spoken.value}</div>
    </div>
  );
}

function SignIn() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const send = () => signIn(token.trim()).catch((error: Error) => setProblem(error.message));
  return (
    <main class="sign-in">
      <h1><Logo /> reploop</h1>
      <p>Open the link that <code>interpreter serve</code> printed, or put the token from it here.</p>
      <form class="actions" onSubmit={(event) => { event.preventDefault(); void send(); }}>
        <input type="password" class="grow" aria-label="Token" placeholder="Token" autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
        <button type="submit" class="primary">Sign in</button>
      </form>
      {problem && <p class="notice error" role="alert">{problem}</p>}
    </main>
  );
}

// The bar at the top.

function TopBar() {
  const details = opened.value?.details.value;
  return (
    <header class="top">
      <button type="button" class="icon only-small" aria-label="Sessions" onClick={() => { drawer.value = true; }}><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h14M3 10h14M3 14h14" /></svg></button>
      <h1>{details ? visible(details.title.slice(0, 120)) || "Untitled" : "New session"}</h1>
      {opened.value && !opened.value.connected.value && <span class="status asks" role="status">reconnecting…</span>}
      <Cost />
      <ModelPicker />
      <button type="button" class="small" aria-pressed={panel.value === "files"} onClick={() => { panel.value = panel.value === "files" ? null : "files"; }}>Files</button>
      <button type="button" class="small" aria-pressed={panel.value === "variables"} onClick={() => { panel.value = panel.value === "variables" ? null : "variables"; }}>Variables</button>
      <Menu />
    </header>
  );
}

function ModelPicker() {
  const details = opened.value?.details.value;
  const now = String(details?.settings["model"] || details?.model || chosenModel.value || models.value.default);
  const { choices } = models.value;
  const known = choices.some(({ name }) => name === now) || !now ? choices : [{ name: now, ready: true }, ...choices];
  return (
    <select class="model" aria-label="Model" value={now} onChange={(event) => void chooseModel(event.currentTarget.value)}>
      {known.map(({ name, ready }) => <option value={name}>{visible(name)}{ready ? "" : " (is downloaded first)"}</option>)}
    </select>
  );
}

/** What it cost, and how much of the budget is left. */
function Cost() {
  const session = opened.value;
  const details = session?.details.value;
  if (!session || !details) return null;
  const { dollars, input, output } = details.spent;
  const budget = Number(details.settings["max_budget"] ?? 0);
  const words = `${input.toLocaleString()} tokens in, ${output.toLocaleString()} out`;
  if (!dollars && !budget) return <span class="cost quiet" title={words}>{(input + output).toLocaleString()} tokens</span>;
  const shown = `$${(dollars ?? 0).toFixed((dollars ?? 0) < 1 ? 3 : 2)}`;
  return (
    <button type="button" class="cost bare" title={words} onClick={() => { dialog.value = { kind: "settings" }; }}>
      {budget ? `${shown} of $${budget}` : shown}
      {budget > 0 && <meter min={0} max={budget} high={budget * 0.8} value={dollars ?? 0} aria-label="Budget used" />}
    </button>
  );
}

const FORMATS: [string, string][] = [["html", "One HTML file"], ["ipynb", "Notebook (.ipynb)"], ["markdown", "Markdown"], ["json", "JSON"]];
const menuOpen = signal(false);

function Menu() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shut = (event: Event) => { if (!place.current?.contains(event.target as Node)) menuOpen.value = false; };
    addEventListener("pointerdown", shut);
    return () => removeEventListener("pointerdown", shut);
  }, []);
  const session = opened.value;
  const close = () => { menuOpen.value = false; };
  const item = (label: string, act: () => void) => <li><button type="button" class="bare" onClick={() => { close(); act(); }}>{label}</button></li>;
  return (
    <div class="menu" ref={place} onKeyDown={(event) => { if (event.key === "Escape") { close(); place.current!.querySelector("button")!.focus(); } }}>
      <button type="button" class="icon" aria-label="More" aria-expanded={menuOpen.value} onClick={() => { menuOpen.value = !menuOpen.value; }}><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M4 10h.01M10 10h.01M16 10h.01" /></svg></button>
      {menuOpen.value && (
        <ul>
          {session && <>
            {item("Try several ways…", showTries)}
            {item("Redo what was undone", () => void redo("refuse"))}
            {FORMATS.map(([format, label]) => <li><a href={api.exportAddress(session.id, format)} download="" onClick={close}>Export: {label}</a></li>)}
            {item("Settings", () => { dialog.value = { kind: "settings" }; })}
          </>}
          {item("Keys", () => { dialog.value = { kind: "keys" }; })}
          {item("Light or dark", switchColours)}
          {item("Sign out", () => void attempt(async () => { await api.logout(); location.reload(); }))}
        </ul>
      )}
    </div>
  );
}

function switchColours(): void {
  const dark = document.documentElement.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = dark === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  localStorage.setItem("theme", next);
}

// The conversation.

const SHOWN_FIRST = 60, SHOWN_MORE = 12; // items at once; earlier ones come when one scrolls to them
const AT_END = 80; // pixels

function ConversationView({ session }: { session: Opened }) {
  const conversation = session.conversation.value;
  conversation.version.value;
  const place = useRef<HTMLDivElement>(null);
  const follow = useRef(true);
  const seen = useRef({ top: 0, height: 0 });
  const [shown, setShown] = useState(SHOWN_FIRST);
  useEffect(() => {
    const scroller = place.current!;
    const content = scroller.firstElementChild!;
    const grown = new ResizeObserver(() => { if (follow.current) scroller.scrollTop = scroller.scrollHeight; });
    grown.observe(content);
    return () => grown.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (conversation.items.at(-1) instanceof Said) follow.current = true;
    if (follow.current) place.current!.scrollTop = place.current!.scrollHeight;
  }, [conversation.items.length]);
  const scrolled = () => {
    const { scrollTop, scrollHeight, clientHeight } = place.current!;
    // Blocks get their height when they are first seen: only who goes up while nothing shrinks has scrolled away.
    if (scrollHeight - scrollTop - clientHeight < AT_END) follow.current = true;
    else if (scrollTop < seen.current.top && scrollHeight >= seen.current.height) follow.current = false;
    else if (follow.current) place.current!.scrollTop = scrollHeight;
    seen.current = { top: scrollTop, height: scrollHeight };
    if (scrollTop < 600 && shown < conversation.items.length) setShown(shown + SHOWN_MORE);
  };
  const first = Math.max(0, conversation.items.length - shown);
  // What was drawn is the same object again, so that it is left alone: items redraw themselves.
  const drawn = useMemo(() => new WeakMap<Shown, VNode>(), [session]);
  const draw = (item: Shown) => {
    const view = drawn.get(item) ?? <div class="item" key={item.key}><ItemView item={item} session={session.id} /></div>;
    drawn.set(item, view);
    return view;
  };
  return (
    <div class="scroller" ref={place} onScroll={scrolled} tabIndex={0} role="region" aria-label="Conversation">
      <div class="conversation">
        <TryBanner session={session} />
        {first > 0 && <button type="button" class="earlier" onClick={() => setShown(shown + SHOWN_MORE)}>Show earlier</button>}
        {conversation.items.slice(first).map(draw)}
        {!conversation.items.length && !conversation.running.value && <p class="hollow">Nothing was said here yet.</p>}
        {conversation.running.value && <Working session={session} />}
      </div>
    </div>
  );
}

function Working({ session }: { session: Opened }) {
  const conversation = session.conversation.value;
  conversation.version.value;
  const last = conversation.items.at(-1);
  last?.version.value;
  if (conversation.retrying.value) return <p class="notice warning" role="status">{sentence(conversation.retrying.value)}</p>;
  if (last instanceof Block && (last.waits || last.state === "running")) return null;
  return <p class="working" role="status"><span class="pulse" aria-hidden="true" /> working</p>;
}

function TryBanner({ session }: { session: Opened }) {
  const parent = session.details.value?.parent;
  const tries = session.tries.value;
  if (!parent && tries) {
    return (
      <div class="notice info try">
        <p>{tries === 1 ? "A try" : `${tries} tries`} of this session {tries === 1 ? "is" : "are"} open, in copies of everything.</p>
        <div class="actions"><button type="button" class="small primary" onClick={showTries}>Compare and keep one</button></div>
      </div>
    );
  }
  if (!parent) return null;
  const changes = () => attempt(async () => { dialog.value = { kind: "diff", title: "What this try did", text: (await api.compare(session.id)).text }; });
  return (
    <div class="notice info try">
      <p>This is a try, apart from <a href={`#/s/${encodeURIComponent(parent)}`}>the session it came from</a>: files and variables there stay as they are until you keep it.</p>
      <div class="actions">
        <button type="button" class="small" onClick={() => void changes()}>What it did</button>
        <button type="button" class="small primary" onClick={showTries}>Compare and keep one</button>
      </div>
    </div>
  );
}

function ItemView({ item, session }: { item: Shown; session: string }) {
  item.version.value;
  if (item instanceof Block) return <BlockView block={item} session={session} />;
  if (item instanceof Prose) return <Markdown text={item.text} session={session} />;
  if (item instanceof Thought) return <details class="thought"><summary>{item.open ? "Thinking…" : "Thoughts"}</summary><Markdown text={item.text} session={session} /></details>;
  if (item instanceof Note) return <p class={`notice ${item.level}`}>{sentence(item.text)}</p>;
  if (!(item instanceof Said)) return null;
  return (
    <div class="said">
      <span class="hidden">You: </span>{tamePlain(item.text)}
      {item.pictures.map((picture) => {
        const face = picture.faces.find((one) => one.media_type.startsWith("image/"));
        return face && <PictureView face={face} label="Picture you sent" session={session} />;
      })}
    </div>
  );
}

// Before anything was said.

const EXAMPLES: [string, string][] = [
  ["Look at my data", "Which files are here? Pick the most interesting table, describe its columns and plot something that stands out."],
  ["Tidy up", "Find duplicate files in this folder and show me how much space they take. Do not delete anything yet."],
  ["Draw", "Plot the first 2,000 digits of π as a random walk."],
  ["Convert", "Turn every PNG in this folder into a JPEG half its size."],
];

function Welcome() {
  if (loading.value) return <div class="welcome" role="status"><p class="hollow">Opening…</p></div>;
  return (
    <div class="welcome">
      <div>
        <h2>What shall we do?</h2>
        <p>Say what you want. A model writes code, you see every line before it runs, it runs on this machine inside a sandbox, and whatever it does can be undone.</p>
        <ul class="examples">
          {EXAMPLES.map(([title, text]) => (
            <li><button type="button" onClick={() => { draft.value = text; focusComposer(); }}><strong>{title}</strong><span>{text}</span></button></li>
          ))}
        </ul>
        <p class="quiet">Drop files anywhere to work on them. {me.value && <>New sessions work in <code>{visible(me.value.workspace_root)}</code>.</>} Press <kbd>?</kbd> for keys.</p>
      </div>
    </div>
  );
}

function DropPlace() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const files = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const enter = (event: DragEvent) => { if (files(event)) { depth++; setOver(true); } };
    const exit = () => { depth = Math.max(0, depth - 1); if (!depth) setOver(false); };
    const hover = (event: DragEvent) => { if (files(event)) event.preventDefault(); };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!files(event)) return;
      event.preventDefault();
      void upload([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", exit);
    addEventListener("dragover", hover);
    addEventListener("drop", drop);
    return () => { removeEventListener("dragenter", enter); removeEventListener("dragleave", exit); removeEventListener("dragover", hover); removeEventListener("drop", drop); };
  }, []);
  return over ? <div class="drop"><p>Drop files to put them into the workspace</p></div> : null;
}

function ToastView() {
  const shown = toast.value;
  useEffect(() => {
    if (!shown || shown.level === "error") return;
    const timer = setTimeout(() => { if (toast.value === shown) toast.value = null; }, 12_000);
    return () => clearTimeout(timer);
  }, [shown]);
  if (!shown) return null;
  return (
    <div class={`toast ${shown.level}`} role={shown.level === "error" ? "alert" : "status"}>
      <span>{sentence(shown.text)}</span>
      {shown.label && <button type="button" class="small" onClick={() => { toast.value = null; shown.act!(); }}>{shown.label}</button>}
      <button type="button" class="icon" aria-label="Dismiss" onClick={() => { toast.value = null; }}>×</button>
    </div>
  );
}
