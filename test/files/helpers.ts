/** Small files, and the ways to upload them. */

import type { FileType } from '#db/schema/files.ts'
import type { UploadedFile } from '#domains/files/uploads/uploads.model.ts'
import { encodeQr } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

import { ok, type Person, type Reply, type TestServer } from '../harness/index.ts'

type Bytes = Uint8Array<ArrayBuffer>

let counter = 0

/** A picture that differs from all others. */
export function png(size = 64): Bytes {
  return toPng(encodeQr(`picture ${++counter} ${Math.random()}`, 'M'), {
    size,
    margin: 2,
    fg: '000000',
    bg: 'ffffff',
  })
}

export const jpeg = async (size = 64): Promise<Bytes> => (await new Bun.Image(png(size)).jpeg().bytes()) as Bytes

/** Text that differs from all others, of exactly this many bytes. */
export const text = (size = 40): Bytes =>
  new TextEncoder().encode(`note ${++counter} ${Math.random()} `.padEnd(size, 'lorem ipsum ').slice(0, size))

export interface UploadFields {
  type?: FileType
  name?: string
  orgId?: number
  requestId?: string
}

/** Sends a form, with the bytes as its file. */
export function upload(
  person: Person,
  bytes: Bytes,
  fields: UploadFields = {},
  fileName = 'note.txt',
): Promise<Reply<UploadedFile>> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('file', new File([bytes], fileName))
  return person.send('POST', '/api/files/upload', { body: form })
}

export const uploaded = async (...input: Parameters<typeof upload>): Promise<UploadedFile> =>
  ok(await upload(...input)).data

/** The path and query of an address of the server: tests listen on a port that the public address does not have. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Sends bytes to the address of a ticket, without a token. */
export const putBytes = (server: TestServer, ticket: { url: string }, bytes: Bytes): Promise<Reply> =>
  server.request('PUT', pathOf(ticket.url), {
    body: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  })

export const usedStorage = async (person: Person): Promise<number> =>
  ok(await person.call('profile.quotas')).data.storage.used
