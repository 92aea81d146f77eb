/** `If-Match` and `If-None-Match`: the same for everything that has a version (AN-05; RFC 9110, 13.1). */
import { z } from 'zod';
import { refuseField } from '../../src/errors.ts';
import type { ExpectedVersion } from '../../src/ports/expected-version.ts';

type EntityTag = { value: string; isWeak: boolean };
type Header = 'if-match' | 'if-none-match';
type Headers = { [Name in Header]?: string | undefined };

const entityTags = z
  .string()
  .max(1024)
  .refine((text) => parseEntityTags(text) !== undefined, 'must be `*`, or entity tags in double quotes, with commas')
  .optional();

/** Loose, because a request has other headers too. */
export const preconditionHeaders = z.looseObject({
  'if-match': entityTags.describe(
    'Versions, as in `ETag`. The present version must be one of them; `*` means any version. Otherwise the answer is 412. A weak version (`W/`) never matches.',
  ),
  'if-none-match': entityTags.describe(
    'Versions. The present version must not be one of them; `*` means that there must be nothing yet. Otherwise the answer is 412.',
  ),
});

/** For a part of an agent: the agent has the version. Loose, as above. */
export const partPreconditionHeaders = (part: string) =>
  z.looseObject({
    'if-match': entityTags.describe(
      `Versions of the agent, as in \`ETag\`. The present version must be one of them; \`*\` means that the ${part} must exist. Otherwise the answer is 412. A weak version (\`W/\`) never matches.`,
    ),
    'if-none-match': entityTags.describe(
      `Versions of the agent. The present version must not be one of them; \`*\` means that the ${part} must not exist yet. Otherwise the answer is 412.`,
    ),
  });

/** For an operation that changes nothing and whose answer the caller may have already. Loose, as above. */
export const seenHeaders = z.looseObject({
  'if-none-match': entityTags.describe(
    'Versions, as in `ETag`, that the caller has. If the present version is one of them, the answer is 304.',
  ),
});

/** The versions that the headers allow: both headers must match. Without headers, any version is allowed. */
export function expectedVersion(headers: Headers): ExpectedVersion {
  const wanted = tagsOf(headers['if-match']);
  const unwanted = tagsOf(headers['if-none-match']);
  return (present, isThere = present !== undefined) =>
    (wanted === undefined || names(wanted, { present, isThere }, 'strong')) &&
    (unwanted === undefined || !names(unwanted, { present, isThere }, 'weak'));
}

/** As `expectedVersion`. Throws `invalid_request` without any of the headers `oneOf`. */
export function requiredVersion(headers: Headers, oneOf: readonly Header[]): ExpectedVersion {
  if (oneOf.some((name) => headers[name] !== undefined)) return expectedVersion(headers);
  const said = {
    'if-match': '"If-Match" with its etag',
    'if-none-match': '"If-None-Match: *" if there is no file yet',
  };
  const message = `Say which version you have seen: ${oneOf.map((name) => said[name]).join(', or ')}.`;
  throw refuseField('invalid_request', `/${oneOf[0]}`, message);
}

/** The headers were checked before, so each one is a list of tags or `*`. */
function tagsOf(header: string | undefined): '*' | readonly EntityTag[] | undefined {
  return header === undefined ? undefined : parseEntityTags(header);
}

/** A weak tag matches only in a weak comparison. */
function names(
  tags: '*' | readonly EntityTag[],
  { present, isThere }: { present: string | undefined; isThere: boolean },
  comparison: 'strong' | 'weak',
): boolean {
  if (tags === '*') return isThere;
  return tags.some(({ value, isWeak }) => value === present && (comparison === 'weak' || !isWeak));
}

/** Undefined if the text is neither `*` nor a list of entity tags. */
function parseEntityTags(text: string): '*' | EntityTag[] | undefined {
  if (text.trim() === '*') return '*';
  // Every second piece is a tag. The pieces between have commas, blanks and the mark of a weak tag.
  const pieces = text.split('"');
  if (pieces.length === 1 || pieces.length % 2 === 0) return undefined;
  const tags: EntityTag[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const [gap = '', value] = [pieces[at], pieces[at + 1]];
    const isWeak = value !== undefined && gap.endsWith('W/');
    if (!isSeparator(isWeak ? gap.slice(0, -2) : gap)) return undefined;
    if (value === undefined) return tags;
    if (at > 0 && !gap.includes(',')) return undefined;
    if (![...value].every(isTagCharacter)) return undefined;
    tags.push({ value, isWeak });
  }
  return tags;
}

function isSeparator(text: string): boolean {
  return [...text].every((character) => ', \t'.includes(character));
}

function isTagCharacter(character: string): boolean {
  return character > ' ' && character !== '\u007f';
}
