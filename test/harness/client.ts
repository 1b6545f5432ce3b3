/** Sends requests like a client, and parses the answers. */

export interface RequestOptions {
  signal?: AbortSignal
  token?: string
  deviceId?: string
  body?: unknown
  headers?: Record<string, string>
  query?: Record<string, string | number | boolean>
}

// oxlint-disable-next-line typescript/no-explicit-any -- untyped requests look into results of every shape
export interface Reply<T = any> {
  status: number
  headers: Headers
  /** The envelope's `code`, or 0 if the answer is not JSON. */
  code: number
  data: T
  message: string
  details: { path: string; message: string }[]
  text: string
  bytes: Uint8Array
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends a request to one server, as one user or without signing in. */
export type Send = (method: Method, path: string, options?: RequestOptions) => Promise<Reply>

/** Fails the test, with the answer in the message, unless the request succeeded. */
export function ok<T>(reply: Reply<T>): Reply<T> {
  if (reply.status !== 200) throw new Error(`expected success, got ${reply.status}: ${reply.text.slice(0, 500)}`)
  return reply
}

export async function send(url: string, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers }
  if (options.token !== undefined) headers['authorization'] ??= `Bearer ${options.token}`
  if (options.deviceId !== undefined) headers['x-device-id'] ??= options.deviceId
  let body: string | Uint8Array<ArrayBuffer> | FormData | undefined
  if (typeof options.body === 'string' || options.body instanceof Uint8Array || options.body instanceof FormData)
    body = options.body as string
  else if (options.body !== undefined) body = JSON.stringify(options.body)
  // fetch itself writes the header of a form, with its boundary.
  if (body !== undefined && !(body instanceof FormData)) headers['content-type'] ??= 'application/json'
  const query = options.query
    ? '?' +
      new URLSearchParams(Object.entries(options.query).map(([k, v]): [string, string] => [k, String(v)])).toString()
    : ''
  const response = await fetch(url + path + query, {
    method,
    headers,
    body,
    redirect: 'manual',
    // Servers with a certificate have one that only tests trust.
    ...(url.startsWith('https:') && { tls: { rejectUnauthorized: false } }),
    ...(options.signal && { signal: options.signal }),
  })
  const bytes = await response.bytes()
  const text = new TextDecoder().decode(bytes)
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
  const envelope = isJson && text !== '' ? JSON.parse(text) : {}
  return {
    status: response.status,
    headers: response.headers,
    code: envelope.code ?? 0,
    data: envelope.data,
    message: envelope.message ?? '',
    details: envelope.details ?? [],
    text,
    bytes,
  }
}
