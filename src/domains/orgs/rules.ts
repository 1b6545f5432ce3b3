/** Decisions about organizations that need nothing looked up. */

import type { InvitationStatus, JoinPolicy, OrgStatus, OrgVisibility } from '#db/schema/orgs.ts'
import { DAY } from '#platform/clock.ts'

/** 24 letters and 8 digits, none of which looks like another. */
export const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
export const CODE_LENGTH = 8
/** What an organization's QR code holds before the code (spec §2.4). */
export const JOIN_PREFIX = 'org-join:'

/** How long an invitation may be answered (spec §8). */
export const INVITATION_MS = 7 * DAY
/** Members that a new organization may have until its owner says otherwise. */
export const DEFAULT_MEMBER_LIMIT = 500
export const MAX_MEMBER_LIMIT = 1_000_000

/** People read codes aloud and type them with dashes: case, spaces and dashes say nothing. Undefined: no code at all. */
export function normalizeCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  return code.length === CODE_LENGTH && [...code].every((c) => CODE_ALPHABET.includes(c)) ? code : undefined
}

/** The code in what a scanner read: `org-join:<code>`, or a link to the organization's page on this server. */
export function codeInContent(content: string, publicUrl: string): string | undefined {
  const text = content.trim()
  if (text.toLowerCase().startsWith(JOIN_PREFIX)) return normalizeCode(text.slice(JOIN_PREFIX.length))
  const page = `${publicUrl}/public/orgs/`
  return text.startsWith(page) ? normalizeCode(text.slice(page.length)) : undefined
}

/** INTERNAL organizations take nobody but by invitation (spec §2.3). */
export const policyFor = (visibility: OrgVisibility, asked: JoinPolicy): JoinPolicy =>
  visibility === 'INTERNAL' ? 'INVITE' : asked

/** What happens to somebody who comes by code, QR code or application. */
export type Admission = 'join' | 'ask' | 'by invitation only' | 'closed'
export function admissionTo(org: { status: OrgStatus; visibility: OrgVisibility; joinPolicy: JoinPolicy }): Admission {
  if (org.status !== 'ACTIVE') return 'closed'
  const policy = policyFor(org.visibility, org.joinPolicy)
  return policy === 'FREE' ? 'join' : policy === 'APPROVAL' ? 'ask' : 'by invitation only'
}

/** An invitation's state at a moment: an open one ends by itself. */
export const statusAt = (invitation: { status: InvitationStatus; expiresAt: number }, now: number): InvitationStatus =>
  invitation.status === 'PENDING' && invitation.expiresAt <= now ? 'EXPIRED' : invitation.status
