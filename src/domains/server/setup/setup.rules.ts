/** Which steps the setup has, and how far they are. */

import type { Config } from '#config/config.ts'
import type { PartValue, ServerValues } from '#domains/settings/index.ts'

import { type SetupChange, type SetupView, type Step, STEPS } from './setup.model.ts'

type Stored = PartValue<'setup'>

/** The start values that decide a step. */
const DECIDED_BY: Readonly<Partial<Record<Step, readonly (keyof Config)[]>>> = {
  reach: ['domain', 'lan', 'publicUrl', 'host'],
  certificate: ['domain', 'lan', 'tlsCert'],
  mail: ['smtpUrl'],
}

/** `origins`: of the start values that were given. */
const lockOf = (step: Step, origins: ReadonlyMap<string, string>): string | null =>
  DECIDED_BY[step]?.map((key) => origins.get(key)).find((origin) => origin !== undefined) ?? null

/** Behind a proxy and on one computer the server needs no certificate of its own. */
const needsCertificate = ({ reach }: ServerValues, origins: ReadonlyMap<string, string>): boolean =>
  lockOf('certificate', origins) !== null ||
  (lockOf('reach', origins) === null && (reach?.mode === 'DOMAIN' || reach?.mode === 'NETWORK'))

export function setupOf(values: ServerValues, origins: ReadonlyMap<string, string>): SetupView {
  const { done = false, marks = {} } = values.setup ?? {}
  const steps = STEPS.filter((key) => key !== 'certificate' || needsCertificate(values, origins)).map((key) => {
    const lockedBy = lockOf(key, origins)
    const mark = marks[key]
    const status = lockedBy === null ? (mark?.status ?? ('OPEN' as const)) : ('DONE' as const)
    return { key, status, since: mark?.at ?? null, lockedBy }
  })
  return { done: done || steps.every(({ status }) => status !== 'OPEN'), steps }
}

export function summaryOf({ done, steps }: SetupView): { done: boolean; open: number } {
  return { done, open: done ? 0 : steps.filter(({ status }) => status === 'OPEN').length }
}

/** A mark that is there already keeps its time. */
export function marked({ done, marks }: Stored, steps: SetupChange['steps'], at: number): Stored {
  const after = { ...marks }
  let isReopened = false
  for (const { key, status } of steps) {
    if (status === 'OPEN') {
      isReopened ||= after[key] !== undefined
      delete after[key]
    } else if (after[key]?.status !== status) after[key] = { status, at }
  }
  return { done: done && !isReopened, marks: after }
}
