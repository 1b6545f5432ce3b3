/** The write of an import: all rows or none. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { notFound } from '#http/errors.ts'
import { MAX_ERRORS, rowsHaveErrors } from '#http/imports.ts'
import { MINUTE } from '#platform/clock.ts'

import { type ActivityRow, findActivity, findCounters } from '../activities.store.ts'
import { guestsOf } from '../additions/additions.store.ts'
import { addEntries, type Adding, checkOpen, type Entry } from '../additions/entries.service.ts'
import { NEWS, type SetStatus } from '../participants/changes.service.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { changeStatuses, placesOf, refill } from '../registrations/places.service.ts'
import { type RegistrationRow, takePlaces } from '../registrations/registrations.store.ts'
import { updateDetails } from '../registrations/waiting.store.ts'
import { refuseIfDisabled } from '../visibility/visibility.service.ts'
import { type ChangedRow, type Facts, type GivenRow, type NewRow, type PlannedRow, planRows } from './rows.rules.ts'

/** 5,000 rows take a few seconds. */
const MAX_WRITE_MS = 2 * MINUTE
/** Addresses of one statement. */
const ADDRESSES = 1000
/** Rows that change, and people who are notified, between two pauses. */
const GROUP = 50

type Planned = PlannedRow<RegistrationRow>
type Changed = ChangedRow<RegistrationRow>

/** The stored facts on which the plan of the rows depends. @throws AppError 404 if the activity is gone */
export async function factsOf(
  db: Db | Tx,
  activityId: number,
  rows: readonly GivenRow[],
  overCapacity: boolean,
): Promise<Facts<RegistrationRow> & { readonly activity: ActivityRow }> {
  const activity = await findActivity(db, activityId)
  if (activity === undefined) throw notFound()
  const emails = [...new Set(rows.flatMap(({ email }) => email ?? []))]
  const guests = new Map<string, RegistrationRow>()
  for (let at = 0; at < emails.length; at += ADDRESSES)
    for (const [email, row] of await guestsOf(db, activityId, emails.slice(at, at + ADDRESSES))) guests.set(email, row)
  const { confirmed } = await findCounters(db, activityId)
  const questions = activity.registration?.questions ?? []
  return { activity, questions, guests, confirmed, places: placesOf(activity, overCapacity) }
}

export function countsOf(items: readonly Planned[]) {
  const count = (action: Planned['action']) => items.filter((item) => item.action === action).length
  return { created: count('CREATE'), updated: count('UPDATE'), unchanged: count('UNCHANGED') }
}

/**
 * Plans the rows again from the present data, and writes them. Returns their numbers.
 * @throws AppError 400 with all problems, or if the activity no longer takes registrations
 */
export async function writeRows(
  ctx: AppContext,
  activityId: number,
  rows: readonly GivenRow[],
  { overCapacity, notify, mails }: Omit<Adding, 'source'>,
): Promise<ReturnType<typeof countsOf>> {
  return ctx.db.write(
    'registrations.import',
    async (tx) => {
      // Locks the row of the counters, so that people who register meanwhile wait for the import and do not make it start again.
      await takePlaces(tx, activityId, 0, placesOf({ capacity: 0 }))
      const { activity, ...facts } = await factsOf(tx, activityId, rows, overCapacity)
      refuseIfDisabled(activity)
      checkOpen(activity)
      const { items, problems } = planRows(rows, facts)
      if (problems.length > 0)
        throw rowsHaveErrors(
          problems.length,
          problems.slice(0, MAX_ERRORS).map(({ row, key, text }) => ({ path: `rows.${row}.${key}`, text })),
        )
      const changed = items.filter((item): item is Changed => item.action === 'UPDATE')
      await changeGuests(ctx, tx, activity, changed, { overCapacity, notify })
      const created = items.filter((item): item is NewRow => item.action === 'CREATE')
      if (created.length > 0)
        await addEntries(ctx, tx, activity, created.map(entryOf), { source: 'IMPORT', overCapacity, notify, mails })
      const waiting = [...changed, ...created].filter(({ status }) => status === 'WAITING').length
      if (changed.some(({ guest, status }) => status !== undefined && guest.status === 'CONFIRMED'))
        await refill(ctx, tx, activity, waiting)
      return countsOf(items)
    },
    { maxMs: MAX_WRITE_MS },
  )
}

/** Places are given up before others are taken. */
const ORDER: readonly SetStatus[] = ['CANCELLED', 'REJECTED', 'WAITING', 'CONFIRMED']

async function changeGuests(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  items: readonly Changed[],
  { overCapacity, notify }: Omit<Adding, 'source'>,
): Promise<void> {
  for (const to of ORDER) {
    const guests = items.flatMap(({ guest, status }) => (status === to ? [guest] : []))
    for (let at = 0; at < guests.length; at += GROUP) {
      const change = { to, reason: '', overCapacity }
      const after = await changeStatuses(ctx, tx, activity, guests.slice(at, at + GROUP), change)
      if (notify) await tellPeople(ctx, tx, activity, NEWS[to], after)
      await tx.pause()
    }
  }
  for (const [i, { guest, details }] of items.entries()) {
    if (Object.keys(details).length > 0) await updateDetails(tx, guest.id, details)
    if (i % GROUP === 0) await tx.pause()
  }
}

const entryOf = ({ row, given, answers, status }: NewRow): Entry => ({
  path: `rows.${row}`,
  userId: null,
  name: given.name,
  email: given.email ?? null,
  language: given.language ?? null,
  answers,
  note: given.note ?? '',
  status,
})
