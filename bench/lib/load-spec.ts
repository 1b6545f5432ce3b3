/** The messages to and from the load generator. */

/** Placeholder in a request. Each request sent has a different number of the same width in its place. */
export const COUNTER = '@@@@@@@@@@'

export interface LoadSpec {
  port: number
  /** Ports of further processes: the connections are spread over all of them. */
  morePorts?: readonly number[]
  /** Complete HTTP/1.1 requests, sent in turn. Each may contain `COUNTER` once. */
  requests: string[]
  connections: number
  /** By HTTPS, without a check of the certificate. */
  isTls?: boolean
  /** Maximum duration; up to 20 s longer if no request was answered by then. */
  seconds: number
  /** Stops the run when this many requests were answered. */
  count?: number
  /** Mean pause of a connection between an answer and its next request. Undefined: no pause, so that the server is saturated. */
  pauseMs?: number
}

export interface LoadResult {
  requests: number
  seconds: number
  bytes: number
  /** Connections that were lost. */
  failed: number
  statuses: Record<number, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Cores that the generator itself used. Near 1, it was the bottleneck, and only CPU per request can be compared. */
  generatorBusy: number
  firstAnswer: string
}

/** The text of one request. `headers` without Host and Content-Length. */
export function request(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost:8080']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`)
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
