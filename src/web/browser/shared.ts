/**
 * Pictures and texts that another application of the device has shared with this one (`share_target` of the manifest). The service worker
 * keeps the last of them, in a cache of its own, until the page reads it or the session ends.
 */

const CACHE = 'shared'
/** Bytes. Several pictures of a phone; more would fill its storage. */
const MAX_BYTES = 32 * 1024 * 1024
/** Characters. No code holds more. */
const MAX_TEXT = 4000

export interface Shared {
  readonly pictures: readonly File[]
  /** A link or another text; empty if there is none. */
  readonly text: string
  readonly title: string
}

/** Keeps the form of a request, and answers with the page that reads it. Too large ones are not kept; then the page says so. */
export async function keepShared(request: Request): Promise<Response> {
  const key = crypto.randomUUID()
  try {
    await deleteShared()
    const body = await request.blob()
    const headers = { 'content-type': request.headers.get('content-type') ?? '' }
    if (body.size <= MAX_BYTES) await (await caches.open(CACHE)).put(pathOf(key), new Response(body, { headers }))
  } catch {
    // The storage is full, or the browser refuses it.
  }
  return Response.redirect(pathOf(key), 303)
}

/** A page that was opened by another share, or is loaded again, finds nothing. */
const pathOf = (key: string): string => `/console/scan?shared=${key}`

/** Reads and deletes the share with this key. Undefined if there is none. */
export async function takeShared(key: string): Promise<Shared | undefined> {
  if (!('caches' in globalThis)) return undefined
  try {
    const kept = await caches.match(pathOf(key), { cacheName: CACHE })
    const form = await kept?.formData()
    if (form === undefined) return undefined
    await deleteShared()
    const text = (name: string) =>
      String(form.get(name) ?? '')
        .trim()
        .slice(0, MAX_TEXT)
    return {
      pictures: form.getAll('pictures').filter((file) => file instanceof File && file.size > 0) as File[],
      text: text('url') || text('text'),
      title: text('title'),
    }
  } catch {
    return undefined
  }
}

/** Never rejects. */
export async function deleteShared(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(CACHE).catch(() => undefined)
}
