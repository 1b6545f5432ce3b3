/** Pure decisions about organizations, their codes and their invitations. */

import type { InvitationStatus, JoinPolicy, OrgStatus, OrgVisibility } from '#db/schema/orgs.ts'
import { ownLink } from '#lib/own-link.ts'
import { DAY } from '#platform/clock.ts'
import { CODE_ALPHABET } from '#platform/ids.ts'

export const CODE_LENGTH = 8
/** The QR code of an organization contains this prefix and the organization code (spec §2.4). */
export const JOIN_PREFIX = 'org-join:'

/** How long an invitation can be answered (spec §8). */
export const INVITATION_MS = 7 * DAY
/** How long an offer of ownership can be accepted. */
export const TRANSFER_MS = 7 * DAY
/** Member limit of a new organization, unless its owner gives one. */
export const DEFAULT_MEMBER_LIMIT = 500
export const MAX_MEMBER_LIMIT = 1_000_000

/**
 * The organization code in a text that a user typed. Case, spaces and dashes are ignored, because codes are read aloud and written
 * down. Undefined if the text cannot be a code.
 */
export function normalizeCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  return code.length === CODE_LENGTH && [...code].every((c) => CODE_ALPHABET.includes(c)) ? code : undefined
}

const PAGE_PATH = /^\/public\/orgs\/([\w-]{1,64})\/?$/i

/** The organization code in a scanned text: `org-join:<code>`, or a link to the organization's page on this server. */
export function codeInContent(content: string, addresses: readonly string[]): string | undefined {
  const text = content.trim()
  if (text.toLowerCase().startsWith(JOIN_PREFIX)) return normalizeCode(text.slice(JOIN_PREFIX.length))
  const [, code] = PAGE_PATH.exec(ownLink(text, addresses)?.path ?? '') ?? []
  return code === undefined ? undefined : normalizeCode(code)
}

/** INTERNAL organizations accept new members by invitation only (spec §2.3). */
export const effectiveJoinPolicy = (visibility: OrgVisibility, joinPolicy: JoinPolicy): JoinPolicy =>
  visibility === 'INTERNAL' ? 'INVITE' : joinPolicy

/** The effect of joining by code, QR code or application. */
export type Admission = 'member at once' | 'request' | 'by invitation only' | 'disabled'
export function admissionTo(org: { status: OrgStatus; visibility: OrgVisibility; joinPolicy: JoinPolicy }): Admission {
  if (org.status !== 'ACTIVE') return 'disabled'
  const policy = effectiveJoinPolicy(org.visibility, org.joinPolicy)
  return policy === 'FREE' ? 'member at once' : policy === 'APPROVAL' ? 'request' : 'by invitation only'
}

/** The status of an invitation at a moment: a pending one expires without a write. */
export const invitationStatusAt = (
  invitation: { status: InvitationStatus; expiresAt: number },
  now: number,
): InvitationStatus => (invitation.status === 'PENDING' && invitation.expiresAt <= now ? 'EXPIRED' : invitation.status)
