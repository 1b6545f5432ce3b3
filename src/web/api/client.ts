/**
 * Calls operations of the public interface by their ids:
 *
 *     const { items } = await call('qrCodes.list', { query: { keyword: 'menu' } })
 *
 * A request that is answered with 401 is sent once more after the tokens were renewed.
 */

import { currentLocale, type Locale } from '../i18n/locale.ts'
import { setConnected } from './connection.ts'
import { ApiError, NEEDS_CONFIRMATION, type Problem } from './errors.ts'
import { freshOrKept, isKept } from './kept.ts'
import { PUBLIC_URL, readJson } from './local-addresses.ts'
import { OPERATIONS } from './operations.gen.ts'
import {
  accessToken,
  COOKIE_SESSION,
  endOfLapse,
  expiresSoon,
  isLapsed,
  isResting,
  opened,
  renew,
  shownUser,
  tokenUser,
  unlessLeaving,
} from './tokens.ts'
import type { Arguments, DataOf, InputOf, OperationId } from './types.ts'

interface AnyInput {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
}

export interface CallOptions {
  signal?: AbortSignal
  /** Instead of JSON: a form with a file. Its progress is reported by `upload`. */
  form?: FormData
  headers?: Record<string, string>
  /** The request is sent even if the page is closed meanwhile. Its body may have 64 KiB. */
  keepalive?: boolean
  /** True: without a connection the call fails, and no kept answer (kept.ts) is returned. */
  isFresh?: boolean
  /** False: the call fails if the session has expired, instead of waiting until the user has signed in again. */
  waitsForSignIn?: boolean
}

/** Calls an operation and returns the `data` of its answer. Throws an ApiError. */
export async function call<Id extends OperationId>(id: Id, ...[input]: Arguments<InputOf<Id>>): Promise<DataOf<Id>> {
  return (await callWith(id, input as AnyInput | undefined, {})) as DataOf<Id>
}

/** `call` with an AbortSignal, headers or a form. */
export async function callWith(id: OperationId, input: AnyInput = {}, options: CallOptions): Promise<unknown> {
  const load = async () => {
    const response = await send(id, input, options)
    return dataOf(await response.text(), response.headers.get(PUBLIC_URL))
  }
  const user = shownUser()
  return await (user === undefined || options.isFresh || !isKept(id, input)
    ? load()
    : freshOrKept(user, id, input, load))
}

/** An answer with its `ETag`. */
export interface Tagged<Data> {
  readonly tag: string | null
  readonly data: Data
}

/** `callWith` for answers that are asked for again and again. Returns `before` itself as long as nothing has changed. */
export async function callTagged<Data>(
  id: OperationId,
  input: AnyInput,
  before: Tagged<Data> | undefined,
  signal: AbortSignal,
): Promise<Tagged<Data>> {
  const headers: Record<string, string> = before?.tag ? { 'if-none-match': before.tag } : {}
  const response = await send(id, input, { signal, headers })
  if (response.status === 304 && before !== undefined) return before
  const data = dataOf(await response.text(), response.headers.get(PUBLIC_URL)) as Data
  return { tag: response.headers.get('etag'), data }
}

/** `data` of an answer; null if there is none. `publicUrl`: the value of that header. */
function dataOf(answer: string, publicUrl: string | null): unknown {
  try {
    return (readJson(answer, publicUrl) as { data?: unknown }).data ?? null
  } catch {
    return null
  }
}

/** The URL of an operation, for links and pictures that need no token. */
export function urlOf(id: OperationId, { params = {}, query = {} }: AnyInput = {}): string {
  const path = OPERATIONS[id][1].replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** Sends the request and returns an answer with status 2xx, or 304 to a request with `if-none-match`. For answers that are not JSON. */
export async function send(id: OperationId, input: AnyInput = {}, options: CallOptions = {}): Promise<Response> {
  await opened()
  return await repeated(() => attempt(id, input, options), options.waitsForSignIn)
}

/** Sends a request again after the user was asked to confirm it. */
async function repeated(request: () => Promise<Response>, waits = true): Promise<Response> {
  const user = tokenUser()
  try {
    return await renewed(request, waits)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== NEEDS_CONFIRMATION || confirmer === undefined) throw error
    // Several requests that are refused at the same time ask once.
    confirming ??= confirmer(error).finally(() => (confirming = undefined))
    await confirming
    refuseOther(user)
    return await renewed(request, waits)
  }
}

/** Sends a request again with a new token after an answer with status 401, if need be after the user has signed in again. */
async function renewed(request: () => Promise<Response>, waits: boolean): Promise<Response> {
  const usedToken = accessToken()
  const user = tokenUser()
  const first = await request()
  if (first.status !== 401 || usedToken === undefined) return await accepted(first)
  // Another tab or an earlier request may have renewed it meanwhile.
  const isRenewed =
    (accessToken() ?? usedToken) !== usedToken || (await renew()) || (waits && isLapsed() && (await endOfLapse()))
  refuseOther(user)
  // The server did not say whether the session goes on, so this is not its end.
  if (!isRenewed && !isLapsed() && accessToken() !== undefined) throw unreachable()
  return await accepted(isRenewed ? await request() : first)
}

/** A request of one user must never be sent as another, who has signed in meanwhile. */
function refuseOther(user: number | undefined): void {
  if (tokenUser() !== user) throw new DOMException('The user has changed', 'AbortError')
}

/** Asks the user to prove who they are after an answer with code 4031. Rejects if they do not. */
export type Confirmer = (refusal: ApiError) => Promise<void>
let confirmer: Confirmer | undefined
let confirming: Promise<void> | undefined

/** The dialog that asks (ui/Confirmation.tsx). The call is repeated when its promise is fulfilled. */
export function setConfirmer(next: Confirmer | undefined): void {
  confirmer = next
}

async function attempt(id: OperationId, input: AnyInput, options: CallOptions): Promise<Response> {
  await unlessLeaving()
  if (isResting()) throw unreachable()
  const { form, signal, headers, keepalive = false } = options
  const body = form ?? (input.body === undefined ? undefined : JSON.stringify(input.body))
  try {
    const response = await fetch(urlOf(id, input), {
      method: OPERATIONS[id][0],
      headers: { ...requestHeaders(), ...(body && !form && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(keepalive && { keepalive }),
    })
    if (response.status < 502) setConnected()
    return response
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable()
  }
}

/** The headers of every request: language, and token if somebody is signed in. */
export function requestHeaders(): Record<string, string> {
  const token = accessToken()
  return {
    ...COOKIE_SESSION,
    'accept-language': currentLocale(),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
}

async function accepted(response: Response): Promise<Response> {
  // 304: the answer that the caller has.
  if (response.ok || response.status === 304) return response
  throw await errorOf(response)
}

export async function errorOf(response: Response): Promise<ApiError> {
  const envelope = (await response.json().catch(() => undefined)) as
    { code?: number; message?: string; details?: Problem[]; requestId?: string; data?: unknown } | undefined
  const requestId = envelope?.requestId ?? response.headers.get('x-request-id') ?? ''
  const text = envelope?.message ?? BROKEN[currentLocale()]
  const { status } = response
  return new ApiError(status, envelope?.code ?? status, text, envelope?.details ?? [], requestId, envelope?.data)
}

export interface UploadInput extends AnyInput {
  form: FormData | Blob
  onProgress?: (fraction: number) => void
  signal?: AbortSignal
  headers?: Record<string, string>
}

/** Uploads a form, or a file as the body itself, and reports the fraction (0 to 1) that was sent. */
export async function upload(id: OperationId, input: UploadInput): Promise<unknown> {
  await opened()
  const user = tokenUser()
  // A token that expires during a long upload would waste it.
  if (expiresSoon()) await renew()
  refuseOther(user)
  const response = await repeated(() => attemptUpload(id, input))
  return dataOf(await response.text(), response.headers.get(PUBLIC_URL))
}

/** By XMLHttpRequest, since `fetch` reports no progress of requests. */
async function attemptUpload(
  id: OperationId,
  { form, onProgress, signal, headers: more, ...input }: UploadInput,
): Promise<Response> {
  await unlessLeaving()
  if (isResting()) throw unreachable()
  signal?.throwIfAborted()
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(OPERATIONS[id][0], urlOf(id, input))
    for (const [name, value] of Object.entries({ ...requestHeaders(), ...more })) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(total === 0 ? 1 : loaded / total))
    request.addEventListener('error', () => reject(unreachable()))
    request.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
    request.addEventListener('load', () => {
      const publicUrl = request.getResponseHeader(PUBLIC_URL)
      const headers: [string, string][] = publicUrl === null ? [] : [[PUBLIC_URL, publicUrl]]
      resolve(new Response(request.responseText, { status: request.status, headers }))
    })
    signal?.addEventListener('abort', () => request.abort())
    request.send(form)
  })
}

/** Fetches a file with the token and hands it to the browser's downloads under the name that the server gives. */
export async function download(id: OperationId, input: AnyInput = {}, fallbackName = 'download'): Promise<void> {
  const response = await send(id, input, { headers: { accept: '*/*' } })
  const disposition = response.headers.get('content-disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  const name = encoded ? decodeURIComponent(encoded) : /filename="([^"]+)"/i.exec(disposition)?.[1]
  saveAs(await response.blob(), name ?? fallbackName)
}

/** Hands bytes to the browser's downloads. */
export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const unreachable = () => new ApiError(0, 0, UNREACHABLE[currentLocale()])

const UNREACHABLE: Record<Locale, string> = {
  en: 'The server cannot be reached. Check your connection and try again.',
  zh: '无法连接服务器，请检查网络后重试。',
}
const BROKEN: Record<Locale, string> = {
  en: 'The server gave an answer that could not be read. Try again in a moment.',
  zh: '服务器的响应无法读取，请稍后重试。',
}
