/** The parts of a setting: the schema of its value, its default, and its texts for the console. */

import { type Static, type TSchema, Type } from '@sinclair/typebox'

import type { Localized } from '#lib/localized.ts'

type Texts = readonly [label: string, description: string]

/** Checks what a schema cannot tell. Returns the end of a sentence that begins with the key. */
type Check = (value: unknown) => Localized | undefined

export const setting = <S extends TSchema>(schema: S, initial: Static<S>, en: Texts, zh: Texts, check?: Check) => ({
  schema,
  initial,
  check,
  systemAdminOnly: false as boolean,
  label: { en: en[0], zh: zh[0] } satisfies Localized,
  description: { en: en[1], zh: zh[1] } satisfies Localized,
})

/** A setting that protects accounts, data or the operation log: only SYSTEM_ADMIN changes it. */
export const protection: typeof setting = (...texts) => ({ ...setting(...texts), systemAdminOnly: true })

export const MIB = 1024 * 1024
export const integer = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
export const size = integer(0, Number.MAX_SAFE_INTEGER)
export const flag = integer(0, 1)
