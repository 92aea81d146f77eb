import { useEffect, useState } from 'preact/hooks';
import { tinykeys } from 'tinykeys';
import { Dialog } from '../elements/dialog.tsx';
import { undoLast } from '../elements/toasts.tsx';
import { addressOf, go } from '../route.ts';
import { views } from '../views/views.ts';

/** Keys that work everywhere except in text fields, and a list of them. */
export function Keyboard() {
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useEffect(() => {
    const outsideText = (work: (event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
      if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      work(event);
    };
    return tinykeys(window, {
      ...Object.fromEntries(views.map((view) => [`g ${view.key}`, outsideText(() => go(addressOf(view.name)))])),
      '/': outsideText(() =>
        document.querySelector<HTMLElement>('[data-main-field] input, input[data-main-field]')?.focus(),
      ),
      d: outsideText(() => document.querySelector<HTMLElement>('.directory-picker input')?.focus()),
      '$mod+z': outsideText(undoLast),
      'Shift+?': outsideText(() => setIsHelpOpen(true)),
    });
  }, []);
  if (!isHelpOpen) return null;
  return (
    <Dialog title="Keys" onClose={() => setIsHelpOpen(false)}>
      <dl class="keys">
        {views.map((view) => (
          <div key={view.name}>
            <dt>
              <kbd>g</kbd> <kbd>{view.key}</kbd>
            </dt>
            <dd>{view.title}</dd>
          </div>
        ))}
        {otherKeys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const otherKeys = [
  ['/', 'Go to the main field of the view'],
  ['d', 'Go to the mounted directory'],
  ['Ctrl Z', 'Undo the last removal'],
  ['Esc', 'Close what is open'],
  ['?', 'Show this list'],
] as const;

function isTextField(target: EventTarget | null): boolean {
  // Inside a shadow tree, the target of the event is its host.
  const element = target instanceof Element ? (target.shadowRoot?.activeElement ?? target) : null;
  return (
    element !== null &&
    element.closest(
      'input:not([type=radio],[type=checkbox],[type=range]), textarea, select, [contenteditable=true]',
    ) !== null
  );
}
