/** Data exports as users ask for them, and as administrators ask for those of others. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { isSystemAdmin, requireSystemAdmin } from '#domains/access/index.ts'
import { isOpenSession, recordExport, requireConfirmationOfAll, tellOfExport } from '#domains/accounts/index.ts'
import { findBlob } from '#domains/files/index.ts'
import { answerBytes } from '#http/byte-response.ts'
import type { Actor, Caller, LoggedActor } from '#http/endpoint.ts'
import { badRequest, forbidden, limited, notFound, unavailable } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { SECOND } from '#platform/clock.ts'
import { randomCode } from '#platform/ids.ts'

import { disk } from './archive.service.ts'
import {
  EVERY_MS,
  type ExportJob,
  type ExportLink,
  LINK_MS,
  type LinkQuery,
  MIN_FREE_BYTES,
  type StartExport,
} from './exports.model.ts'
import * as store from './exports.store.ts'
import { beginExports } from './running.service.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const ID_LENGTH = 24

const oneADay = (seconds: number) => limited('Data can be exported once a day', '每天只能导出一次数据', seconds)
const notReady = () => badRequest('The export is not ready', '导出尚未就绪')
const diskFull = () =>
  unavailable('The server has too little disk space for an export, try again later', '服务器磁盘空间不足，请稍后再试')
const badLink = () => forbidden('This link has expired: get a new one where you found it', '此链接已失效，请重新获取')

/** @throws AppError 403 (4031), 429, 503 */
export async function startExport(
  ctx: AppContext,
  actor: Actor,
  { files = true, language }: StartExport,
  caller: Caller,
): Promise<ExportJob> {
  await requireConfirmationOfAll(ctx, actor)
  await requireSpace(ctx)
  const { userId } = actor
  const values = { userId, createdBy: userId, withFiles: files, language: language ?? caller.locale }
  const row = await ctx.db.write('ownData.startExport', async (tx) => {
    const started = await insert(ctx, tx, values)
    await recordExport(ctx, tx, actor, caller)
    return started
  })
  beginExports(ctx)
  return toView(row)
}

/** @throws AppError 403, 404, 429, 503 */
export async function startUserExport(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  language: Locale,
): Promise<ExportJob> {
  await requireSystemAdmin(ctx.db.read, actor)
  await requireConfirmationOfAll(ctx, actor)
  await requireSpace(ctx)
  const values = { userId, createdBy: actor.userId, withFiles: false, language }
  const row = await actor.write('ownData.startUserExport', async (tx) => {
    await requireSystemAdmin(tx, actor)
    const subject = await store.findSubject(tx, userId)
    if (subject === undefined || subject.status === 'DELETED') throw notFound()
    const started = await insert(ctx, tx, values)
    await tellOfExport(ctx, tx, userId)
    const logged = { targetId: userId, targetName: subject.username ?? subject.nickname, after: { export: started.id } }
    return { result: started, logged }
  })
  beginExports(ctx)
  return toView(row)
}

/** Inside a write. Two requests at the same time meet in the unique index. @throws AppError 429 */
async function insert(ctx: AppContext, tx: Tx, values: Omit<store.NewExport, 'id'>): Promise<store.ExportRow> {
  const { userId, createdBy } = values
  const now = ctx.clock.now()
  if (ctx.config.rateLimit) {
    const last = await store.lastStart(tx, userId, createdBy, now - EVERY_MS)
    if (last !== undefined) throw oneADay(Math.ceil((last + EVERY_MS - now) / SECOND))
  }
  const row = await store.insertExport(tx, { id: randomCode(ALPHABET, ID_LENGTH), ...values })
  if (row === undefined) throw oneADay(Math.ceil(EVERY_MS / SECOND))
  return row
}

async function requireSpace(ctx: AppContext): Promise<void> {
  if ((await disk.freeBytes(ctx)) < MIN_FREE_BYTES) throw diskFull()
}

/** Null if the caller has asked for none about the user, or it is no longer listed. */
export async function latestExport(ctx: AppContext, actor: Actor, userId = actor.userId): Promise<ExportJob | null> {
  const row = await store.latestExport(ctx.db.read, userId, actor.userId)
  return row === undefined ? null : toView(row)
}

/** @throws AppError 403 */
export async function latestUserExport(ctx: AppContext, actor: Actor, userId: number): Promise<ExportJob | null> {
  await requireSystemAdmin(ctx.db.read, actor)
  return latestExport(ctx, actor, userId)
}

const PURPOSE = 'data export'

/** For the user who asked for the export, and only while the session lasts. @throws AppError 400 or 404 */
export async function createLink(ctx: AppContext, { userId, sessionId }: Actor, id: string): Promise<ExportLink> {
  const row = await store.findExport(ctx.db.read, userId, id)
  if (row === undefined) throw notFound()
  const now = ctx.clock.now()
  if (row.state !== 'READY' || row.expiresAt! <= now) throw notReady()
  const expires = Math.floor(Math.min(now + LINK_MS, row.expiresAt!) / SECOND)
  const signature = ctx.signer.sign(PURPOSE, id, userId, sessionId, expires)
  const url = `${ctx.config.publicUrl}/api/auth/export/${id}/download?user=${userId}&session=${sessionId}&expires=${expires}&signature=${signature}`
  return { url, expiresAt: expires * SECOND }
}

/** @throws AppError 403 unless the link is valid and its session is not over; 404 if there is no file */
export async function downloadExport(
  ctx: AppContext,
  request: Request,
  id: string,
  { user, session, expires, signature }: LinkQuery,
): Promise<Response> {
  if (!ctx.signer.isValid(signature, PURPOSE, id, user, session, expires)) throw badLink()
  const now = ctx.clock.now()
  if (expires * SECOND <= now || !(await isOpenSession(ctx.db.read, user, session, now))) throw badLink()
  const row = await store.findExport(ctx.db.read, user, id)
  if (row?.blobId == null) throw notFound()
  if (row.userId !== user && !(await isSystemAdmin(ctx.db.read, { userId: user, sessionId: session, deviceKey: '' })))
    throw badLink()
  const blob = await findBlob(ctx.db.read, row.blobId)
  if (blob === undefined) throw notFound()
  const stored = {
    size: blob.size,
    etag: `"${blob.sha256}"`,
    type: 'application/zip',
    disposition: 'attachment',
    name: `data-${row.userId}-${new Date(row.createdAt).toISOString().slice(0, 10)}.zip`,
    headers: { 'cache-control': 'private, no-store', 'content-security-policy': "default-src 'none'; sandbox" },
  } as const
  return answerBytes(request, stored, (range) => ctx.blobs.read(blob.key, range))
}

const toView = ({ id, state, bytes, progress, createdAt, expiresAt }: store.ExportRow): ExportJob => ({
  id,
  status: state === 'QUEUED' ? 'RUNNING' : state,
  bytes,
  progress,
  createdAt,
  expiresAt,
})
