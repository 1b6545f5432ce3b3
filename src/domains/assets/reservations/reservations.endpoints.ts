import { dual, type DualAccess, endpoint, platform, type RowOf } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { AssetPage } from '../register/register.model.ts'
import * as handling from './handling.service.ts'
import * as reading from './reading.service.ts'
import {
  AllReservationsQuery,
  AnyReservationPage,
  ApproveReservation,
  AvailableQuery,
  CalendarQuery,
  CancelReservation,
  CreateReservation,
  HandledReservation,
  KEEPER_WRITES,
  PickUp,
  RejectReservation,
  REQUESTS,
  ReservationCalendar,
  ReservationPage,
  ReservationsQuery,
  ReservationView,
  ReturnItems,
  UpdateReservation,
} from './reservations.model.ts'
import * as service from './reservations.service.ts'
import { organizationOfReservation, versionOfReservation } from './reservations.store.ts'

const tag = 'Assets'
const read = dual('asset:read', organizationOfReservation)
const decide = dual('asset:transfer', organizationOfReservation)
const reservation: RowOf<DualAccess, typeof ById> = {
  version: versionOfReservation,
  view: ReservationView,
  show: ({ ctx, owner, params }) => reading.getReservation(ctx, owner, params.id),
}

export const reservationEndpoints = [
  endpoint({
    id: 'assetReservations.list',
    method: 'GET',
    path: '/api/assets/reservations',
    summary: 'List reservations',
    description: 'The newest first. Unless you are a keeper (`asset:transfer`), those of others show their times only.',
    tag,
    access: dual('asset:read'),
    query: ReservationsQuery,
    data: ReservationPage,
    run: ({ ctx, owner, query }) => reading.listReservations(ctx, owner, query),
  }),
  endpoint({
    id: 'assetReservations.create',
    method: 'POST',
    path: '/api/assets/reservations',
    summary: 'Reserve assets',
    description:
      'It counts at once, also before a keeper has approved it: nobody else can have the assets from `from` until before `to`. If one of them ' +
      'is not free, nothing is reserved, and `details` names the busy times. Assets of categories that need no approval are APPROVED at ' +
      'once. Keepers (`asset:transfer`) can reserve for others, and assets that are not bookable.',
    tag,
    access: dual('asset:read'),
    query: InOrg,
    body: CreateReservation,
    data: ReservationView,
    budgets: [REQUESTS],
    refuses: {
      400: 'An asset is not free or not bookable, or the times break a rule of its category.',
      403: 'It is for somebody else, and you are not a keeper.',
    },
    run: ({ ctx, owner, body }) => service.createReservation(ctx, owner, body),
  }),
  endpoint({
    id: 'assetReservations.calendar',
    method: 'GET',
    path: '/api/assets/reservations/calendar',
    summary: 'Get the calendar of reservations, loans and maintenance',
    description:
      'The earliest first. An asset that was picked up for a reservation is one entry, that of the reservation. Cancelled, rejected, expired ' +
      'and returned ones are left out.',
    tag,
    access: dual('asset:read'),
    query: CalendarQuery,
    data: ReservationCalendar,
    run: ({ ctx, owner, query }) => reading.getCalendar(ctx, owner, query),
  }),
  endpoint({
    id: 'assets.available',
    method: 'GET',
    path: '/api/assets/available',
    summary: 'List the bookable assets that are free in a time',
    description: 'By number.',
    tag,
    access: dual('asset:read'),
    query: AvailableQuery,
    data: AssetPage,
    run: ({ ctx, owner, query }) => reading.listAvailable(ctx, owner, query),
  }),
  endpoint({
    id: 'assetReservations.get',
    method: 'GET',
    path: '/api/assets/reservations/:id',
    summary: 'Get a reservation',
    tag,
    access: read,
    params: ById,
    query: InOrg,
    data: ReservationView,
    run: ({ ctx, owner, params }) => reading.getReservation(ctx, owner, params.id),
  }),
  endpoint({
    id: 'assetReservations.update',
    method: 'PUT',
    path: '/api/assets/reservations/:id',
    summary: 'Change a reservation',
    description:
      'Absent fields stay; `items` replaces all of them. You can change your own reservation before the pick-up, and keepers any open one. If ' +
      'a change of times or items needs an approval, it is REQUESTED again. After the pick-up only `to` can change, and the loans are then ' +
      'due at that time.',
    tag,
    access: read,
    params: ById,
    query: InOrg,
    body: UpdateReservation,
    data: ReservationView,
    row: reservation,
    budgets: [REQUESTS],
    refuses: { 400: 'An asset is not free, or the reservation is closed.', 403: 'It is not yours, or was picked up.' },
    run: ({ ctx, owner, params, body }) => service.updateReservation(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetReservations.cancel',
    method: 'POST',
    path: '/api/assets/reservations/:id/cancel',
    summary: 'Cancel a reservation',
    description: 'Before the pick-up. If it is cancelled already, nothing changes.',
    tag,
    access: read,
    params: ById,
    query: InOrg,
    body: CancelReservation,
    data: ReservationView,
    refuses: { 400: 'Assets were picked up, or the reservation is closed.', 403: 'It is not yours.' },
    run: ({ ctx, owner, params, body }) => service.cancelReservation(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetReservations.approve',
    method: 'POST',
    path: '/api/assets/reservations/:id/approve',
    summary: 'Approve a reservation',
    description: 'If it is approved already, nothing changes.',
    tag,
    access: decide,
    params: ById,
    query: InOrg,
    body: ApproveReservation,
    data: ReservationView,
    budgets: [KEEPER_WRITES],
    refuses: { 400: 'The reservation is not REQUESTED.' },
    run: ({ ctx, owner, params, body }) => service.approveReservation(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetReservations.reject',
    method: 'POST',
    path: '/api/assets/reservations/:id/reject',
    summary: 'Reject a reservation',
    description: 'If it is rejected already, nothing changes.',
    tag,
    access: decide,
    params: ById,
    query: InOrg,
    body: RejectReservation,
    data: ReservationView,
    budgets: [KEEPER_WRITES],
    refuses: { 400: 'The reservation is not REQUESTED.' },
    run: ({ ctx, owner, params, body }) => service.rejectReservation(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetReservations.pickUp',
    method: 'POST',
    path: '/api/assets/reservations/:id/pick-up',
    summary: 'Hand out the assets of a reservation',
    description:
      'Each asset gets a loan to the person of the reservation. With `assetIds`, or with neither these nor `codes`, all of them are handed ' +
      'out or none. Of `codes` each has a result of its own: for an asset that was reserved by category, another free one of that category ' +
      'can be scanned (EXCHANGED).',
    tag,
    access: decide,
    params: ById,
    query: InOrg,
    body: PickUp,
    data: HandledReservation,
    budgets: [KEEPER_WRITES],
    refuses: { 400: 'The reservation is not approved, or an asset is still with somebody.' },
    run: ({ ctx, owner, params, body }) => handling.pickUp(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetReservations.return',
    method: 'POST',
    path: '/api/assets/reservations/:id/return',
    summary: 'Take back the assets of a reservation',
    description:
      'Ends the loans. With `assetIds`, or with neither these nor `codes`, all of them are taken back or none. Of `codes` each has a result ' +
      'of its own.',
    tag,
    access: decide,
    params: ById,
    query: InOrg,
    body: ReturnItems,
    data: HandledReservation,
    budgets: [KEEPER_WRITES],
    refuses: { 400: 'Nothing of it is out.' },
    run: ({ ctx, owner, params, body }) => handling.returnItems(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetReservations.listAll',
    method: 'GET',
    path: '/api/admin/reservations',
    summary: 'List the reservations of all organizations',
    description: 'Newest first unless `sort` is given.',
    tag,
    access: platform('asset:read'),
    query: AllReservationsQuery,
    data: AnyReservationPage,
    run: ({ ctx, actor, query }) => reading.listAllReservations(ctx, actor.userId, query),
  }),
]
