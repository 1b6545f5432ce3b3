/**
 * The logo. Its pictures are in the store of files, which is in every backup and which all processes share. Each has a row with a reference
 * to its bytes, so that the clean-up of files keeps them as long as they are used.
 */

import { rm } from 'node:fs/promises'

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { dropBytes, keepBytes, type StoredBytes, withStoredBytes } from '#domains/files/index.ts'
import { loadServerValues, readServerValues, setServerValue } from '#domains/settings/index.ts'
import { answerBytes } from '#http/byte-response.ts'
import type { LogEntry, LoggedActor } from '#http/endpoint.ts'
import { type AppError, badRequest, notFound, tooLarge, unsupportedType } from '#http/errors.ts'
import type { ReceivedFile } from '#http/form.ts'
import { mediaTypeOf } from '#lib/file-type.ts'
import { randomCode } from '#platform/ids.ts'
import { LOGO_PICTURES, SMALLEST_LOGO, UnusableImage, type UnusableReason } from '#platform/images/port.ts'

import type { IdentityView } from '../identity/identity.model.ts'
import { showIdentity } from '../identity/identity.service.ts'
import * as store from './logo.store.ts'

const TYPES: readonly (string | undefined)[] = ['image/png', 'image/jpeg', 'image/webp']

const notALogo = () =>
  unsupportedType(
    'Send a PNG, JPEG or WebP image that other programs can open. SVG files may contain scripts and are not accepted',
    '请发送可以正常打开的 PNG、JPEG 或 WebP 图片。SVG 文件可能含有脚本，不予接受',
  )
const UNUSABLE: Readonly<Record<UnusableReason, () => AppError>> = {
  undecodable: notALogo,
  'heic-off': notALogo,
  'too-many-pixels': () => tooLarge('The image has more than 40 megapixels', '图片超过 4000 万像素'),
  'too-small': () =>
    badRequest(
      `The logo must have at least ${SMALLEST_LOGO} pixels on both sides`,
      `徽标的宽和高均须至少 ${SMALLEST_LOGO} 像素`,
    ),
}

/** Gives the server a logo in place of the one before. @throws AppError 400, 413 or 415, BlobError, ImageQueueFull */
export async function setLogo(
  ctx: AppContext,
  actor: LoggedActor,
  upload: ReceivedFile | undefined,
): Promise<IdentityView> {
  if (upload === undefined) throw badRequest('Send exactly one file, in the field file', '请在 file 字段中上传一个文件')
  const mime = await mediaTypeOf(Bun.file(upload.path))
  if (mime === undefined || !TYPES.includes(mime)) throw notALogo()
  const outputs = await Promise.all(LOGO_PICTURES.map(() => ctx.staging.newPath()))
  try {
    const drawn = await ctx.images.drawLogo(upload.path, mime, outputs, actor.userId)
    await withStoredBytes(ctx, drawn, (stored) => actor.write('server.setLogo', (tx) => replace(ctx, tx, stored)))
  } catch (error) {
    throw error instanceof UnusableImage ? UNUSABLE[error.reason]() : error
  } finally {
    for (const path of outputs) await rm(path, { force: true })
  }
  await loadServerValues(ctx)
  return showIdentity(ctx)
}

/** Brings the mark of the product back. */
export async function deleteLogo(ctx: AppContext, actor: LoggedActor): Promise<IdentityView> {
  await actor.write('server.deleteLogo', (tx) => replace(ctx, tx, []))
  await loadServerValues(ctx)
  return showIdentity(ctx)
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** `stored`: LOGO_PICTURES, or none. The same logo again changes nothing. */
async function replace(
  ctx: AppContext,
  tx: Tx,
  stored: readonly StoredBytes[],
): Promise<{ result: undefined; logged: LogEntry | 'unchanged' }> {
  const old = await store.listPictures(tx)
  const hashes = new Map(old.map(({ name, sha256 }) => [name, sha256]))
  const before = (await readServerValues(tx)).values.logo
  if (
    (before === undefined) === (stored.length === 0) &&
    old.length === stored.length &&
    stored.every(({ sha256 }, nth) => hashes.get(LOGO_PICTURES[nth]!) === sha256)
  )
    return { result: undefined, logged: 'unchanged' }
  const after = stored.length === 0 ? undefined : { key: randomCode(ALPHABET, 12) }
  await store.deletePictures(tx)
  for (const [nth, bytes] of stored.entries())
    await store.insertPicture(tx, { ...after!, name: LOGO_PICTURES[nth]!, blobId: await keepBytes(tx, bytes) })
  for (const { blobId } of old) await dropBytes(ctx, tx, blobId)
  await setServerValue(tx, 'logo', after)
  const none = { key: null }
  return { result: undefined, logged: { targetName: 'logo', before: before ?? none, after: after ?? none } }
}

/** A picture of the present logo. @throws AppError 404 */
export async function readPicture(ctx: AppContext, request: Request, key: string, file: string): Promise<Response> {
  const find = () => store.findPicture(ctx.db.read, key, file.replace(/\.png$/, ''))
  const picture = await find()
  if (picture === undefined) throw notFound()
  const { size, sha256, bytesKey } = picture
  const headers = {
    // A new logo has a new key.
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    // Apps and pages of other origins may show it.
    'cross-origin-resource-policy': 'cross-origin',
  }
  const stored = { size, etag: `"${sha256}"`, type: 'image/png', disposition: 'inline', name: file, headers } as const
  return answerBytes(request, stored, async (range) => {
    const bytes = await ctx.blobs.read(bytesKey, range)
    // The logo was replaced meanwhile.
    if (bytes === undefined && (await find()) === undefined) throw notFound()
    return bytes
  })
}
