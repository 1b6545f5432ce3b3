/** Requests to the server: waits when the server asks for it, repeats requests whose answers were lost, and signs in again after a 401. */

import type { Refusal } from './storage.ts'

export interface Connection {
  /** Address of the server, for example `https://qr.example.org`. */
  url: string
  /** The secret by which the server knows this device. Keep it as long as the rows. */
  deviceId: string
  /** An access token. If the last one `isExpired`, refresh it or ask the user to sign in. */
  token(isExpired: boolean): Promise<string>
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  sleep?: (ms: number) => Promise<unknown>
}

/** The server refused a request, or no answer arrived: `status` is 0 then. Everything that was not sent is still stored. */
export class SyncError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly details: Refusal['details'] = [],
    /** Call `sync` again after so many milliseconds. */
    readonly retryAfter = 0,
  ) {
    super(message)
  }

  /** Whether the same request would be refused again. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 401 && this.status !== 429
  }
}

const ATTEMPTS = 5
const TIMEOUT = 60_000
/** The server may ask for an hour. Do not wait for that with the lock in hand. */
const LONGEST_WAIT = 60_000

/** Returns `data` of the answer. @throws SyncError */
export async function call<T>(
  connection: Connection,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<T> {
  const { sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = connection
  let token = await connection.token(false)
  let isRenewed = false
  for (let attempt = 1; ; attempt++) {
    const { error, data } = await send(connection, token, method, path, body)
    if (error === undefined) return data as T
    if (error.status === 401 && !isRenewed) {
      token = await connection.token(true)
      isRenewed = true
      continue
    }
    if (error.isFinal || error.status === 401 || attempt === ATTEMPTS || error.retryAfter > LONGEST_WAIT) throw error
    // The random part keeps many devices from returning at the same moment after an outage.
    await sleep(error.retryAfter + 1000 * 2 ** (attempt - 1) * (0.5 + Math.random()))
  }
}

async function send(
  { url, deviceId, fetch: request = fetch }: Connection,
  token: string,
  method: string,
  path: string,
  body: unknown,
): Promise<{ error?: SyncError; data?: unknown }> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), TIMEOUT)
  try {
    const response = await request(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'x-device-id': deviceId, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: timeout.signal,
    })
    const answer = (await response.json()) as { data?: unknown; message?: string; details?: Refusal['details'] }
    if (response.ok) return { data: answer.data }
    const seconds = Number(response.headers.get('retry-after') ?? 0)
    return { error: new SyncError(answer.message ?? '', response.status, answer.details, seconds * 1000) }
  } catch (error) {
    return { error: new SyncError(String(error), 0) }
  } finally {
    clearTimeout(timer)
  }
}
