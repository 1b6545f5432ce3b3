/** Contents of messages by type, as clients send them and as they are stored. */

import type { MessageType } from '#db/schema/chat.ts'
import type { QrStyle } from '#db/schema/qr-codes.ts'
import { Id, Latitude, Line, Longitude, Model, Multiline, type Static, Type } from '#http/schema.ts'

/** The largest value of the setting `chat.textMaxLength`. */
const LONGEST_TEXT = 20_000
export const MAX_MENTIONS = 500
const TEN_MINUTES = 600_000

const fileId = {
  ...Id,
  description:
    'A file that you have uploaded as `type` `other`, of the kind of the message, within the limit for media',
}

export const TextContent = Model('TextContent', {
  text: Multiline(LONGEST_TEXT, 1, { examples: ['See you at nine'] }),
  mentions: Type.Optional(
    Type.Array(Id, {
      maxItems: MAX_MENTIONS,
      description: 'Members of the conversation who are mentioned in the text',
    }),
  ),
  mentionsAll: Type.Optional(
    Type.Boolean({
      description:
        'Mentions all members of a group. For its owner and administrators, and for members if the group says so; 10 a day. An edit cannot add it',
    }),
  ),
})
export const ImageContent = Model('ImageContent', {
  fileId,
  caption: Type.Optional(Multiline(500, 0, { examples: ['The new sign'] })),
})
export const FileContent = Model('FileContent', {
  fileId,
  name: Type.Optional(
    Line(200, 1, { description: 'Shown instead of the name of the upload', examples: ['Floor plan.pdf'] }),
  ),
})
export const VoiceContent = Model('VoiceContent', {
  fileId,
  durationMs: Type.Integer({ minimum: 1, maximum: TEN_MINUTES, examples: [4200] }),
})
export const VideoContent = Model('VideoContent', {
  fileId,
  durationMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400_000, examples: [15_000] })),
  thumbnailFileId: Type.Optional({ ...Id, description: 'An image that you have uploaded as `type` `other`' }),
})
export const LocationContent = Model('LocationContent', {
  latitude: Latitude,
  longitude: Longitude,
  name: Type.Optional(Line(100, 0, { examples: ['Hall B'] })),
  address: Type.Optional(Line(200, 0, { examples: ['1 West Lake Road, Hangzhou'] })),
})
export const CardContent = Model('CardContent', { userId: { ...Id, description: 'One of your contacts, or you' } })
export const QrCodeContent = Model('QrCodeContent', { qrCodeId: { ...Id, description: 'A QR code that you may see' } })
export const ActivityContent = Model('ActivityContent', {
  activityId: { ...Id, description: 'An activity that you may see' },
  inviteCode: Type.Optional(
    Line(200, 0, { description: 'Of an INVITE_ONLY activity; the recipients get it', examples: ['KQ7MPX2WRT'] }),
  ),
})

/** By the types that clients can send. */
export const CONTENTS = {
  TEXT: TextContent,
  IMAGE: ImageContent,
  FILE: FileContent,
  VOICE: VoiceContent,
  VIDEO: VideoContent,
  LOCATION: LocationContent,
  CARD: CardContent,
  QR_CODE: QrCodeContent,
  ACTIVITY: ActivityContent,
} as const

export type SentType = keyof typeof CONTENTS
export type SentContent<T extends SentType = SentType> = Static<(typeof CONTENTS)[T]>

/** Of files, by their bytes. */
interface Measured {
  readonly size: number
  readonly mime: string
}

/** `fileId`: null if an administrator has deleted the file. */
type WithFile<Content> = Omit<Content, 'fileId'> & Measured & { readonly fileId: number | null }

interface Stored {
  /** `mentionedBefore`: whom earlier versions of an edited text have mentioned. They are not notified again. `toldAll`: one of them has mentioned all. */
  readonly TEXT: SentContent<'TEXT'> & { readonly mentionedBefore?: readonly number[]; readonly toldAll?: true }
  readonly IMAGE: WithFile<SentContent<'IMAGE'>> & { readonly width: number; readonly height: number }
  readonly FILE: WithFile<{ readonly name: string }>
  readonly VOICE: WithFile<SentContent<'VOICE'>>
  readonly VIDEO: WithFile<SentContent<'VIDEO'>>
  readonly LOCATION: SentContent<'LOCATION'>
  /** `avatar` as users have it, see `avatarUrl` of files. */
  readonly CARD: { readonly userId: number; readonly nickname: string; readonly avatar: string | null }
  readonly QR_CODE: {
    readonly qrCodeId: number
    readonly name: string
    readonly content: string
    readonly contentType: string
    /** Of dynamic codes, whose pictures contain a public address. */
    readonly uuid: string | null
    /** Of its short link. Messages from before there were short links have none. */
    readonly slug?: string | null
    readonly style: QrStyle
  }
  readonly ACTIVITY: SentContent<'ACTIVITY'> & {
    readonly uuid: string
    readonly name: string
    readonly startTime: number
    readonly endTime: number
    /** Path of the cover if it is public. */
    readonly cover: string | null
    readonly qrContent: string | null
  }
  readonly SYSTEM: { readonly event: string; readonly userIds?: readonly number[]; readonly text: string }
}

/** `messages.content` by type, with what the server adds. Addresses of files and pictures are made when a message is shown. */
export type StoredContents = { readonly [T in MessageType]: Stored[T] }
