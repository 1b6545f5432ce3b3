/** What the load generator is told and what it answers. */

/** Stands in a request where each one sent carries another number of the same width. */
export const COUNTER = '@@@@@@@@@@'

export interface LoadSpec {
  port: number
  /** Whole HTTP/1.1 requests, sent in turn. May hold `COUNTER` once each. */
  requests: string[]
  connections: number
  /** Longest duration; 20 more when nothing was answered by then. */
  seconds: number
  /** Stops earlier, when so many were answered. */
  count?: number
  /** Mean pause of a connection between an answer and its next request; none: the server is saturated. */
  pauseMs?: number
}

export interface LoadResult {
  requests: number
  seconds: number
  bytes: number
  /** Connections lost. */
  failed: number
  statuses: Record<number, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Cores the generator itself used; near 1 it was the limit, and only CPU per request compares servers. */
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
