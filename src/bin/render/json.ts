/** JSON on standard output. Control characters and invisible characters are escaped, which does not change its meaning. */

/** With indentation. */
export function printJson(value: unknown): void {
  console.log(harmless(JSON.stringify(value, null, 2)));
}

/** On one line, for streams. */
export function printJsonLine(value: unknown): void {
  console.log(harmless(JSON.stringify(value)));
}

function harmless(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
