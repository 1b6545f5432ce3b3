/** The QR codes and the calendar file of an activity, and the activities and passes that scanned contents refer to. */

import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'
import type { ResolveScanTarget } from '#domains/contributions.ts'
import { publicImageUrl } from '#domains/files/index.ts'
import { ownAddresses } from '#http/addresses.ts'
import { AppError } from '#http/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { onOneLine } from '#lib/text.ts'

import { type ActivityRow, findActivity, findByCheckInUuid, findByUuid } from '../activities.store.ts'
import { decodeToken, uuidInLink } from '../pass-keys/pass-keys.rules.ts'
import { contentOf, verifyToken } from '../pass-keys/pass-keys.service.ts'
import { findPassByUuid, livePassesOf } from '../passes/passes.store.ts'
import { descriptionText } from '../register/description.view.ts'
import { qrContentOf, scannedIn } from '../register/register.rules.ts'
import { addressText } from '../register/register.view.ts'
import { normalizeInviteCode } from '../visibility/visibility.rules.ts'
import { type Asking, manages, see, seeActivity } from '../visibility/visibility.service.ts'
import type { ActivityQrCode } from './links.model.ts'
import { activityUrl, checkInUrl, invitingUrl, passUrl, picturePath } from './links.view.ts'

const CHECK_IN: Localized = { en: 'Check-in: ', zh: '签到：' }

/** The QR codes that the caller may show to others. That of an INVITE_ONLY activity holds the invite code, so managers only have it. */
export async function listQrCodes(
  ctx: AppContext,
  id: number,
  asking: Asking,
  locale: Locale,
): Promise<ActivityQrCode[]> {
  const { row, isManager } = await seeActivity(ctx, id, asking)
  const codes: Omit<ActivityQrCode, 'imageUrl'>[] = []
  if (isManager || row.inviteCode === null)
    codes.push({ type: 'ACTIVITY', title: row.name, content: qrContentOf(row), publicUrl: invitingUrl(ctx, row) })
  if (isManager && row.hasCheckIn) {
    const publicUrl = checkInUrl(ctx, row)
    codes.push({ type: 'CHECK_IN', title: `${CHECK_IN[locale]}${row.name}`, content: publicUrl, publicUrl })
  }
  for (const pass of await livePassesOf(ctx.db.read, id, asking.viewer.userId, ctx.clock.now())) {
    const title = `${row.name}: ${pass.holderName}`
    codes.push({ type: 'PASS', title, content: await contentOf(ctx, pass), publicUrl: passUrl(ctx, pass) })
  }
  return codes.map((code) => ({ ...code, imageUrl: ctx.config.publicUrl + picturePath(code.content) }))
}

/**
 * The activity as an iCalendar file (RFC 5545).
 * @throws AppError as `seeActivity`
 */
export async function calendarFile(ctx: AppContext, id: number, asking: Asking, locale: Locale): Promise<Response> {
  const { row } = await seeActivity(ctx, id, asking)
  return calendarOf(ctx, row, locale)
}

/** The caller has checked who may see the activity. */
export async function calendarOf(ctx: AppContext, row: ActivityRow, locale: Locale): Promise<Response> {
  return new Response(await calendarText(ctx, row, locale), {
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `attachment; filename="activity-${row.id}.ics"`,
      'cache-control': 'private, no-store',
    },
  })
}

interface Publishing {
  readonly method: 'PUBLISH' | 'CANCEL'
  readonly publisher?: { readonly name: string; readonly email: string }
}

/**
 * The activity in iCalendar. Each version has the same UID and a higher SEQUENCE than those before, so that calendars move the entry.
 * `publishing`: for a mail; CANCEL removes the entry.
 */
export async function calendarText(
  ctx: AppContext,
  row: ActivityRow,
  locale: Locale,
  publishing?: Publishing,
): Promise<string> {
  // Loaded with the first file, which the start of the server should not wait for.
  const { default: ical, ICalCalendarMethod, ICalEventStatus } = await import('ical-generator')
  const calendar = ical({
    prodId: { company: 'Tessera', product: 'Activities' },
    ...(publishing && { method: ICalCalendarMethod[publishing.method] }),
  })
  const { latitude, longitude } = row
  const title = onOneLine(addressText(row, locale))
  const geo = latitude === null || longitude === null ? undefined : { lat: latitude, lon: longitude }
  const location = title === '' ? geo && { geo } : { title, ...(geo && { geo }) }
  calendar.createEvent({
    id: `activity-${row.uuid}@${new URL(ctx.config.publicUrl).hostname}`,
    sequence: row.version,
    summary: onOneLine(row.name),
    ...(publishing?.publisher && { organizer: publishing.publisher }),
    ...(row.description !== '' && { description: await descriptionText(ctx, row) }),
    start: new Date(row.startTime),
    end: new Date(row.endTime),
    stamp: new Date(row.updatedAt),
    url: activityUrl(ctx, row),
    status:
      row.status === 'CANCELLED' || publishing?.method === 'CANCEL'
        ? ICalEventStatus.CANCELLED
        : ICalEventStatus.CONFIRMED,
    ...(location && { location }),
  })
  return calendar.toString()
}

/** The path of the landing page of an activity. It asks for the invite code itself. */
export async function landingPath(db: Db, id: number): Promise<string | undefined> {
  const row = await findActivity(db, id)
  return row && `/s/activity/${row.uuid}`
}

/** The activity that a content names and the invite code that it contains. */
async function named(
  ctx: AppContext,
  content: string,
): Promise<{ readonly row: ActivityRow | undefined; readonly code: string | undefined }> {
  const { read } = ctx.db
  const scanned = scannedIn(content, ownAddresses(ctx))
  if (scanned.kind === 'activity') return { row: await findActivity(read, scanned.id), code: scanned.code }
  if (scanned.kind !== 'page') return { row: undefined, code: undefined }
  const find = scanned.page === 'activity' ? findByUuid : findByCheckInUuid
  return { row: await find(read, scanned.uuid), code: scanned.code }
}

/** The activity that a scanned content refers to, if the user may see it, with the invite code in the content. */
export const resolveActivity: ResolveScanTarget = async (ctx, userId, content, caller) => {
  const { row, code } = await named(ctx, content)
  try {
    // Counts wrong codes like every other operation, so that scanning cannot be used to guess them.
    await see(ctx, row, { viewer: { userId, orgId: 0 }, caller, code })
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
  return { id: row!.id, title: row!.name }
}

/** The fields of an activity that a chat message shows. */
export interface ActivityForMessage {
  readonly uuid: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly startTime: number
  readonly endTime: number
  /** Null unless everyone may see the cover. */
  readonly coverUrl: string | null
  /** Null for an INVITE_ONLY activity without its invite code: the content holds it. */
  readonly qrContent: string | null
}

/** Undefined if the user may not see the activity. @throws AppError 429 after too many wrong invite codes */
export async function activityForMessage(
  ctx: AppContext,
  id: number,
  asking: Asking,
): Promise<ActivityForMessage | undefined> {
  try {
    const { row } = await seeActivity(ctx, id, asking)
    const { uuid, name, startTime, endTime, coverPublicKey, inviteCode } = row
    const knowsCode = inviteCode === null || normalizeInviteCode(asking.code ?? '') === inviteCode
    return {
      uuid,
      name,
      startTime,
      endTime,
      coverUrl: publicImageUrl(ctx, coverPublicKey),
      qrContent: knowsCode ? qrContentOf(row) : null,
    }
  } catch (error) {
    if (error instanceof AppError && error.status !== 429) return undefined
    throw error
  }
}

/** The pass that a scanned link refers to, for its holder and for managers of its activity. */
export const resolvePass: ResolveScanTarget = async (ctx, userId, content) => {
  const token = decodeToken(content)
  const uuid = token === undefined ? uuidInLink(content) : (await verifyToken(ctx, token)) && token.uuid
  const pass = uuid ? await findPassByUuid(ctx.db.read, uuid) : undefined
  const row = pass && (await findActivity(ctx.db.read, pass.activityId))
  if (pass === undefined || row === undefined) return undefined
  const isShown = pass.holderUserId === userId || (await manages(ctx, userId, row, 'pass:read'))
  return isShown ? { id: pass.id, title: `${row.name}: ${pass.holderName}` } : undefined
}
