/** The part of autocannon that is used here. */
declare module 'autocannon' {
  type Request = {
    method: 'GET' | 'POST' | 'PATCH';
    path: string;
    body?: string;
    headers?: Record<string, string>;
    /** Makes the request anew each time it is sent. */
    setupRequest?: (request: Request) => Request;
    onResponse?: (status: number, body: string, context: object, headers: Record<string, string>) => void;
  };
  type Options = {
    url: string;
    connections: number;
    duration: number;
    overallRate?: number;
    ignoreCoordinatedOmission?: boolean;
    timeout?: number;
    requests: Request[];
  };
  type Result = {
    errors: number;
    timeouts: number;
    requests: { total: number };
    latency: Record<'p50' | 'p90' | 'p99' | 'p99_9' | 'max', number>;
  };
  export default function autocannon(options: Options): Promise<Result>;
}
