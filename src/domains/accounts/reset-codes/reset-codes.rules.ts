/** Start codes and reset codes: codes on paper with which users set a password. Pure. */

import { CODE_ALPHABET, randomCode } from '#platform/ids.ts'
import type { Seal } from '#platform/seal.ts'

/** 80 random bits. */
const LENGTH = 16
const GROUP = /.{4}(?=.)/g

/** A new code, as it is shown: in groups of four. */
export const newResetCode = (): string => randomCode(CODE_ALPHABET, LENGTH).replace(GROUP, '$&-')

/** Case, hyphens and spaces do not count. */
const plain = (code: string): string => code.toUpperCase().replace(/[\s-]/g, '')

/** The hash that is stored, of a code as it was typed. */
export const resetCodeHash = (seal: Pick<Seal, 'mac'>, userId: number, code: string): string =>
  seal.mac(JSON.stringify(['reset code', userId, plain(code)]))
