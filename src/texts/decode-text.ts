/**
 * The text of UTF-8 bytes, without BOM. Bytes with NUL are binary, except after a mark of UTF-16. If `truncated`, an
 * incomplete last character is dropped (CC-35).
 */
export function decodeText(
  bytes: Uint8Array,
  truncated: boolean,
): { text: string } | { problem: 'binary' | 'invalid_utf8' } {
  if (isUtf16(bytes)) return { problem: 'invalid_utf8' };
  if (bytes.includes(0)) return { problem: 'binary' };
  const whole = truncated ? bytes.subarray(0, lastCharacterEnd(bytes)) : bytes;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(whole) };
  } catch {
    return { problem: 'invalid_utf8' };
  }
}

/** Some Windows programs write this, for example redirections of PowerShell. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** The text without the byte order mark that some editors write first. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Where the last whole UTF-8 character ends. */
function lastCharacterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < needed ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
