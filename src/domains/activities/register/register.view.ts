import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import { publicImageUrl, urlsOf } from '#domains/files/index.ts'
import type { Locale } from '#lib/localized.ts'

import { type ActivityRow, findCounters } from '../activities.store.ts'
import { descriptionHtml } from './description.view.ts'
import type { ActivityItem, ActivityView } from './register.model.ts'
import { qrContentOf, zoneOf } from './register.rules.ts'

/** Facts about a viewer who may see the activity. They decide which fields are null. */
export interface Shown {
  readonly isManager: boolean
  /** Whether the viewer is a member of the organization that owns the activity; by default, if they manage it. */
  readonly isMember?: boolean
}

export const coverUrlOf = (ctx: AppContext, { coverFileId, coverPublicKey, coverMime }: ActivityRow): string | null => {
  if (coverFileId === null || coverMime === null) return null
  return (
    publicImageUrl(ctx, coverPublicKey) ?? urlsOf(ctx, { id: coverFileId, mime: coverMime, thumbnailBlobId: null }).url
  )
}

/** INTERNAL organizations are known to their members only. */
export const ownerNameOf = (row: ActivityRow, isMember: boolean): string | null => {
  if (orgOf(row.owner) === 0) return row.ownerNickname
  return row.orgVisibility === 'INTERNAL' && !isMember ? null : row.orgName
}

export const regionOf = ({ province, city, district }: Pick<ActivityRow, 'province' | 'city' | 'district'>) =>
  province || city || district ? { province: province || null, city: city || null, district: district || null } : null

/** An activity in a list. */
export function listItem(ctx: AppContext, row: ActivityRow, { isManager, isMember = isManager }: Shown): ActivityItem {
  const isRestricted = row.visibility === 'RESTRICTED'
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    description: row.description,
    region: regionOf(row),
    location: row.location || null,
    latitude: row.latitude,
    longitude: row.longitude,
    startTime: row.startTime,
    endTime: row.endTime,
    timeZone: zoneOf(row),
    coverFileId: row.coverFileId,
    coverUrl: coverUrlOf(ctx, row),
    hasCheckIn: row.hasCheckIn,
    hasPass: row.hasPass,
    ownerType: orgOf(row.owner) === 0 ? 'PERSONAL' : 'ORGANIZATION',
    ownerId: Math.abs(row.owner),
    ownerName: ownerNameOf(row, isMember),
    createdBy: row.userId,
    visibility: row.visibility,
    restrictedScopeType: isRestricted ? 'ORGANIZATION' : null,
    restrictedScopeId: isRestricted ? orgOf(row.owner) : null,
    inviteCode: isManager ? row.inviteCode : null,
    status: row.status,
    qrContent: isManager || row.inviteCode === null ? qrContentOf(row) : null,
    registration: row.registration && {
      capacity: row.capacity || null,
      waitlist: row.registration.waitlist,
      approval: row.registration.approval ?? false,
      contact: row.registration.contact ?? 'NONE',
      opensAt: row.registration.opensAt,
      closesAt: row.registration.closesAt,
      personalOnly: row.registration.personalOnly ?? false,
      guests: row.registration.guests ?? false,
      guestRetentionDays: row.registration.guestRetentionDays ?? null,
      questions: row.registration.questions.map(({ key, label, required }) => ({ key, label, required })),
    },
    seriesId: row.seriesId,
    canManage: isManager,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** An activity in an answer about it alone. */
export async function toView(ctx: AppContext, row: ActivityRow, shown: Shown): Promise<ActivityView> {
  const { checkInConfig, passConfig } = row
  const { isManager } = shown
  return {
    ...listItem(ctx, row, shown),
    language: row.language,
    autoNotices: row.autoNotices,
    contactEmail: isManager ? row.contactEmail : null,
    descriptionFormat: row.descriptionFormat,
    descriptionHtml: await descriptionHtml(ctx, row),
    checkInConfig: {
      radiusMeters: checkInConfig.radiusMeters,
      latitude: checkInConfig.latitude,
      longitude: checkInConfig.longitude,
      maxPerUser: checkInConfig.maxPerUser,
      shortCode: isManager ? checkInConfig.shortCode : null,
      opensAt: checkInConfig.opensAt,
      closesAt: checkInConfig.closesAt,
      registeredOnly: checkInConfig.registeredOnly ?? false,
      rotatingSeconds: checkInConfig.rotatingSeconds ?? null,
    },
    passConfig: {
      templateId: row.passTemplateId,
      validFrom: passConfig.validFrom,
      validTo: passConfig.validTo,
      maxUses: passConfig.maxUses,
      autoIssue: row.autoIssue,
    },
    stats: isManager ? await statsOf(ctx, row.id) : null,
  }
}

async function statsOf(ctx: AppContext, id: number): Promise<NonNullable<ActivityView['stats']>> {
  const { checkIns, checkedInUsers, passes, passUses, confirmed, waiting } = await findCounters(ctx.db.read, id)
  return { checkIns, checkedInUsers, passes, passUses, registrations: { confirmed, waiting } }
}

/** The parts of an address in the order in which the language writes them. */
export const addressText = (
  { province, city, district, location }: Readonly<Record<'province' | 'city' | 'district' | 'location', string>>,
  locale: Locale,
): string => {
  const parts = [province, city, district, location].filter((part) => part !== '')
  return locale === 'zh' ? parts.join(' ') : parts.toReversed().join(', ')
}
