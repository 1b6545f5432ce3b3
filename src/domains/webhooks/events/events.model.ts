/** Descriptions of all events, and the data of those that are not about a row as its operation answers it. */

import type { EventThing, EventType } from '#db/schema/webhooks.ts'
import { Id, Model, Nullable, Text, Time, type TObject, Type } from '#http/schema.ts'

export const DESCRIPTIONS: Readonly<Record<EventType, string>> = {
  'qr_code.created': 'A QR code was created.',
  'qr_code.updated': 'A QR code was changed, also by a restore from the trash.',
  'qr_code.deleted': 'A QR code was moved to the trash, or deleted at once.',
  'qr_code.scanned': 'A QR code was scanned. Scans within a minute of the first one are one event.',
  'blank.bound': 'A preprinted label got a thing that it stands for.',
  'found_report.created': 'A finder has reported a lost thing.',
  'asset.created': 'An asset was registered.',
  'asset.updated': 'An asset was changed, also by a loan or by scrapping it.',
  'asset.deleted': 'An asset was deleted.',
  'asset.scrapped': 'An asset was scrapped.',
  'asset.checked_out': 'An asset was lent.',
  'asset.checked_in': 'A lent asset came back.',
  'asset.overdue': 'A lent asset should have come back. Told once for each loan.',
  'inventory.closed': 'A stock-taking was closed.',
  'activity.created': 'An activity was created, as a draft.',
  'activity.updated': 'An activity was changed, also its status.',
  'activity.published': 'An activity was published.',
  'activity.ended': 'An activity was ended.',
  'activity.cancelled': 'An activity was cancelled.',
  'activity.deleted': 'An activity was deleted.',
  'registration.confirmed': 'A person has a place in an activity.',
  'registration.waiting': 'A person waits for a place in an activity.',
  'registration.cancelled': 'A registration has ended, by the person or by a manager.',
  'check_in.created': 'A person has checked in to an activity.',
  'pass.issued': 'A pass was issued.',
  'pass.redeemed': 'A pass was accepted at an entrance.',
  'pass.revoked': 'A pass was revoked.',
  'member.joined': 'A user became a member of the organization.',
  'member.left': 'A member has left the organization or was removed.',
  'member.role_changed': 'The role of a member was changed.',
  'join_request.created': 'A user asks to become a member.',
  'invitation.answered': 'An invited user has accepted or declined.',
  'org.created': 'An organization was created.',
  'org.updated': 'The organization was changed.',
  'org.dissolved': 'An organization was dissolved, with its webhooks, so only webhooks of the server get this event.',
  'album_photo.created': 'A photo was added to an album.',
  'user.created': 'An account was created.',
  'user.disabled': 'An account was disabled.',
  'user.enabled': 'An account was enabled again.',
  'user.deleted': 'An account was deleted.',
  'agreement.published': 'A version of an agreement was published.',
  'app_update.published': 'A version of the app was published.',
  'backup.finished': 'A backup was made.',
  'backup.failed': 'A backup could not be made.',
}

/** Data of a row that is gone, and of every event for webhooks of the server. */
export const ShortRow = Model('EventShortRow', {
  id: Id,
  name: Nullable(Text('Projector', { description: 'Null for rows without a name' })),
  kind: Text('asset'),
})

/** In place of data that would make a body too large. */
export const ShortenedRow = Model('EventShortenedRow', {
  ...ShortRow.properties,
  isShortened: Type.Literal(true, { description: 'The row is too large to be sent: read it by its `id`' }),
})

export const TestEvent = Model('TestEvent', { message: Text('This is a test of your webhook') })

export const BatchEvent = Model('BatchEvent', {
  event: Text('asset.created', { description: 'The type of the events that it stands for' }),
  count: Type.Integer({ minimum: 1, examples: [12_000] }),
})

const Scans = Model('QrCodeScansEvent', {
  qrCodeId: Id,
  from: { ...Time, description: 'Of the first scan' },
  to: { ...Time, description: 'Of the last scan' },
  count: Type.Integer({ minimum: 1, examples: [12] }),
})

const Left = Model('MemberLeftEvent', {
  id: Id,
  userId: Id,
  orgId: Id,
  nickname: Text('Lin Mei'),
  name: Text('Lin Mei'),
})

/** Data of types whose events are not about a row that a contribution reads. */
export const OWN_DATA: Readonly<Partial<Record<EventType, TObject>>> = {
  'qr_code.scanned': Scans,
  'member.left': Left,
}

/** Things whose many events in one write can become one. */
export const THINGS_OF_BATCHES: readonly EventThing[] = [
  'qr_code',
  'blank',
  'asset',
  'activity',
  'registration',
  'check_in',
  'pass',
  'album_photo',
  'member',
]
