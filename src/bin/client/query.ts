/** The query of a request: a list is a parameter that is repeated. */
export function queryOf(request: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(request).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    ),
  );
}
