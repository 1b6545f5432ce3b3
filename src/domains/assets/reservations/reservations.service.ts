import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Owner } from '#http/endpoint.ts'

import type { AssetView } from '../register/register.model.ts'
import type {
  AllReservationsQuery,
  AnyReservationView,
  ApproveReservation,
  AvailableQuery,
  CalendarQuery,
  CancelReservation,
  CreateReservation,
  HandledReservation,
  PickUp,
  RejectReservation,
  ReservationCalendar,
  ReservationsQuery,
  ReservationView,
  ReturnItems,
  UpdateReservation,
} from './reservations.model.ts'

export function listReservations(
  _ctx: AppContext,
  _owner: Owner,
  _query: ReservationsQuery,
): Promise<Page<ReservationView>> {
  throw new Error('not built')
}

export function createReservation(
  _ctx: AppContext,
  _owner: Owner,
  _input: CreateReservation,
): Promise<ReservationView> {
  throw new Error('not built')
}

export function getCalendar(_ctx: AppContext, _owner: Owner, _query: CalendarQuery): Promise<ReservationCalendar> {
  throw new Error('not built')
}

export function listAvailable(_ctx: AppContext, _owner: Owner, _query: AvailableQuery): Promise<Page<AssetView>> {
  throw new Error('not built')
}

export function getReservation(_ctx: AppContext, _owner: Owner, _id: number): Promise<ReservationView> {
  throw new Error('not built')
}

export function updateReservation(
  _ctx: AppContext,
  _owner: Owner,
  _id: number,
  _input: UpdateReservation,
): Promise<ReservationView> {
  throw new Error('not built')
}

export function cancelReservation(
  _ctx: AppContext,
  _owner: Owner,
  _id: number,
  _input: CancelReservation,
): Promise<ReservationView> {
  throw new Error('not built')
}

export function approveReservation(
  _ctx: AppContext,
  _owner: Owner,
  _id: number,
  _input: ApproveReservation,
): Promise<ReservationView> {
  throw new Error('not built')
}

export function rejectReservation(
  _ctx: AppContext,
  _owner: Owner,
  _id: number,
  _input: RejectReservation,
): Promise<ReservationView> {
  throw new Error('not built')
}

export function pickUp(_ctx: AppContext, _owner: Owner, _id: number, _input: PickUp): Promise<HandledReservation> {
  throw new Error('not built')
}

export function returnItems(
  _ctx: AppContext,
  _owner: Owner,
  _id: number,
  _input: ReturnItems,
): Promise<HandledReservation> {
  throw new Error('not built')
}

export function listAllReservations(
  _ctx: AppContext,
  _adminId: number,
  _query: AllReservationsQuery,
): Promise<Page<AnyReservationView>> {
  throw new Error('not built')
}
