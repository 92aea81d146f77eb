/** Shows text that a person approves: complete, and with nothing in it that could be overlooked or mistaken (S-19). */
import type { ComponentChildren } from 'preact';
import { visibleText } from '../../../texts/visible-text.ts';

/**
 * Shows the text to the letter. It marks characters that are not plain ASCII, and shows invisible ones as code points.
 */
export function ExactText({ text }: { text: string }) {
  if (text === '') return <em class="faint">empty</em>;
  return <bdi class="servers-exact">{marked(text)}</bdi>;
}

function marked(text: string, keepsLines = false): ComponentChildren {
  return text.split(keepsLines ? /([^\n\u{20}-\u{7e}]+)/u : /([^\u{20}-\u{7e}]+)/u).map((part, index) => {
    if (part === '' || index % 2 === 0) return part;
    const shown = visibleText(part);
    const codes = [...part].slice(0, 16).map((letter) => `U+${letter.codePointAt(0)?.toString(16).padStart(4, '0')}`);
    return (
      <mark key={index} class={shown === part ? 'servers-foreign' : 'servers-invisible'} title={codes.join(' ')}>
        {shown}
      </mark>
    );
  });
}

type Difference = {
  before: string | undefined;
  after: string | undefined;
  /** Whether line breaks break lines, as in prose. Otherwise they are marked. */
  keepsLines?: boolean;
};

/** Shows the text before and after a change, with the differing part emphasised. */
export function BeforeAndAfter({ before, after, keepsLines = false }: Difference) {
  const [start, end] = before === undefined || after === undefined ? [0, 0] : commonEnds(before, after);
  const common = { start, end, keepsLines };
  return (
    <div class="servers-diff">
      <DiffLine sign="−" label="Before" text={before} {...common} />
      <DiffLine sign="+" label="Now" text={after} {...common} />
    </div>
  );
}

type LineProps = {
  sign: string;
  label: string;
  text: string | undefined;
  start: number;
  end: number;
  keepsLines: boolean;
};

function DiffLine({ sign, label, text, start, end, keepsLines }: LineProps) {
  const shown = () => {
    if (text === undefined) return <em class="faint">{sign === '+' ? 'no longer there' : 'not there before'}</em>;
    if (text === '') return <em class="faint">empty</em>;
    return (
      <bdi class="servers-exact">
        {marked(text.slice(0, start), keepsLines)}
        <strong>{marked(text.slice(start, text.length - end), keepsLines)}</strong>
        {marked(text.slice(text.length - end), keepsLines)}
      </bdi>
    );
  };
  return (
    <p class={sign === '+' ? 'servers-added' : 'servers-removed'}>
      <span class="servers-sign" aria-hidden="true">
        {sign}
      </span>
      <span class="visually-hidden">{label}: </span>
      {shown()}
    </p>
  );
}

/** How many characters two texts have in common at the start and at the end. */
function commonEnds(one: string, other: string): [number, number] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [start, end];
}
