import { EditorView } from '@codemirror/view';

/**
 * Uses the page's colours, which also apply inside shadow trees, instead of the editor's colours and its `data:`
 * pictures.
 */
export const editorLook = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', maxHeight: 'min(60vh, 560px)', overflow: 'auto' },
  '.cm-content, .cm-gutter': { minHeight: '240px' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--accent-soft)' },
  '.cm-line': { overflowWrap: 'anywhere' },
  '.cm-gutters': {
    color: 'var(--ink-soft)',
    backgroundColor: 'var(--surface-sunken)',
    borderRight: '1px solid var(--line)',
    borderRadius: 'var(--radius-small) 0 0 var(--radius-small)',
  },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { content: 'none', width: '10px', height: '10px', margin: '5px 3px', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'none', borderRadius: '2px', backgroundColor: 'var(--warn)' },
  '.cm-lintRange': { paddingBottom: '0' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--warn-soft)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    boxShadow: 'var(--shadow-high)',
    maxWidth: 'min(560px, 90vw)',
  },
  '.cm-diagnostic': { padding: '5px 10px', margin: '0', fontFamily: 'var(--sans)' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--warn)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--ink)', background: 'var(--accent-soft)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': {
    color: 'var(--ink-soft)',
    fontFamily: 'var(--sans)',
    fontStyle: 'normal',
    marginLeft: '1.5em',
  },
});
