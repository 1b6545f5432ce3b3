/**
 * The last answers of some operations, kept in the database of this browser, so that their pages open without a connection. They are deleted
 * when the session ends. Nothing else that the server answers is kept.
 */

import { findAnswer, findAnswers, keepAnswer, type KeptAnswer } from '../browser/database.ts'
import { serverTime } from '../browser/server-time.ts'
import { isAway, showKept } from './connection.ts'
import { isLost } from './errors.ts'
import type { OperationId } from './types.ts'

/** Those of the start page, the gate, stock-taking, handing out, and the user's own codes, activities, registrations and passes. */
const KEPT: ReadonlySet<OperationId> = new Set<OperationId>([
  'profile.get',
  'access.myPermissions',
  'orgs.list',
  'qrCodes.list',
  'qrCodes.get',
  'categories.tree',
  'activities.list',
  'activities.get',
  'activities.qrCodes',
  'checkInLists.list',
  'registrations.get',
  'inventories.list',
  'inventories.get',
  'inventories.items',
  'assets.loans',
  'assetReservations.list',
  'contacts.pendingCount',
  'assetCategories.tree',
  'locations.tree',
])

/** Milliseconds after which a kept answer is shown instead. The network hangs, or the server is very busy. */
const PATIENCE = 6_000

interface Input {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** Searches are not kept: each has an answer of its own. Of lists of assets, those with given ids are: names of loans and reservations. */
export const isKept = (id: OperationId, { query }: Input): boolean =>
  (KEPT.has(id) || (id === 'assets.list' && query?.['ids'] !== undefined)) &&
  (query?.['keyword'] === undefined || query['keyword'] === '')

/** The same for the same input, whatever the order of its parts. */
const keyOf = ({ params = {}, query = {} }: Input): string => {
  const parts = [...Object.entries(params), ...Object.entries(query)].filter(([, value]) => value !== undefined)
  return JSON.stringify(parts.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the result of `load` or, if the server cannot be reached, the kept answer. @throws ApiError */
export async function freshOrKept(
  userId: number,
  id: OperationId,
  input: Input,
  load: () => Promise<unknown>,
): Promise<unknown> {
  const key = keyOf(input)
  const find = () => findKept(userId, id, key, input).catch(() => undefined)
  if (isAway()) {
    const kept = await find()
    if (kept !== undefined) return kept.data
  }
  const answer = load().then((data) => {
    void keepAnswer({ userId, id, key, data, at: serverTime() }).catch(() => undefined)
    return data
  })
  answer.catch(() => undefined)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof LATE>((resolve) => (timer = setTimeout(() => resolve(LATE), PATIENCE)))
  const first = await Promise.race([answer, late]).catch((error: unknown) => {
    if (isLost(error)) return LATE
    throw error
  })
  clearTimeout(timer)
  if (first !== LATE) return first
  const kept = await find()
  // Without one, the error of the request is the answer.
  if (kept === undefined) return await answer
  return kept.data
}

const LATE = Symbol('late')

/** The last answer, which may be of an earlier visit. The page shows it until there is a fresh one. */
export const lastAnswer = (userId: number, id: OperationId, input: Input = {}): Promise<KeptAnswer | undefined> =>
  findAnswer(userId, id, keyOf(input)).catch(() => undefined)

async function findKept(
  userId: number,
  id: OperationId,
  key: string,
  { params }: Input,
): Promise<{ data: unknown } | undefined> {
  const kept = (await findAnswer(userId, id, key)) ?? (await findInList(userId, id, params?.['id']))
  if (kept !== undefined) showKept(kept.at)
  return kept
}

/** A thing that was not opened, but was a row of a list that was. With these operations, both have the same shape. */
async function findInList(
  userId: number,
  id: OperationId,
  thing: unknown,
): Promise<{ data: unknown; at: number } | undefined> {
  if (id !== 'qrCodes.get' && id !== 'inventories.get') return undefined
  const lists = await findAnswers(userId, id.replace('.get', '.list'))
  for (const { data, at } of lists) {
    const row = (data as { items?: { id: unknown }[] }).items?.find((item) => item.id === thing)
    if (row !== undefined) return { data: row, at }
  }
  return undefined
}
