/**
 * A word of a shell command that means exactly this text. Characters that a terminal would act on when it is pasted,
 * such as a line end or Ctrl+C, are written as bytes. sh since POSIX 2024, bash, zsh and ksh read these (S-11).
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  if (!steering.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${text.replace(/[\\'\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    steering.test(character) ? octal(character) : `\\${character}`,
  )}'`;
}

const steering = /[\p{C}\p{Zl}\p{Zp}]/u;

function octal(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
