/**
 * Rotating codes of check-in: an HMAC of the time step and a key of the activity, so that every process computes the same ones and none is
 * stored. Pure.
 */

import { createHmac } from 'node:crypto'

import type { activities } from '#db/schema/activities.ts'
import { SECOND } from '#platform/clock.ts'
import type { Seal } from '#platform/seal.ts'

import { checkInPolicy } from '../register/register.rules.ts'
import { INVITE_CODE_ALPHABET as ALPHABET } from '../visibility/visibility.rules.ts'

const LENGTH = 8

type Activity = Pick<
  typeof activities.$inferSelect,
  'checkInUuid' | 'checkInConfig' | 'endTime' | 'latitude' | 'longitude'
>

/** The number of its step. `seconds`: how long a step takes. Steps begin at the epoch, for all processes and activities alike. */
const stepAt = (now: number, seconds: number): number => Math.floor(now / (seconds * SECOND))

/** 8 letters and digits: 40 bits, of which two codes are good at a time. */
function codeOf(seal: Pick<Seal, 'derive'>, { checkInUuid }: Activity, seconds: number, step: number): string {
  // The length of a step is part of the text, so that codes of one length say nothing about those of another.
  const mac = createHmac('sha256', seal.derive(`rotating check-in codes v1 ${checkInUuid}`)).update(
    `${seconds} ${step}`,
  )
  // The alphabet has 32 characters, so that each is as likely as the others.
  return Array.from(mac.digest().subarray(0, LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** The present code, and when the next one follows. Undefined if the code of the activity does not rotate. */
export function rotatingCode(
  seal: Pick<Seal, 'derive'>,
  row: Activity,
  now: number,
): { readonly code: string; readonly until: number } | undefined {
  const seconds = checkInPolicy(row).rotatingSeconds
  if (seconds === null) return undefined
  const step = stepAt(now, seconds)
  return { code: codeOf(seal, row, seconds, step), until: (step + 1) * seconds * SECOND }
}

/**
 * Whether the code is that of the present step or of the one before, which people may have scanned a moment ago; or of the next one, which only
 * another process can have shown, whose clock is a little ahead.
 */
export function isGoodAt(seal: Pick<Seal, 'derive'>, row: Activity, code: string, now: number): boolean {
  const seconds = checkInPolicy(row).rotatingSeconds
  if (seconds === null) return false
  const step = stepAt(now, seconds)
  return [step, step - 1, step + 1].some((one) => codeOf(seal, row, seconds, one) === code.toUpperCase())
}
