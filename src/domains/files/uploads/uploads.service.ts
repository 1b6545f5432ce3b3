/** Uploads: as a form in one request, or by a ticket whose bytes are sent to this server or straight to the object store. */

import { type AppContext, perContext } from '#context'
import type { FileType } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { receiveBytes as receiveBody } from '#http/body.ts'
import type { Actor, Owner } from '#http/endpoint.ts'
import { AppError, notFound } from '#http/errors.ts'
import { fileTooLarge, type ReceivedFile } from '#http/form.ts'
import { type StagedFile, TooManyBytes } from '#platform/blobs/staging.ts'
import { HOUR, MINUTE, SECOND } from '#platform/clock.ts'
import { randomCode } from '#platform/ids.ts'

import { deleteKeys } from '../bytes.service.ts'
import { waitingKey } from '../bytes.store.ts'
import * as refused from '../files.errors.ts'
import { orgPointsFor } from '../files.rules.ts'
import { charge, findVisibleFile, requireSupplier, storageQuota } from '../files.service.ts'
import { existsOwner, type FileRow, findByRequest, refundStorage } from '../files.store.ts'
import { toFileView } from '../files.view.ts'
import { cleanName } from '../storing.rules.ts'
import { storeUpload } from '../storing.service.ts'
import type { AskForUpload, SignedUpload, UploadedFile, UploadForm, UploadTicket } from './uploads.model.ts'
import * as store from './uploads.store.ts'

/** From the ticket to the end of the upload. */
const UPLOAD_MS = 15 * MINUTE
/** Tickets of one user at the same time. Each is a row, and reserves storage. */
const MAX_OPEN = 100
/**
 * Bodies of one user's tickets at the same time. The server admits 64 from an address, which a whole office may share: one of them must
 * not take all places.
 */
const MAX_RECEIVING = 32
/** The purpose that signatures of upload links are bound to. */
const UPLOAD_URL = 'file upload'
const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** Of 36 characters: 124 bits. */
const ID_LENGTH = 24

const randomId = (): string => randomCode(ID_ALPHABET, ID_LENGTH)

const toUploadedFile = (ctx: AppContext, file: FileRow): UploadedFile => ({
  ...toFileView(ctx, file),
  capture: file.capture,
})

/** The owner for whom the user may upload this type. @throws AppError 400 or 403 */
async function ownerFor(
  ctx: AppContext,
  actor: Actor,
  type: FileType,
  orgId: number | null | undefined,
): Promise<Owner> {
  const { userId } = actor
  if (orgId == null) return { userId, orgId: 0 }
  if (orgPointsFor(type) === undefined) throw refused.personalTypeOnly()
  await requireSupplier(ctx, userId, orgId, type)
  return { userId, orgId }
}

export async function uploadForm(
  ctx: AppContext,
  actor: Actor,
  form: UploadForm,
  received: ReceivedFile | undefined,
): Promise<UploadedFile> {
  const { type = 'other', name, orgId, requestId = null } = form
  if (received === undefined) throw refused.noFile()
  const owner = await ownerFor(ctx, actor, type, orgId)
  const again = requestId === null ? undefined : await findByRequest(ctx.db.read, actor.userId, requestId)
  if (again !== undefined) return uploaded(ctx, actor, again.id)
  const upload = { owner, type, name: name || received.name, requestId }
  const { id } = await storeUpload(
    ctx,
    upload,
    received,
    async (tx, insert) =>
      (requestId === null ? undefined : await findByRequest(tx, actor.userId, requestId)) ?? insert(),
  )
  return uploaded(ctx, actor, id)
}

const uploaded = async (ctx: AppContext, actor: Actor, fileId: number): Promise<UploadedFile> =>
  toUploadedFile(ctx, await findVisibleFile(ctx, actor.userId, fileId))

/** Reserves the storage, and answers where to send the bytes. */
export async function createTicket(ctx: AppContext, actor: Actor, asked: AskForUpload): Promise<UploadTicket> {
  const { type = 'other', size, orgId, sha256 } = asked
  const maxBytes = await getSetting(ctx, 'upload.maxBytes')
  if (size > maxBytes) throw fileTooLarge(maxBytes)
  const owner = await ownerFor(ctx, actor, type, orgId)
  const quota = await storageQuota(ctx)
  const newId = randomId()
  const key = waitingKey(newId, randomId())
  const direct = ctx.blobs.presignPut(key, size, UPLOAD_MS / SECOND)
  const ticket = await ctx.db.write('files.createTicket', async (tx) => {
    if (!(await existsOwner(tx, owner))) throw notFound()
    if ((await store.countOpen(tx, actor.userId)) >= MAX_OPEN) throw refused.tooManyUploads(UPLOAD_MS / SECOND)
    await charge(tx, owner, size, quota)
    const expiresAt = ctx.clock.now() + UPLOAD_MS
    await store.insertUpload(tx, {
      id: newId,
      userId: actor.userId,
      orgId: owner.orgId,
      type,
      name: cleanName(asked.name),
      size,
      sha256: sha256?.toLowerCase() ?? null,
      key: direct === undefined ? null : key,
      expiresAt,
    })
    return { id: newId, direct: direct ?? null, expiresAt }
  })
  return {
    uploadId: ticket.id,
    provider: ticket.direct === null ? 'LOCAL' : 'S3',
    method: 'PUT',
    url: ticket.direct ?? uploadUrl(ctx, ticket.id, Math.floor(ticket.expiresAt / SECOND)),
    headers: {},
    maxBytes,
    expiresAt: ticket.expiresAt,
  }
}

/** `expires`: epoch seconds. */
function uploadUrl(ctx: AppContext, id: string, expires: number): string {
  const signature = ctx.signer.sign(UPLOAD_URL, id, expires)
  return `${ctx.config.publicUrl}/api/files/uploads/${id}?expires=${expires}&signature=${signature}`
}

/** Bodies under way by user. */
const receiving = perContext(() => new Map<number, number>())

/** Takes the bytes of a ticket. Of several complete bodies the last one counts. */
export async function receiveBytes(
  ctx: AppContext,
  id: string,
  { expires, signature }: SignedUpload,
  request: Request,
): Promise<void> {
  if (!ctx.signer.isValid(signature, UPLOAD_URL, id, expires)) throw refused.linkInvalid()
  if (expires * SECOND <= ctx.clock.now()) throw refused.linkInvalid()
  const { size, userId } = mustBeOpen(await store.findUpload(ctx.db.read, id))
  const announced = request.headers.get('content-length')
  if (announced !== null) checkSize(size, Number(announced))
  const counts = receiving(ctx)
  const running = counts.get(userId) ?? 0
  if (running >= MAX_RECEIVING) throw refused.tooManyUploads(1)
  counts.set(userId, running + 1)
  try {
    await receiveAnnounced(ctx, id, size, request)
  } finally {
    const left = counts.get(userId)! - 1
    if (left > 0) counts.set(userId, left)
    else counts.delete(userId)
  }
}

async function receiveAnnounced(ctx: AppContext, id: string, size: number, request: Request): Promise<void> {
  const staged = await receiveBody(request, ctx.staging, size)
  try {
    checkSize(size, staged.size)
    const key = waitingKey(id, randomId())
    await ctx.blobs.put(key, staged.path)
    await keepWaiting(ctx, id, key)
  } finally {
    await staged.dispose()
  }
}

/** @throws AppError 413 for more bytes than announced, 400 for fewer */
function checkSize(announced: number, received: number): void {
  if (received > announced) throw fileTooLarge(announced)
  if (received < announced) throw refused.wrongSize(announced, received)
}

async function keepWaiting(ctx: AppContext, id: string, key: string): Promise<void> {
  try {
    await ctx.db.write('files.receiveBytes', async (tx) => {
      const before = mustBeOpen(await store.findUpload(tx, id))
      await store.setKey(tx, id, key)
      if (before.key !== null) tx.afterCommit(() => deleteKeys(ctx, [before.key!]))
    })
  } catch (error) {
    if (error instanceof AppError) deleteKeys(ctx, [key])
    throw error
  }
}

/** @throws AppError 400, 403 or 404 */
function mustBeOpen(row: store.UploadRow | undefined): store.UploadRow {
  if (row === undefined) throw notFound()
  if (row.fileId !== null) throw refused.uploadFinished()
  if (row.size === 0) throw refused.linkInvalid()
  return row
}

/** Callbacks under way, so that retries of a client do not decode the same image again. */
const finishing = perContext(() => new Map<string, Promise<number>>())

/** Makes a file of the bytes of a ticket. A repeated call answers the same file. */
export async function finishUpload(
  ctx: AppContext,
  actor: Actor,
  { uploadId, name }: { readonly uploadId: string; readonly name?: string | null },
): Promise<UploadedFile> {
  const row = await store.findUpload(ctx.db.read, uploadId)
  if (row?.userId !== actor.userId) throw notFound()
  if (row.fileId !== null) return uploaded(ctx, actor, row.fileId)
  const running = finishing(ctx)
  let fileId = running.get(uploadId)
  if (fileId === undefined) {
    fileId = storeBytes(ctx, row, name || row.name).finally(() => running.delete(uploadId))
    running.set(uploadId, fileId)
  }
  return uploaded(ctx, actor, await fileId)
}

/** Returns the id of the file. A refusal of the content ends the upload. */
async function storeBytes(ctx: AppContext, row: store.UploadRow, name: string): Promise<number> {
  const { key, size, type } = row
  const owner = { userId: row.userId, orgId: row.orgId }
  if (size === 0 || row.expiresAt <= ctx.clock.now()) throw refused.uploadExpired()
  if (owner.orgId !== 0) await requireSupplier(ctx, owner.userId, owner.orgId, type)
  const facts = key === null ? undefined : await ctx.blobs.stat(key)
  if (key === null || facts === undefined) throw refused.nothingReceived()
  if (facts.size !== size) throw await discard(ctx, row, refused.wrongSize(size, facts.size))
  const source = await copyOf(ctx, key, size)
  try {
    if (row.sha256 !== null && row.sha256 !== source.sha256) throw await discard(ctx, row, refused.wrongHash())
    return await storeUpload(
      ctx,
      { owner, type, name, requestId: null, reserved: size },
      source,
      async (tx, insert) => {
        const now = await store.findUpload(tx, row.id)
        if (now?.fileId != null) return now.fileId
        if (now === undefined || now.size === 0) throw refused.uploadExpired()
        if (now.key !== key) throw refused.bytesReplaced()
        // Images may be stored in more or fewer bytes than were announced.
        await refundStorage(tx, owner, size)
        const { id } = await insert()
        await store.finish(tx, row.id, id)
        tx.afterCommit(() => deleteKeys(ctx, [key]))
        return id
      },
    )
  } catch (error) {
    const isContentRefused = error instanceof AppError && (error.status === 413 || error.status === 415)
    throw isContentRefused ? await discard(ctx, row, error) : error
  } finally {
    await source.dispose()
  }
}

/** Bytes that wait, as a local file. */
async function copyOf(ctx: AppContext, key: string, size: number): Promise<StagedFile> {
  const bytes = await ctx.blobs.read(key)
  if (bytes === undefined) throw refused.bytesReplaced()
  const stream: ReadableStream<Uint8Array> = bytes instanceof Blob ? bytes.stream() : bytes
  try {
    const copy = await ctx.staging.receive(stream as unknown as AsyncIterable<Uint8Array>, size)
    if (copy.size === size) return copy
    await copy.dispose()
  } catch (error) {
    if (!(error instanceof TooManyBytes) && (error as { code?: unknown } | null)?.code !== 'ENOENT') throw error
  }
  // Since their size was read, others have arrived: on local disk under another key, in an object store under the same.
  throw refused.bytesReplaced()
}

/** Ends an upload whose bytes are refused, unless others have arrived meanwhile. Returns `error`. */
async function discard(ctx: AppContext, row: store.UploadRow, error: AppError): Promise<AppError> {
  await ctx.db.write('files.discardUpload', async (tx) => {
    if (await store.deleteOpen(tx, row.id, row.key!)) await release(ctx, tx, row)
  })
  return error
}

/** Gives back the storage that an open upload reserves, and deletes its bytes after the commit. */
async function release(ctx: AppContext, tx: Tx, row: store.UploadRow): Promise<void> {
  if (row.fileId !== null || row.size === 0) return
  await refundStorage(tx, { userId: row.userId, orgId: row.orgId }, row.size)
  if (row.key !== null) tx.afterCommit(() => deleteKeys(ctx, [row.key!]))
}

/** Ends the uploads of a user with the account, or those for an organization that is dissolved. */
export async function endUploads(
  ctx: AppContext,
  tx: Tx,
  of: { readonly userId: number } | { readonly orgId: number },
): Promise<void> {
  for (const row of await store.deleteUploads(tx, of)) await release(ctx, tx, row)
}

/** Ended uploads are kept so long after they expired, for callbacks that are repeated. */
const KEEP_MS = HOUR
/** Uploads that are released in one write. */
const STEP = 100

/** Releases the uploads that have expired, and deletes the rows of those that ended. */
export async function expireUploads(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  for (;;) {
    const expired = await store.expiredUploads(ctx.db.read, now, STEP)
    if (expired.length === 0) break
    await ctx.db.write('files.expireUploads', async (tx) => {
      for (const { id } of expired) {
        const row = await store.expire(tx, id)
        if (row !== undefined) await release(ctx, tx, row)
      }
    })
  }
  await ctx.db.write('files.deleteEndedUploads', (tx) => store.deleteEnded(tx, now - KEEP_MS))
}
