import { visibleText } from '../../../texts/visible-text.ts';

/** A path with the typed letters highlighted. */
export function MatchedPath({ path, query }: { path: string; query: string }) {
  const marked = markedPlaces(path, query);
  const nameAt = path.replace(/\/$/u, '').lastIndexOf('/') + 1;
  const pieces: { text: string; isMarked: boolean; isName: boolean }[] = [];
  let at = 0;
  for (const character of path) {
    const [isMarked, isName] = [marked.has(at), at >= nameAt];
    const last = pieces.at(-1);
    if (last !== undefined && last.isMarked === isMarked && last.isName === isName) last.text += character;
    else pieces.push({ text: character, isMarked, isName });
    at += character.length;
  }
  return (
    <bdi class="file-path" title={visibleText(path)}>
      {pieces.map(({ text, isMarked, isName }, index) => (
        <span key={index} class={isName ? 'file-path-name' : 'file-path-folder'}>
          {isMarked ? <mark>{visibleText(text)}</mark> : visibleText(text)}
        </span>
      ))}
    </bdi>
  );
}

/**
 * The positions to highlight. A word that occurs in the path is highlighted at its last occurrence. Of any other word,
 * single letters are matched from the end of the path.
 */
function markedPlaces(path: string, query: string): Set<number> {
  const lower = path.toLowerCase();
  const places = new Set<number>();
  if (lower.length !== path.length) return places;
  for (const word of query.toLowerCase().split(/\s+/u).filter(Boolean)) {
    const whole = lower.lastIndexOf(word);
    if (whole >= 0) {
      for (let at = whole; at < whole + word.length; at += 1) places.add(at);
      continue;
    }
    const found: number[] = [];
    let before = path.length;
    for (const letter of [...word].reverse()) {
      before = before <= 0 ? -1 : lower.lastIndexOf(letter, before - 1);
      if (before < 0) break;
      found.push(before);
    }
    if (found.length === [...word].length) for (const at of found) places.add(at);
  }
  return places;
}
