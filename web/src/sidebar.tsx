// The sessions there are, the last used first.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "./api";
import { dialog, drawer, findSessions, me, newSession, opened, openSession, search, sessions } from "./store";
import { visible } from "./visible";

const ROW = 56; // pixels; the same in the style sheet

export function Sidebar() {
  useEffect(() => {
    const timer = setTimeout(() => void findSessions(), 150);
    return () => clearTimeout(timer);
  }, [search.value]);
  return (
    <nav class={drawer.value ? "sidebar open" : "sidebar"} aria-label="Sessions">
      <header>
        <span class="brand"><Logo /> reploop</span>
        <button type="button" class="icon only-small" aria-label="Close the list of sessions" onClick={() => { drawer.value = false; }}>×</button>
      </header>
      <button type="button" class="new" onClick={newSession}>New session</button>
      <input id="session-search" type="search" placeholder="Search sessions" aria-label="Search sessions" value={search.value} onInput={(event) => { search.value = event.currentTarget.value; }} />
      <SessionList />
      <footer class="quiet">{me.value && <>Version {me.value.version} · your machine, your files</>}</footer>
    </nav>
  );
}

/** Only the rows that are seen exist. */
function SessionList() {
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const all = sessions.value;
  const seen = Math.ceil((place.current?.clientHeight ?? 800) / ROW) + 2;
  const first = Math.max(0, Math.min(all.length - seen, Math.floor(top / ROW)));
  if (!all.length) return <p class="hollow">{search.value ? "No session has these words." : "Your sessions will be listed here."}</p>;
  return (
    <div class="sessions" ref={place} tabIndex={-1} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <ul style={{ height: `${all.length * ROW}px`, paddingTop: `${first * ROW}px` }}>
        {all.slice(first, first + seen).map((one) => <Row key={one.id} one={one} />)}
      </ul>
    </div>
  );
}

function Row({ one }: { one: Session }) {
  const current = opened.value?.id === one.id;
  return (
    <li class={current ? "current" : undefined}>
      <button type="button" class="bare session" aria-current={current ? "page" : undefined} onClick={() => void openSession(one.id)}>
        <span class="title">{one.parent ? "↳ " : ""}{visible(one.title.slice(0, 200)) || "Untitled"}</span>
        <span class="quiet">{one.state === "waiting" ? "waits for you" : one.state === "running" ? "running" : ago(one.updated)}</span>
      </button>
      <button type="button" class="icon remove" aria-label={`Delete ${visible(one.title.slice(0, 60)) || "this session"}`} onClick={() => { dialog.value = { kind: "remove", session: one }; }}>×</button>
    </li>
  );
}

function ago(seconds: number): string {
  const minutes = Math.max(0, (Date.now() / 1000 - seconds) / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (minutes < 60 * 24) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString();
}

export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" /><path d="M9 11l5 5-5 5M17 21h7" /></svg>
);
