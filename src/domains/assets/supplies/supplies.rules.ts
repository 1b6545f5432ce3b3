/** Decisions about supplies: the columns that a request sets, and what a movement does to the numbers. Pure. */

import type { MovementType, supplies } from '#db/schema/supplies.ts'
import type { FieldProblem } from '#http/errors.ts'

import { numberKey } from '../numbers.rules.ts'
import { notAPrice, photoTwice } from '../register/register.errors.ts'
import { hundredths } from '../register/register.rules.ts'
import * as errors from './supplies.errors.ts'
import { MAX_PER_TAKE, MAX_QUANTITY, type UpdateSupply } from './supplies.model.ts'

type Row = typeof supplies.$inferSelect

/** The columns that requests and imports decide. */
export type SupplyFields = Pick<
  Row,
  | 'name'
  | 'supplyNo'
  | 'kind'
  | 'categoryId'
  | 'unit'
  | 'price'
  | 'supplier'
  | 'remark'
  | 'photoIds'
  | 'minimum'
  | 'target'
  | 'keeperIds'
  | 'selfService'
  | 'maxPerTake'
>
export type SupplyChange = Partial<SupplyFields>

/** Of a new supply for which only a name is given. An empty number is generated. */
export const EMPTY: Omit<SupplyFields, 'name' | 'unit'> = {
  supplyNo: '',
  kind: 'CONSUMABLE',
  categoryId: null,
  price: null,
  supplier: '',
  remark: '',
  photoIds: [],
  minimum: null,
  target: null,
  keeperIds: [],
  selfService: false,
  maxPerTake: MAX_PER_TAKE,
}

/** The columns that a request sets; absent fields are left out, null clears. `unit`: where none is given. */
export function changeOf(input: UpdateSupply, unit: string, problems: FieldProblem[], path: string): SupplyChange {
  const change: SupplyChange = {}
  const { name, supplyNo, kind, categoryId, price, photos, minimum, target, keeperIds, selfService, maxPerTake } = input
  if (name !== undefined) change.name = name
  if (supplyNo !== undefined) change.supplyNo = supplyNo ?? ''
  if (kind !== undefined) change.kind = kind
  if (categoryId !== undefined) change.categoryId = categoryId
  if (input.unit !== undefined) change.unit = input.unit || unit
  for (const key of ['supplier', 'remark'] as const) if (input[key] !== undefined) change[key] = input[key] ?? ''
  if (minimum !== undefined) change.minimum = minimum
  if (target !== undefined) change.target = target
  if (keeperIds !== undefined) change.keeperIds = keeperIds ?? []
  if (selfService !== undefined) change.selfService = selfService ?? false
  if (maxPerTake !== undefined) change.maxPerTake = maxPerTake ?? MAX_PER_TAKE
  if (price !== undefined) {
    const amount = price === null || price === '' ? null : hundredths(price)
    if (amount === undefined) problems.push(notAPrice(`${path}.price`))
    else change.price = amount
  }
  if (photos !== undefined) {
    const ids = (photos ?? []).map((photo) => (typeof photo === 'number' ? photo : photo.fileId))
    if (new Set(ids).size < ids.length) problems.push(photoTwice(`${path}.photos`))
    change.photoIds = ids
  }
  return change
}

/** The values of `change` that the row does not have yet, with the key of the number. */
export function differences(row: Row, change: SupplyChange): Partial<Row> {
  const different: Partial<Row> = Object.fromEntries(
    Object.entries(change).filter(([name, value]) => !Bun.deepEquals(value, row[name as keyof SupplyChange])),
  )
  if (different.supplyNo !== undefined) different.supplyNoKey = numberKey(different.supplyNo)
  return different
}

export const isLow = ({ stock, minimum }: Pick<Row, 'stock' | 'minimum'>): boolean =>
  minimum !== null && stock < minimum

/** The key of stock without a place. */
export const NO_PLACE = 0

/** The numbers of a supply while a write books movements. */
export interface Numbers {
  stock: number
  lent: number
  /** By the id of the location, or `NO_PLACE`. Places without any are left out. */
  readonly places: Map<number, number>
  /** How many of a POOL each person has. People without any are left out. */
  readonly people: Map<string, number>
}

export interface Booking {
  readonly type: MovementType
  readonly quantity: number
  readonly locationId: number | null
  readonly toLocationId: number | null
  /** The key of the person; undefined for a supply that is used up, and where nobody takes or returns anything. */
  readonly person?: string | undefined
}

export interface Booked {
  readonly difference: number
  /** Where it was, if the request did not say it. */
  readonly locationId: number | null
}

/**
 * Changes the numbers by a movement. Nothing falls below 0.
 * @throws the problem, if it is impossible; then the numbers are no longer right
 */
export function book(numbers: Numbers, booking: Booking, path: string): Booked {
  const { type, quantity, person } = booking
  const at = (name: string) => `${path}.${name}`
  const isFrom = type === 'TAKE' || type === 'MOVE' || type === 'WRITE_OFF' || type === 'COUNT'
  const place = booking.locationId ?? (isFrom ? onlyPlace(numbers) : NO_PLACE)
  if (place === undefined) throw new Impossible(errors.namePlace(at('locationId')))
  const before = numbers.places.get(place) ?? 0
  let difference = 0
  const move = (where: number, by: number): void => {
    const there = numbers.places.get(where) ?? 0
    if (there + by < 0) throw new Impossible(errors.tooFewThere(there)(at('quantity')))
    if (there + by === 0) numbers.places.delete(where)
    else numbers.places.set(where, there + by)
    difference += by
  }
  switch (type) {
    case 'IN':
      move(place, quantity)
      break
    case 'TAKE':
    case 'WRITE_OFF':
      move(place, -quantity)
      if (person !== undefined) lend(numbers, person, quantity, at('quantity'))
      break
    case 'RETURN':
      move(place, quantity)
      lend(numbers, person!, -quantity, at('quantity'))
      break
    case 'COUNT':
      move(place, quantity - before)
      break
    case 'MOVE': {
      const to = booking.toLocationId ?? NO_PLACE
      if (to === place) throw new Impossible(errors.samePlace(at('toLocationId')))
      move(place, -quantity)
      move(to, quantity)
      break
    }
  }
  numbers.stock += difference
  if (numbers.stock + numbers.lent > MAX_QUANTITY) throw new Impossible(errors.tooMuch(at('quantity')))
  return { difference, locationId: place === NO_PLACE ? null : place }
}

/** The place from which a movement takes that names none: no place, or the only one where there are any. */
function onlyPlace({ places }: Numbers): number | undefined {
  if (places.has(NO_PLACE) || places.size === 0) return NO_PLACE
  return places.size === 1 ? places.keys().next().value : undefined
}

function lend(numbers: Numbers, person: string, by: number, path: string): void {
  const has = numbers.people.get(person) ?? 0
  if (has + by < 0) throw new Impossible(errors.hasFewer(has)(path))
  if (has + by === 0) numbers.people.delete(person)
  else numbers.people.set(person, has + by)
  numbers.lent += by
}

export class Impossible extends Error {
  constructor(readonly problem: FieldProblem) {
    super(problem.text.en)
  }
}

interface Movement {
  readonly type: MovementType
  readonly quantity: number
  readonly difference: number
  readonly locationId: number | null
  readonly toLocationId: number | null
  readonly person?: string | undefined
}

/** Changes the numbers by the opposite of a movement. Returns how many are left where too few are. */
export function unbook(numbers: Numbers, movement: Movement): number | undefined {
  const { type, quantity, difference, person } = movement
  const place = movement.locationId ?? NO_PLACE
  const changes: [number, number][] =
    type === 'MOVE'
      ? [
          [movement.toLocationId ?? NO_PLACE, -quantity],
          [place, quantity],
        ]
      : [[place, -difference]]
  for (const [where, by] of changes) {
    const there = numbers.places.get(where) ?? 0
    if (there + by < 0) return there
    if (there + by === 0) numbers.places.delete(where)
    else numbers.places.set(where, there + by)
  }
  numbers.stock -= difference
  if (person !== undefined && (type === 'TAKE' || type === 'RETURN')) {
    const by = type === 'TAKE' ? -quantity : quantity
    const has = numbers.people.get(person) ?? 0
    if (has + by < 0) return has
    if (has + by === 0) numbers.people.delete(person)
    else numbers.people.set(person, has + by)
    numbers.lent += by
  }
  return undefined
}

/** `7` for a user, `:ms chen` for somebody who is known by a name. */
export const personKey = (userId: number | null, personName: string): string =>
  userId === null ? `:${nameKey(personName)}` : String(userId)

/** Two names with the same key are the same person. */
export const nameKey = (name: string): string => name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
