/** Decodes percent-encoding. Returns the text unchanged if it is not valid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
