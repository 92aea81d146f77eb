/** Files of data, by their endings. Many lines of them have the words of a query, and none says what the code does. */

const dataEndings = new Set('csv geojson jsonl ndjson tsv'.split(' '));
const asksForData = /\b(?:csv|tsv|jsonl|ndjson|geojson|data|datasets?|rows?|columns?|records?)\b/iu;

/** What a match in data counts: enough to be found where nothing else fits as well. */
const dataShare = 0.5;

/** By which the score of a file is multiplied; 1 where the query is about data. */
export function shareOfData(query: string): (name: string) => number {
  const share = asksForData.test(query) ? 1 : dataShare;
  return (name) => (dataEndings.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ? share : 1);
}
