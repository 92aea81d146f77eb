/** An explain result as a page for people: each verdict, and the steps that led to it. */
import { howToFollow, isUnfollowed } from '../../access/refusal-words.ts';
import type { Step } from '../../access/trace.ts';
import type { ExplainResult, Explanation } from '../../context/explain-result.ts';
import { wordsOfExclusion } from '../../context/reason-words.ts';
import { type Sheet, type Style, warningSection } from './page.ts';
import { padText, textWidth, wrapText } from './terminal-text.ts';

const marks: Record<Explanation['verdict'], { mark: string; style: Style }> = {
  active: { mark: '●', style: 'green' },
  available: { mark: '○', style: 'dim' },
  excluded: { mark: '✕', style: 'red' },
};

/** The page, lines ended by `\n`. Nothing in it comes from a file unescaped. */
export function renderExplanation({ candidates, warnings }: ExplainResult, sheet: Sheet): string {
  const { width, paint, say } = sheet;
  const lines = candidates.flatMap(({ path, verdict, reason, steps }) => {
    const { mark, style } = marks[verdict];
    const { code, detail } = reason;
    const why = detail === undefined ? wordsOfExclusion(reason) : `${words(code)}: ${detail}`;
    const ruleWidth = Math.max(...steps.map(({ rule }) => textWidth(words(rule))), 0);
    return [
      `${paint(style, mark)} ${paint('bold', say(path))}`,
      ...wrapText(say(`${verdict}, ${why}`), width - 2).map((line) => `  ${line}`),
      ...steps.flatMap((step) => renderStep(step, { width, ruleWidth, say })).map((line) => `  ${paint('dim', line)}`),
      '',
    ];
  });
  const none = candidates.length === 0 ? ['No file is a candidate for context here.', ''] : [];
  const isLinked = candidates.some(({ reason }) => isUnfollowed(reason));
  const help = isLinked ? [...wrapText(howToFollow, width), ''] : [];
  return `${[...none, ...lines, ...help, ...warningSection(warnings, sheet)].join('\n').trimEnd()}\n`;
}

function renderStep(step: Step, page: { width: number; ruleWidth: number; say(text: string): string }): string[] {
  const rule = padText(words(step.rule), page.ruleWidth);
  const outcome = words(step.outcome);
  // A detail may begin with the code of the reason.
  const detail = step.detail?.replace(/^[a-z]+(?:_[a-z]+)+(?=$|:)/u, words);
  const text = detail === undefined || detail === step.outcome ? outcome : `${outcome}: ${detail}`;
  const [first = '', ...rest] = wrapText(page.say(text), page.width - page.ruleWidth - 6);
  const indent = ' '.repeat(page.ruleWidth + 4);
  return [`· ${rule}  ${first}`, ...rest.map((line) => indent + line)];
}

function words(code: string): string {
  return code.replaceAll('_', ' ');
}
