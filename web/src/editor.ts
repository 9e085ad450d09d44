// A real editor, in a shadow tree of its own: its styles need no exception from the content policy.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { javascript, typescript } from "@codemirror/legacy-modes/mode/javascript";
import { r } from "@codemirror/legacy-modes/mode/r";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, MatchDecorator, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { drawn, isMark } from "./visible";

const STREAMS: Record<string, Parameters<typeof StreamLanguage.define>[0]> = { javascript, typescript, r, ruby, shell, bash: shell, sh: shell, zsh: shell };

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.className], color: "var(--code-title)" },
]);

const LOOK = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "inherit", fontSize: "0.875rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--accent)", padding: "0.75rem 0" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--quiet)", border: "none", fontFamily: "var(--mono)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-specialChar": { color: "var(--warn)" },
});

class Mark extends WidgetType {
  constructor(private readonly shown: string) { super(); }

  override eq(other: Mark): boolean {
    return other.shown === this.shown;
  }

  toDOM(): HTMLElement {
    const span = document.createElement("span");
    span.className = "cm-specialChar";
    span.textContent = this.shown;
    return span;
  }
}

const MARKED = new MatchDecorator({
  regexp: /[^\t -~]/gu,
  decorate(add, from, to, [character]) {
    const shown = drawn(character)[0]!;
    if (isMark(shown)) add(from, to, Decoration.replace({ widget: new Mark(shown) }));
  },
});

/** Characters that are drawn as marks elsewhere are marked here, too. */
const MARKS = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) { this.decorations = MARKED.createDeco(view); }
    update(update: ViewUpdate) { this.decorations = MARKED.updateDeco(update, this.decorations); }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Typing over a selection; left to the browser, it would add a style that the policy forbids. */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || !event.data || event.isComposing || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

function languageOf(name: string): Extension {
  const lower = name.toLowerCase();
  if (["python", "py", "python3"].includes(lower)) return python();
  const stream = STREAMS[lower];
  return stream ? StreamLanguage.define(stream) : [];
}

export function openEditor(place: HTMLElement, source: string, language: string, run: (source: string) => void, cancel: () => void): { text(): string; close(): void } {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const text = () => view.state.sliceDoc();
  const view: EditorView = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: source,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run: () => { run(text()); return true; } },
          { key: "Escape", run: () => { cancel(); return true; } },
        ]),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorState.lineSeparator.of("\n"), // so that nothing else is taken for the end of a line
        history(), lineNumbers(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), indentUnit.of("    "),
        EditorView.lineWrapping, EditorView.contentAttributes.of({ "aria-label": `Edit the code, ${language}. Escape leaves the editor.` }),
        languageOf(language), syntaxHighlighting(COLOURS), LOOK, MARKS, TYPED_OVER,
      ],
    }),
  });
  view.focus();
  return { text, close: () => view.destroy() };
}
