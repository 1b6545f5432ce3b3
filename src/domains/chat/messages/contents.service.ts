/** Checks contents: first their shape, then the files, users, QR codes and activities that they refer to. */

import type { AppContext } from '#context'
import { can } from '#domains/access/index.ts'
import { activityForMessage } from '#domains/activities/index.ts'
import { areContacts, mayKnow, personsByIds } from '#domains/contacts/index.ts'
import { type FileRow, findFile, isImage } from '#domains/files/index.ts'
import { findCode, organizationOfCode } from '#domains/qr-codes/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { ownAddresses } from '#http/addresses.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { valueChecker } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'

import { contentInvalid } from '../chat.errors.ts'
import { CONTENTS, type SentContent, type SentType, type StoredContents } from './contents.model.ts'
import { isLengthOf } from './messages.rules.ts'

/** A content of the right shape. */
export type Draft = {
  [T in SentType]: { readonly type: T; readonly content: SentContent<T>; readonly path: string }
}[SentType]

/** A content that can be stored. */
export interface Prepared {
  readonly type: SentType
  readonly content: Readonly<Record<string, unknown>>
  /** Of the content in the request. */
  readonly path: string
  /** With the paths of the fields that name them. */
  readonly files: readonly { readonly id: number; readonly path: string }[]
  /** A copy of another message, which has the same files; otherwise they are uploads of the sender. */
  readonly isCopy: boolean
}

export interface Sender {
  readonly userId: number
  readonly caller: Pick<Caller, 'ip'>
}

const checkers = Object.fromEntries(
  Object.entries(CONTENTS).map(([type, schema]) => [type, valueChecker(schema)]),
) as Readonly<Record<SentType, ReturnType<typeof valueChecker>>>

/** Whether contents of the type name neither files nor users nor anything else that could be gone later; mentions are checked by the write. */
export const refersToNothing = (type: SentType): boolean => type === 'TEXT' || type === 'LOCATION'

/** `path` of the content in the request. @throws AppError 400 with code 4021 */
export async function checkShape(ctx: AppContext, type: SentType, content: unknown, path: string): Promise<Draft> {
  const { value, problems } = checkers[type](content, path)
  if (problems.length > 0) throw contentInvalid(problems)
  const draft = { type, content: value, path } as Draft
  if (draft.type === 'TEXT') await checkLength(ctx, draft.content.text, path)
  return draft
}

async function checkLength(ctx: AppContext, text: string, path: string): Promise<void> {
  const longest = await getSetting(ctx, 'chat.textMaxLength')
  if (text.length > longest) refuse(`${path}.text`, `must have at most ${longest} characters`, `最多 ${longest} 个字符`)
}

function refuse(path: string, en: string, zh: string): never {
  throw contentInvalid([{ path, text: { en, zh } }])
}

/**
 * Finds everything that the content refers to, and takes a snapshot of it.
 * @throws AppError 400 with code 4021 if the sender may not see it, 404 for a user of whom the sender may not know
 */
export async function prepare(ctx: AppContext, sender: Sender, draft: Draft): Promise<Prepared> {
  const { path } = draft
  const prepared = <T extends SentType>(
    type: T,
    content: StoredContents[T],
    files: Prepared['files'] = [],
  ): Prepared => ({ type, content: { ...content }, path, files, isCopy: false })
  switch (draft.type) {
    case 'TEXT': {
      const { text, mentions = [], mentionsAll = false } = draft.content
      return prepared('TEXT', {
        text,
        ...(mentions.length > 0 && { mentions: [...new Set(mentions)] }),
        ...(mentionsAll && { mentionsAll }),
      })
    }
    case 'LOCATION': {
      const { latitude, longitude, name, address } = draft.content
      return prepared('LOCATION', { latitude, longitude, ...optional({ name, address }) })
    }
    case 'IMAGE': {
      const file = await findMedia(ctx, sender, draft.content.fileId, `${path}.fileId`, IMAGE)
      const { id: fileId, width, height, size, mime } = file
      const { caption } = draft.content
      const measured = { width: width ?? 0, height: height ?? 0, size, mime }
      return prepared('IMAGE', { fileId, ...optional({ caption }), ...measured }, [
        { id: fileId, path: `${path}.fileId` },
      ])
    }
    case 'FILE': {
      const file = await findMedia(ctx, sender, draft.content.fileId, `${path}.fileId`, ANY)
      const { id: fileId, size, mime } = file
      const name = draft.content.name ?? file.name
      return prepared('FILE', { fileId, name, size, mime }, [{ id: fileId, path: `${path}.fileId` }])
    }
    case 'VOICE': {
      const { fileId, durationMs } = draft.content
      const { size, mime, durationMs: measured } = await findMedia(ctx, sender, fileId, `${path}.fileId`, AUDIO)
      if (measured !== null && !isLengthOf(durationMs, measured))
        refuse(`${path}.durationMs`, `must be the length of the recording: ${measured}`, `须为录音的时长：${measured}`)
      return prepared('VOICE', { fileId, durationMs, size, mime }, [{ id: fileId, path: `${path}.fileId` }])
    }
    case 'VIDEO': {
      const { fileId, durationMs, thumbnailFileId } = draft.content
      const { size, mime } = await findMedia(ctx, sender, fileId, `${path}.fileId`, VIDEO)
      const files = [{ id: fileId, path: `${path}.fileId` }]
      if (thumbnailFileId !== undefined) {
        await findMedia(ctx, sender, thumbnailFileId, `${path}.thumbnailFileId`, IMAGE)
        files.push({ id: thumbnailFileId, path: `${path}.thumbnailFileId` })
      }
      return prepared('VIDEO', { fileId, ...optional({ durationMs, thumbnailFileId }), size, mime }, files)
    }
    case 'CARD':
      return prepared('CARD', await cardOf(ctx, sender.userId, draft.content.userId, `${path}.userId`))
    case 'QR_CODE':
      return prepared('QR_CODE', await qrCodeOf(ctx, sender.userId, draft.content.qrCodeId, `${path}.qrCodeId`))
    case 'ACTIVITY':
      return prepared('ACTIVITY', await activityOf(ctx, sender, draft.content, path))
  }
}

/** Without the keys that have no value. */
const optional = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

interface MediaKind {
  accepts(file: FileRow): boolean
  readonly text: Localized
}
const IMAGE: MediaKind = { accepts: isImage, text: { en: 'an image', zh: '图片' } }
const AUDIO: MediaKind = { accepts: ({ mime }) => mime.startsWith('audio/'), text: { en: 'a sound', zh: '音频' } }
const VIDEO: MediaKind = { accepts: ({ mime }) => mime.startsWith('video/'), text: { en: 'a video', zh: '视频' } }
const ANY: MediaKind = { accepts: () => true, text: { en: 'a file', zh: '文件' } }

/** Whether the file is an upload that its uploader can send. One that was sent can be sent again. */
export const isSendable = (file: FileRow | undefined, userId: number): file is FileRow =>
  file?.uploaderId === userId &&
  file.orgId === 0 &&
  file.type === 'other' &&
  (file.entityType === null || file.entityType === 'MESSAGE')

export const notSendable = (path: string): never =>
  refuse(
    path,
    'must be the id of your own upload of type other that nothing else uses',
    '须为你上传的 other 类型且未另作他用的文件',
  )

async function findMedia(
  ctx: AppContext,
  { userId }: Sender,
  id: number,
  path: string,
  kind: MediaKind,
): Promise<FileRow> {
  const file = await findFile(ctx.db.read, id)
  if (!isSendable(file, userId)) return notSendable(path)
  if (!kind.accepts(file)) refuse(path, `must be the id of ${kind.text.en}`, `须为${kind.text.zh}的编号`)
  const largest = await getSetting(ctx, 'chat.mediaMaxBytes')
  if (file.size > largest) refuse(path, `must have at most ${largest} bytes`, `不能超过 ${largest} 字节`)
  return file
}

/** Addresses on this server without its origin, which the operator can change. */
function stored(ctx: AppContext, url: string | null): string | null {
  const address = ownAddresses(ctx).find((own) => url?.startsWith(`${own}/`)) ?? ''
  return url?.slice(address.length) ?? null
}

async function cardOf(
  ctx: AppContext,
  senderId: number,
  userId: number,
  path: string,
): Promise<StoredContents['CARD']> {
  const { read } = ctx.db
  if (userId !== senderId) {
    if (!(await mayKnow(ctx, read, senderId, userId))) throw notFound()
    if (!(await areContacts(read, senderId, userId)))
      refuse(path, 'must be the id of one of your contacts, or your own', '须为你的联系人或你自己')
  }
  const person = (await personsByIds(ctx, read, [userId])).get(userId)
  if (person === undefined) throw notFound()
  return { userId, nickname: person.nickname, avatar: stored(ctx, person.avatarUrl) }
}

async function qrCodeOf(ctx: AppContext, userId: number, id: number, path: string): Promise<StoredContents['QR_CODE']> {
  const orgId = await organizationOfCode(ctx.db.read, id)
  const mayRead = orgId !== undefined && (await can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'qr_code:read'))
  const code = mayRead ? await findCode(ctx.db.read, { userId, orgId }, id) : undefined
  if (code === undefined) return refuse(path, 'must be the id of a QR code that you can see', '须为你可见的二维码')
  const { name, content, contentType, isDynamic, uuid, slug, style } = code
  const picture = isDynamic ? { uuid, slug } : { uuid: null }
  return { qrCodeId: id, name, content, contentType, ...picture, style }
}

async function activityOf(
  ctx: AppContext,
  { userId, caller }: Sender,
  { activityId, inviteCode }: SentContent<'ACTIVITY'>,
  path: string,
): Promise<StoredContents['ACTIVITY']> {
  const found = await activityForMessage(ctx, activityId, {
    viewer: { userId, orgId: 0 },
    caller,
    code: inviteCode,
  })
  if (found === undefined)
    return refuse(
      `${path}.activityId`,
      'must be the id of an activity that you can see, if need be with its invite code',
      '须为你可见的活动，必要时附上邀请码',
    )
  const { uuid, name, startTime, endTime, coverUrl, qrContent } = found
  const cover = stored(ctx, coverUrl)
  return { activityId, ...optional({ inviteCode }), uuid, name, startTime, endTime, cover, qrContent }
}
