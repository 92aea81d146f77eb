import { visibleText } from '../../../texts/visible-text.ts';
import { countOf } from '../../elements/text.tsx';
import { diffLines } from './text-diff.ts';

const signs = { same: ' ', old: '−', new: '+' } as const;

/** The lines that only one of two texts has, with a few lines around them. */
export function TextDiffView({ label, before, after }: { label: string; before: string; after: string }) {
  const parts = diffLines(before, after);
  const words = { same: '', old: 'only in the saved file: ', new: 'only in your text: ' };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="policy-diff" aria-label={label} tabIndex={0}>
      {parts.every(({ kind }) => kind === 'hidden') ? (
        <p class="policy-diff-hidden">Both have the same lines.</p>
      ) : (
        parts.map((part, index) =>
          part.kind === 'hidden' ? (
            <p key={index} class="policy-diff-hidden">
              {countOf(part.count, 'line')} in both
            </p>
          ) : (
            <p key={index} class={`policy-diff-line policy-diff-${part.kind}`}>
              <span aria-hidden="true">{signs[part.kind]} </span>
              {words[part.kind] !== '' && <span class="visually-hidden">{words[part.kind]}</span>}
              <span>{visibleText(part.text)}</span>
            </p>
          ),
        )
      )}
    </section>
  );
}
