/** Finds the known name that a misspelled name means. */

/** Longer names are not compared. */
const maxCharacters = 40;
const maxWrong = 2;

/**
 * The known name that `name` probably means. Compares letters and digits only, without case and without the `s` of a
 * plural. The first known name of the first rule that fits counts: equal; one begins with the other, and both have at
 * least 6 characters; at most two wrong letters, or one in a short name. Undefined if `name` is known, too short or too
 * long, or if no rule fits.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name) || name.length > maxCharacters) return undefined;
  const written = plainForm(name);
  if (written.length < 3) return undefined;
  const plainForms = known.map((each) => plainForm(each.slice(0, 2 * maxCharacters)));
  const close = (test: (plain: string) => boolean): string | undefined => known[plainForms.findIndex(test)];
  return (
    close((plain) => plain === written) ??
    close(
      (plain) => written.length >= 6 && plain.length >= 6 && (plain.startsWith(written) || written.startsWith(plain)),
    ) ??
    close((plain) => isSlip(written, plain))
  );
}

function isSlip(written: string, plain: string): boolean {
  if (Math.abs(written.length - plain.length) > maxWrong) return false;
  return editDistance(written, plain) <= (Math.min(written.length, plain.length) < 6 ? 1 : maxWrong);
}

/** Letters and digits only, in lower case, without the `s` of a plural. */
function plainForm(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/s$/u, '');
}

/** The Levenshtein distance. Two swapped characters count as one change. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? Number.POSITIVE_INFINITY) + 1 : replaced;
      row.push(Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
