/** Codes of personal invitations, each for one registration. They are longer than the invite codes of activities. */

import { normalizeInviteCode } from './visibility.rules.ts'

export const PERSONAL_CODE_LENGTH = 12

/** The text as the code of a personal invitation; undefined if it can be none. */
export function personalCodeIn(text: string | null | undefined): string | undefined {
  const code = normalizeInviteCode(text ?? '')
  return code.length === PERSONAL_CODE_LENGTH ? code : undefined
}

export type InvitationState = 'OPEN' | 'USED' | 'EXPIRED' | 'REVOKED'

interface Dated {
  readonly usedAt: number | null
  readonly revokedAt: number | null
  readonly expiresAt: number | null
}

export function stateOf({ usedAt, revokedAt, expiresAt }: Dated, now: number): InvitationState {
  if (usedAt !== null) return 'USED'
  if (revokedAt !== null) return 'REVOKED'
  return expiresAt !== null && expiresAt <= now ? 'EXPIRED' : 'OPEN'
}
