/** Decisions about passes. Pure. */

import type { passes } from '#db/schema/passes.ts'

export const PASS_STATUSES = ['ISSUED', 'USED', 'EXPIRED', 'REVOKED'] as const
export type PassStatus = (typeof PASS_STATUSES)[number]

type Judged = Pick<typeof passes.$inferSelect, 'revokedAt' | 'expiredAt' | 'validTo' | 'maxUses' | 'usedCount'>

/** A pass is valid up to and including the millisecond `validTo`. */
export function statusOf(pass: Judged, now: number): PassStatus {
  if (pass.revokedAt !== null) return 'REVOKED'
  if (pass.expiredAt !== null || (pass.validTo !== null && now > pass.validTo)) return 'EXPIRED'
  return pass.maxUses !== 0 && pass.usedCount >= pass.maxUses ? 'USED' : 'ISSUED'
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The name that people without sign-in see: its first character and two asterisks. */
export function maskName(name: string): string {
  const first = graphemes.segment(name)[Symbol.iterator]().next().value?.segment ?? ''
  return `${first}**`
}
