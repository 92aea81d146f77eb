import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic as EditorDiagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, Text } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import type { Diagnostic } from '../../../validation/diagnostic.ts';
import { policyCompletions } from './completions.ts';
import { editorLook } from './editor-look.ts';

type PolicyTextFieldProps = {
  label: string;
  value: string;
  /** Returns the newest text, which may be newer than the rendered one, so that no typed text is lost. */
  newest: () => string;
  onInput: (text: string) => void;
  onSave: () => void;
  diagnostics: readonly Diagnostic[];
  findFiles: (query: string) => Promise<readonly string[]>;
  /** A line to go to, once for each `turn`. */
  goTo: { line: number; turn: number } | undefined;
};

/** Marks changes that nobody typed. */
const fromOutside = Annotation.define<true>();

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket], color: 'var(--ink-soft)' },
]);

/**
 * A text field for YAML. It is in a shadow tree, because there the editor uses constructed style sheets. In the page it
 * would write `<style>` elements, which the content security policy forbids.
 */
export function PolicyTextField(props: PolicyTextFieldProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { value, diagnostics, goTo } = props;

  useEffect(() => {
    const element = host.current as HTMLDivElement;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const made = new EditorView({ root, parent: root, state: createState(latest.current.value, latest) });
    view.current = made;
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const current = view.current;
    const text = latest.current.newest();
    if (current === undefined || current.state.sliceDoc() === text) return;
    if (separatorOf(text) !== current.state.lineBreak) current.setState(createState(text, latest));
    else current.dispatch({ changes: changeTo(current.state.doc, text), annotations: fromOutside.of(true) });
  }, [value]);

  useEffect(() => {
    const current = view.current;
    if (current === undefined) return;
    const found = diagnostics.map((each) => placeOf(current.state.doc, each));
    current.dispatch(setDiagnostics(current.state, found));
  }, [diagnostics, value]);

  useEffect(() => {
    const current = view.current;
    if (current === undefined || goTo === undefined) return;
    const { doc } = current.state;
    const { to } = doc.line(Math.min(Math.max(goTo.line, 1), doc.lines));
    current.dispatch({
      selection: { anchor: to },
      effects: EditorView.scrollIntoView(to, { y: 'center' }),
    });
    current.focus();
    host.current?.scrollIntoView({ block: 'nearest' });
  }, [goTo?.turn]);

  return <div ref={host} class="policy-text-field" />;
}

function createState(text: string, latest: { current: PolicyTextFieldProps }): EditorState {
  const { label } = latest.current;
  const saveByKey = () => {
    latest.current.onSave();
    return true;
  };
  return EditorState.create({
    doc: text,
    extensions: [
      // Keeps the line ends of the file.
      ...(separatorOf(text) === '\n' ? [] : [EditorState.lineSeparator.of('\r\n')]),
      lineNumbers(),
      lintGutter(),
      highlightSpecialChars(),
      highlightActiveLine(),
      history(),
      yaml(),
      syntaxHighlighting(colours),
      autocompletion({
        override: [policyCompletions((query) => latest.current.findFiles(query))],
        icons: false,
        activateOnCompletion: ({ label: chosen }) => chosen === 'ai_context_policy' || chosen === 'exclude',
      }),
      keymap.of([
        { key: 'Mod-s', run: saveByKey, preventDefault: true },
        ...completionKeymap,
        ...historyKeymap,
        // Tab is not among these keys, so it moves on to the next element.
        ...defaultKeymap,
      ]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocorrect: 'off' }),
      EditorView.domEventHandlers({ beforeinput: insertTyped }),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        if (docChanged && !transactions.some((each) => each.annotation(fromOutside) === true))
          latest.current.onInput(state.sliceDoc());
      }),
      editorLook,
    ],
  });
}

/**
 * Inserts the text itself when text is typed over a selection. The browser would set a `style` that the policy of the
 * page forbids.
 */
function insertTyped(event: InputEvent, view: EditorView): boolean {
  if (event.inputType !== 'insertText' || event.data === null || view.composing) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
  return true;
}

/** `\r\n` only if every line ends with it. */
function separatorOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') && !/(?<!\r)\n/u.test(text) ? '\r\n' : '\n';
}

/** The smallest change, so that the cursor stays in its place. */
function changeTo(doc: Text, text: string) {
  const [before, after] = [doc.toString(), text.replaceAll('\r\n', '\n')];
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return {
    from: start,
    to: before.length - end,
    insert: Text.of(after.slice(start, after.length - end).split('\n')),
  };
}

/** The word at the place of a finding. */
function placeOf(doc: Text, { line = 1, column = 1, severity, message }: Diagnostic): EditorDiagnostic {
  const { from: start, text } = doc.line(Math.min(line, doc.lines));
  const offset = Math.min(column - 1, text.length);
  const word = /^(?:"[^"]*"?|'[^']*'?|[^\s#,\]]+)/u.exec(text.slice(offset))?.[0].length ?? 0;
  return { from: start + offset, to: start + Math.min(offset + Math.max(word, 1), text.length), severity, message };
}
