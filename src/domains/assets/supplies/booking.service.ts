/** Books movements on supplies that are locked: checks them, changes the numbers, and adds the rows. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import { noLocations, noSuchLocation, noSuchMember, notAPrice, notYourself } from '../register/register.errors.ts'
import { hundredths } from '../register/register.rules.ts'
import { locationNames, membersAmong, userNames } from '../register/register.store.ts'
import { keepersOf } from '../reminders.service.ts'
import { remindable } from '../reminders.store.ts'
import type { MovementItem } from './movements.model.ts'
import * as store from './movements.store.ts'
import * as errors from './supplies.errors.ts'
import { book, Impossible, isLow, nameKey, NO_PLACE, type Numbers, personKey, unbook } from './supplies.rules.ts'
import { setNumbers, type SupplyRow } from './supplies.store.ts'

export interface Fresh {
  readonly item: MovementItem
  /** Of the object with the fields of the item, for errors. */
  readonly path: string
  /** Without a location, those without a place are meant, also if there are some at only one other place. */
  readonly isExact?: true
  /** Of the pick-up of a reservation, with which its due time moves. */
  readonly isPickUp?: true
}

/** Books the items on supplies that are locked. @throws AppError 400 with the problems */
export async function bookItems(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  supplies: readonly SupplyRow[],
  fresh: readonly Fresh[],
  keeps = true,
): Promise<store.MovementRow[]> {
  if (fresh.length === 0) return []
  const byId = new Map(supplies.map((row) => [row.id, row]))
  const missing = fresh.filter(({ item }) => !byId.has(item.supplyId))
  if (missing.length > 0) {
    if (missing.some(({ path }) => path === 'body')) throw notFound()
    throw invalidAll(missing.map(({ path }) => errors.noSuchSupply(`${path}.supplyId`)))
  }
  const people = fresh.map(({ item }) => personOf(byId.get(item.supplyId)!, item, owner, keeps))
  const problems = fresh.flatMap(({ item, path }) => shapeProblems(byId.get(item.supplyId)!, item, path))
  problems.push(...(await referenceProblems(tx, owner, fresh)))
  if (problems.length > 0) throw invalidAll(problems)
  const known = people.flatMap((person) => person?.userId ?? [])
  const names = await userNames(tx, owner.orgId, [...new Set([owner.userId, ...known])])
  const books = await openBooks(tx, supplies, fresh, people)
  const given = fresh.map(({ item, path, isExact, isPickUp }, i): store.NewMovement => {
    const supply = byId.get(item.supplyId)!
    const person = people[i]
    const { numbers, loans } = books.get(supply.id)!
    const key = person && personKey(person.userId, person.personName)
    const lends = supply.kind === 'POOL' ? key : undefined
    const { type, quantity, toLocationId = null } = item
    const locationId = item.locationId ?? (isExact ? NO_PLACE : null)
    const booked = booking(() => book(numbers, { type, quantity, locationId, toLocationId, person: lends }, path))
    if (lends !== undefined && type === 'TAKE')
      loans.set(lends, laterOf(loans.get(lends), person!, item.dueAt ?? null, isPickUp === true))
    return {
      owner: supply.owner,
      supplyId: supply.id,
      type,
      quantity,
      difference: booked.difference,
      stockAfter: numbers.stock,
      locationId: booked.locationId,
      toLocationId: type === 'MOVE' ? toLocationId : null,
      userId: person?.userId ?? null,
      personName:
        person === undefined ? '' : person.userId === null ? person.personName : (names.get(person.userId) ?? ''),
      price: item.price == null || item.price === '' ? null : hundredths(item.price)!,
      note: item.note ?? '',
      dueAt: item.dueAt ?? null,
      operatorId: owner.userId,
      operatorName: names.get(owner.userId) ?? '',
      reverses: null,
    }
  })
  await closeBooks(
    ctx,
    tx,
    supplies.map((supply) => ({ supply, book: books.get(supply.id)! })),
  )
  return store.insertMovements(tx, given)
}

interface Person {
  readonly userId: number | null
  readonly personName: string
}

/** Who takes or returns them; undefined if nobody does. Of a POOL it is the caller unless the request names somebody. */
function personOf(supply: SupplyRow, item: MovementItem, owner: Owner, keeps: boolean): Person | undefined {
  const { type, userId = null, personName = null } = item
  if (type !== 'TAKE' && type !== 'RETURN') return undefined
  if (userId === null && personName !== null) return { userId: null, personName }
  if (userId === null && keeps && supply.kind !== 'POOL') return undefined
  return { userId: userId ?? owner.userId, personName: '' }
}

/** Problems that need no other row. */
function shapeProblems({ kind }: SupplyRow, item: MovementItem, path: string): FieldProblem[] {
  const { type, quantity, toLocationId, userId, personName, price, dueAt } = item
  const problems: FieldProblem[] = []
  const isPersonal = type === 'TAKE' || type === 'RETURN'
  if (quantity < 1 && type !== 'COUNT') problems.push(errors.atLeastOne(`${path}.quantity`))
  if (type === 'RETURN' && kind !== 'POOL') problems.push(errors.onlyPools(`${path}.type`))
  if (toLocationId != null && type !== 'MOVE') problems.push(errors.onlyMove(`${path}.toLocationId`))
  if (dueAt != null && (type !== 'TAKE' || kind !== 'POOL')) problems.push(errors.onlyPool(`${path}.dueAt`))
  if (userId != null && !isPersonal) problems.push(errors.noPerson(`${path}.userId`))
  if (personName != null && !isPersonal) problems.push(errors.noPerson(`${path}.personName`))
  if (personName != null && userId != null) problems.push(errors.onePerson(`${path}.personName`))
  if (price != null && price !== '' && hundredths(price) === undefined) problems.push(notAPrice(`${path}.price`))
  return problems
}

/** Problems of locations and borrowers that do not exist. Borrowers may return it also after they have left. */
async function referenceProblems(tx: Tx, owner: Owner, fresh: readonly Fresh[]): Promise<FieldProblem[]> {
  const { orgId, userId } = owner
  const places = fresh.flatMap(({ item }) => [item.locationId ?? [], item.toLocationId ?? []].flat())
  const locations = await locationNames(tx, orgId, [...new Set(places)])
  const takers = fresh.flatMap(({ item }) => (item.type === 'TAKE' && item.userId) || [])
  const members = orgId === 0 ? new Set([userId]) : await membersAmong(tx, orgId, [...new Set(takers)])
  return fresh.flatMap(({ item, path }) => {
    const problems: FieldProblem[] = []
    for (const name of ['locationId', 'toLocationId'] as const) {
      const id = item[name]
      if (id != null && !locations.has(id))
        problems.push((orgId === 0 ? noLocations : noSuchLocation)(`${path}.${name}`))
    }
    if (item.type === 'TAKE' && item.userId != null && !members.has(item.userId))
      problems.push((orgId === 0 ? notYourself : noSuchMember)(`${path}.userId`))
    return problems
  })
}

type LoanRow = Pick<store.LoanRow, 'userId' | 'nameKey' | 'personName' | 'dueAt' | 'givenDueAt'>

interface Book {
  readonly numbers: Numbers
  readonly loans: Map<string, LoanRow>
  readonly placesBefore: ReadonlyMap<number, number>
  readonly peopleBefore: ReadonlyMap<string, number>
}

async function openBooks(
  tx: Tx,
  supplies: readonly SupplyRow[],
  fresh: readonly { readonly item: { readonly supplyId: number } }[],
  people: readonly (Person | undefined)[],
): Promise<Map<number, Book>> {
  const places = Map.groupBy(
    await store.placesOf(
      tx,
      supplies.map((row) => row.id),
    ),
    (row) => row.supplyId,
  )
  const keys = fresh.flatMap(({ item }, i) => {
    const person = people[i]
    if (person === undefined) return []
    const { userId, personName } = person
    return [{ supplyId: item.supplyId, userId: userId ?? 0, nameKey: userId === null ? nameKey(personName) : '' }]
  })
  const loans = Map.groupBy((await store.loansOf(tx, keys)).values(), (row) => row.supplyId)
  return new Map(
    supplies.map(({ id, stock, lent }) => {
      const placesBefore = new Map((places.get(id) ?? []).map((row) => [row.locationId, row.quantity]))
      const ofSupply = loans.get(id) ?? []
      const keyOf = (row: store.LoanRow) => personKey(row.userId || null, row.nameKey)
      const peopleBefore = new Map(ofSupply.map((row) => [keyOf(row), row.quantity]))
      const numbers = { stock, lent, places: new Map(placesBefore), people: new Map(peopleBefore) }
      const known = new Map<string, LoanRow>(ofSupply.map((row) => [keyOf(row), row]))
      return [id, { numbers, loans: known, placesBefore, peopleBefore }]
    }),
  )
}

/** The loan with the later of the times at which all of it is to come back. */
function laterOf(
  before: LoanRow | undefined,
  { userId, personName }: Person,
  dueAt: number | null,
  isPickUp = false,
): LoanRow {
  const later = (known: number | null | undefined, added: number | null): number | null =>
    known == null ? added : Math.max(known, added ?? 0)
  const givenDueAt = later(before?.givenDueAt, isPickUp ? null : dueAt)
  const name = userId === null ? personName : ''
  return {
    userId: userId ?? 0,
    nameKey: nameKey(name),
    personName: before?.personName || name,
    dueAt: later(before?.dueAt, dueAt),
    givenDueAt,
  }
}

/** @throws AppError 400 for a movement that is impossible */
function booking<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof Impossible ? invalidAll([error.problem]) : error
  }
}

interface Closing {
  readonly supply: SupplyRow
  readonly book: Book
}

/** Writes the numbers that have changed, and notifies of each stock that fell below its minimum. */
async function closeBooks(ctx: AppContext, tx: Tx, closing: readonly Closing[]): Promise<void> {
  const places = closing.flatMap(({ supply, book: { numbers, placesBefore } }) =>
    [...new Set([...placesBefore.keys(), ...numbers.places.keys()])].map((locationId) => {
      const quantity = numbers.places.get(locationId) ?? 0
      return { supplyId: supply.id, locationId, quantity, isSame: quantity === (placesBefore.get(locationId) ?? 0) }
    }),
  )
  await store.setPlaces(
    tx,
    places.filter(({ isSame }) => !isSame),
  )
  for (const { supply, book } of closing) await setLoans(tx, supply, book)
  const moved = closing.filter(
    ({ supply, book: { numbers } }) => numbers.stock !== supply.stock || numbers.lent !== supply.lent,
  )
  const after = await setNumbers(
    tx,
    moved.map(({ supply, book: { numbers } }) => {
      const { stock, lent } = numbers
      const lowSince = isLow({ stock, minimum: supply.minimum }) ? (supply.lowSince ?? tx.stamp) : null
      return { before: supply, now: { stock, lent, lowSince } }
    }),
  )
  for (const [i, { supply }] of moved.entries())
    if (supply.lowSince === null && after[i]!.lowSince !== null) await notifyOfLow(ctx, tx, after[i]!)
}

async function setLoans(tx: Tx, supply: SupplyRow, { numbers, loans, peopleBefore }: Book): Promise<void> {
  for (const person of new Set([...peopleBefore.keys(), ...numbers.people.keys()])) {
    const quantity = numbers.people.get(person) ?? 0
    if (quantity !== (peopleBefore.get(person) ?? 0))
      await store.setLoan(tx, { ...loans.get(person)!, supplyId: supply.id, quantity })
  }
}

export interface Reversal {
  /** Locked. */
  readonly supply: SupplyRow
  /** Without a reversal. */
  readonly movement: store.MovementRow
}

/** Books the opposites of movements of different supplies. Returns them in the same order. @throws AppError 400 */
export async function reverseAll(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  items: readonly Reversal[],
  note: string,
): Promise<store.MovementRow[]> {
  const people = items.map(({ supply, movement }) =>
    supply.kind === 'POOL' && (movement.type === 'TAKE' || movement.type === 'RETURN')
      ? { userId: movement.userId, personName: movement.userId === null ? movement.personName : '' }
      : undefined,
  )
  await checkPlaces(
    tx,
    owner,
    items.map(({ movement }) => movement),
  )
  const supplies = items.map(({ supply }) => supply)
  const books = await openBooks(
    tx,
    supplies,
    items.map(({ movement }) => ({ item: movement })),
    people,
  )
  for (const [i, { supply, movement }] of items.entries()) {
    const person = people[i]
    const book = books.get(supply.id)!
    const key = person && personKey(person.userId, person.personName)
    const left = unbook(book.numbers, { ...movement, person: key })
    if (left !== undefined) throw errors.cannotReverse(left)
    if (key !== undefined) book.loans.set(key, laterOf(book.loans.get(key), person!, null))
  }
  await closeBooks(
    ctx,
    tx,
    supplies.map((supply) => ({ supply, book: books.get(supply.id)! })),
  )
  const names = await userNames(tx, owner.orgId, [owner.userId])
  const operatorName = names.get(owner.userId) ?? ''
  return store.insertMovements(
    tx,
    items.map(({ supply, movement }): store.NewMovement => {
      const isMove = movement.type === 'MOVE'
      return {
        owner: movement.owner,
        supplyId: supply.id,
        type: movement.type,
        quantity: movement.quantity,
        difference: -movement.difference || 0,
        stockAfter: books.get(supply.id)!.numbers.stock,
        locationId: isMove ? movement.toLocationId : movement.locationId,
        toLocationId: isMove ? movement.locationId : null,
        userId: movement.userId,
        personName: movement.personName,
        price: movement.price,
        note,
        dueAt: null,
        operatorId: owner.userId,
        operatorName,
        reverses: movement.id,
      }
    }),
  )
}

/** @throws AppError 400 if a location of a movement was deleted since */
async function checkPlaces(tx: Tx, { orgId }: Owner, movements: readonly store.MovementRow[]): Promise<void> {
  const all = movements.flatMap(({ locationId, toLocationId }) => [locationId, toLocationId])
  const ids = [...new Set(all.filter((id) => id !== null))]
  const known = await locationNames(tx, orgId, ids)
  if (ids.some((id) => !known.has(id))) throw errors.placeIsGone()
}

/** Notifies the keepers once when the stock falls below the minimum; the caller has noted it in the row. */
async function notifyOfLow(ctx: AppContext, tx: Tx, supply: SupplyRow): Promise<void> {
  const { id, name, supplyNo, unit, stock, minimum } = supply
  const orgId = orgOf(supply.owner)
  const named = await remindable(tx, orgId, supply.keeperIds)
  const userIds = named.size > 0 ? [...named] : await keepersOf(tx, supply.owner)
  await notify(ctx, tx, {
    userIds,
    type: 'ASSET',
    title: { en: `Few are left: ${name}`, zh: `库存不足：${name}` },
    body: {
      en: `${name} (${supplyNo}): ${stock} ${unit} left, at least ${minimum} should be there.`,
      zh: `${name}（${supplyNo}）：剩余 ${stock} ${unit}，最低库存为 ${minimum} ${unit}。`,
    },
    data: { supplyId: id, orgId: orgId || null, event: 'SUPPLY_LOW' },
  })
}
