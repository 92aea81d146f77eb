/**
 * The form in which names are compared: composed (NFC), with each character in simple lower case. `İ`, `ı`, `K`
 * (Kelvin) and `ſ` become `i`, `i`, `k` and `s`. One character never becomes several (`ß` stays), so lengths can be
 * counted (S-50).
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text.normalize('NFC')) {
    // The lower case of İ is written as i with a combining dot; both must equal i.
    if (character !== '\u0307' || !folded.endsWith('i')) folded += foldCharacter(character);
  }
  return folded.normalize('NFC');
}

/** Folds one code point of composed text. The result is one code point. */
export function foldCodePoint(codePoint: number): number {
  return codePointOf(foldCharacter(String.fromCodePoint(codePoint)));
}

/** Such a text is the same in all Unicode forms. */
export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Goes through upper case, which makes more characters equal (ſ and s, ς and σ, µ and μ). */
function foldCharacter(character: string): string {
  if (character === 'İ') return 'i';
  const upper = character.toUpperCase();
  const lower = (isSingle(upper) ? upper : character).toLowerCase();
  return isSingle(lower) ? lower : character;
}

function isSingle(text: string): boolean {
  return text.length === (codePointOf(text) > 0xffff ? 2 : 1);
}

function codePointOf(text: string): number {
  return text.codePointAt(0) ?? 0;
}
