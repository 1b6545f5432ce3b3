/** Reservations in tests. */

import type { CreateReservation, HandledReservation } from '#domains/assets/reservations/reservations.model.ts'

import { ok, type Person, type Reply } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createAsset } from './helpers.ts'

export type Body = CreateReservation

export const reserve = (person: Person, body: Partial<Body>) =>
  person.call('assetReservations.create', { body: body as Body })
export const get = (person: Person, id: number) => person.call('assetReservations.get', { params: { id } })
export const change = (person: Person, id: number, body: object) =>
  person.call('assetReservations.update', { params: { id }, body })
export const list = async (person: Person, query: object) =>
  ok(await person.call('assetReservations.list', { query })).data

export function act(
  person: Person,
  action: 'cancel' | 'approve' | 'reject' | 'pick-up' | 'return',
  id: number,
  body: object = {},
): Promise<Reply<HandledReservation>> {
  return person.post(`/api/assets/reservations/${id}/${action}`, body)
}

let counter = 0
export async function addCategory(
  person: Person,
  orgId: number,
  booking: object | null,
  parentId?: number,
): Promise<number> {
  counter += 1
  const body = { name: `bookable ${counter}`, orgId, booking, ...(parentId !== undefined && { parentId }) }
  return ok(await person.call('assetCategories.create', { body })).data.id
}

/** The notifications of an event, of one reservation if it is given. */
export const notices = async (person: Person, event: string, reservationId?: number) =>
  ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
    ({ data }) => data['event'] === event && (reservationId === undefined || data['reservationId'] === reservationId),
  )

/** A reservation of an asset in a new organization of the owner, by a member if there is one. It begins in an hour. */
export async function reservation(
  owner: Person,
  member?: Person,
): Promise<{ id: number; orgId: number; assetId: number }> {
  const { id: orgId } = await createOrg(owner)
  if (member !== undefined) await addMembers(owner, { id: orgId }, member)
  const { id: assetId } = await createAsset(owner, { orgId, bookable: true })
  const from = Date.now() + 3_600_000
  const body = { orgId, items: [{ assetId }], from, to: from + 3_600_000 }
  return { id: ok(await reserve(member ?? owner, body)).data.id, orgId, assetId }
}
