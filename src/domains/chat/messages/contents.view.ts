import type { AppContext } from '#context'
import { avatarUrl, expiryOfUrls } from '#domains/files/index.ts'
import { qrCodePictureUrl } from '#domains/qr-codes/index.ts'

import type { StoredContents } from './contents.model.ts'
import { withoutFiles } from './messages.rules.ts'
import type { MessageRow } from './messages.store.ts'

/** The purpose that signatures of the files of messages are bound to. */
export const MEDIA_URL = 'message media'

/**
 * A signed address of a file of a message. Unlike that of the file itself, it ends when the message is recalled or deleted, also if
 * other messages have the same file.
 */
function mediaUrl(ctx: AppContext, messageId: number, variant: 'ORIGINAL' | 'THUMBNAIL'): string {
  const expires = expiryOfUrls(ctx.clock.now())
  const signature = ctx.signer.sign(MEDIA_URL, messageId, variant, expires)
  return `${ctx.config.publicUrl}/api/chats/messages/${messageId}/file?variant=${variant}&expires=${expires}&signature=${signature}`
}

/** Null if the file was deleted. */
const urlOf = (
  ctx: AppContext,
  messageId: number,
  variant: 'ORIGINAL' | 'THUMBNAIL',
  fileId: number | null | undefined,
) => (fileId == null ? null : mediaUrl(ctx, messageId, variant))

type Shown = Readonly<Record<string, unknown>>

const views: {
  readonly [Type in keyof StoredContents]: (ctx: AppContext, id: number, c: StoredContents[Type]) => Shown
} = {
  TEXT: (_ctx, _id, { text, mentions, mentionsAll }) => ({ text, mentions, mentionsAll }),
  IMAGE: (ctx, id, { fileId, caption, width, height, size, mime }) => ({
    fileId,
    caption,
    url: urlOf(ctx, id, 'ORIGINAL', fileId),
    thumbnailUrl: urlOf(ctx, id, 'THUMBNAIL', fileId),
    width,
    height,
    size,
    mime,
  }),
  FILE: (ctx, id, { fileId, name, size, mime }) => ({
    fileId,
    name,
    url: urlOf(ctx, id, 'ORIGINAL', fileId),
    size,
    mime,
  }),
  VOICE: (ctx, id, { fileId, durationMs, size, mime }) => ({
    fileId,
    durationMs,
    url: urlOf(ctx, id, 'ORIGINAL', fileId),
    size,
    mime,
  }),
  VIDEO: (ctx, id, { fileId, durationMs, thumbnailFileId, size, mime }) => ({
    fileId,
    durationMs,
    thumbnailFileId,
    url: urlOf(ctx, id, 'ORIGINAL', fileId),
    thumbnailUrl: urlOf(ctx, id, 'THUMBNAIL', thumbnailFileId),
    size,
    mime,
  }),
  LOCATION: (_ctx, _id, { latitude, longitude, name, address }) => ({ latitude, longitude, name, address }),
  CARD: (ctx, _id, { userId, nickname, avatar }) => ({ userId, nickname, avatarUrl: avatarUrl(ctx, avatar) }),
  QR_CODE: (ctx, _id, { qrCodeId, name, content, contentType, uuid, slug = null, style }) => ({
    qrCodeId,
    name,
    content,
    contentType,
    imageUrl: qrCodePictureUrl(ctx, { content, style, isDynamic: uuid !== null, uuid: uuid ?? '', slug }),
  }),
  ACTIVITY: (ctx, _id, { activityId, inviteCode, uuid, name, startTime, endTime, cover, qrContent }) => ({
    activityId,
    inviteCode,
    uuid,
    name,
    startTime,
    endTime,
    coverUrl: avatarUrl(ctx, cover),
    qrContent,
  }),
  SYSTEM: (_ctx, _id, { event, userIds, text }) => ({ event, userIds, text }),
}

/** The content of a message as every viewer gets it: addresses are made now, and deleted files are left out. `{}` once it is recalled. */
export function shownContent(
  ctx: AppContext,
  { id, type, content, recalledAt }: MessageRow,
  lostFiles: ReadonlySet<number>,
): Shown {
  return recalledAt === null ? views[type](ctx, id, withoutFiles(content, lostFiles) as never) : {}
}
