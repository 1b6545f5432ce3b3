/** The reservations that a keeper hands out and takes back today, and the one that a scan belongs to. */

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'

import { callWith } from '../../../api/client.ts'
import { useAll } from '../../../api/pages.ts'
import type { Asset, AssetReservation, DataOf } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { useOwnerQuery } from '../../../session/session.ts'
import { dayAfter, dayOf, startOf } from './day-times.ts'
import type { HandoverAction } from './HandoverDialog.tsx'
import { useZone } from './words.ts'

/** Rows of a list of assets. */
const SLICE = 100

export interface TodayLists {
  readonly requested: readonly AssetReservation[]
  /** Approved ones that begin before the end of the day. */
  readonly handOut: readonly AssetReservation[]
  /** Those due before the end of the day, the longest overdue first. */
  readonly takeBack: readonly AssetReservation[]
  readonly later: readonly AssetReservation[]
}

export function useTodayLists() {
  const zone = useZone()
  const owned = useOwnerQuery()
  const [now] = useState(serverTime)
  const end = startOf(dayAfter(dayOf(now, zone)), zone)
  const requested = useAll('assetReservations.list', { query: { ...owned, status: ['REQUESTED'] } })
  const approved = useAll('assetReservations.list', { query: { ...owned, status: ['APPROVED'], from: 0, to: end } })
  const out = useAll('assetReservations.list', { query: { ...owned, status: ['OUT'] } })
  const all = [requested, approved, out]
  const lists: TodayLists | undefined = useMemo(() => {
    if (requested.data === undefined || approved.data === undefined || out.data === undefined) return undefined
    const byStart = (a: AssetReservation, b: AssetReservation) => a.from - b.from
    const byEnd = (a: AssetReservation, b: AssetReservation) => a.to - b.to
    const isOpen = ({ items }: AssetReservation) => items.some(({ state }) => state === 'WAITING')
    return {
      requested: requested.data.toSorted(byStart),
      // Of one that was handed out in part, the rest waits.
      handOut: [...approved.data, ...out.data.filter(isOpen)].toSorted(byStart),
      takeBack: out.data.filter(({ to }) => to < end).toSorted(byEnd),
      later: out.data.filter(({ to }) => to >= end).toSorted(byEnd),
    }
  }, [requested.data, approved.data, out.data, end])
  return {
    lists,
    now,
    error: all.find(({ error }) => error !== null)?.error,
    retry: () => all.forEach(({ refetch }) => void refetch()),
  }
}

/** The assets of these reservations, so that a scanned label is recognized, also without a connection. */
export function useAssetsOf(reservations: readonly AssetReservation[]): readonly Asset[] | undefined {
  const owned = useOwnerQuery()
  const ids = [...new Set(reservations.flatMap(({ items }) => items.flatMap(({ assetId }) => assetId ?? [])))].toSorted(
    (a, b) => a - b,
  )
  const { data } = useQuery({
    queryKey: ['assets', 'ofReservations', owned, ids],
    queryFn: async ({ signal }) => {
      const slices = Array.from({ length: Math.ceil(ids.length / SLICE) }, (_, i) =>
        ids.slice(i * SLICE, (i + 1) * SLICE),
      )
      const pages = await Promise.all(
        slices.map(
          async (slice) =>
            (await callWith(
              'assets.list',
              { query: { ...owned, ids: slice, size: SLICE } },
              { signal },
            )) as DataOf<'assets.list'>,
        ),
      )
      return pages.flatMap(({ items }) => items)
    },
    placeholderData: (before) => before,
  })
  return data
}

const LABEL = /^https?:\/\/[^/]+\/s\/asset\/([\da-f-]{36})\/?(?:[?#].*)?$/i

/** The asset with this label, number or serial number. */
export function assetWith(code: string, assets: readonly Asset[]): Asset | undefined {
  const uuid = LABEL.exec(code)?.[1]?.toLowerCase()
  if (uuid !== undefined) return assets.find((asset) => asset.uuid === uuid)
  const typed = code.toLowerCase()
  return (
    assets.find(({ assetNo }) => assetNo.toLowerCase() === typed) ??
    assets.find(({ serialNo }) => serialNo !== '' && serialNo.toLowerCase() === typed)
  )
}

export interface Task {
  readonly action: HandoverAction
  readonly reservation: AssetReservation
}

const has = (reservation: AssetReservation, assetId: number, state: 'WAITING' | 'OUT'): boolean =>
  reservation.items.some((item) => item.assetId === assetId && item.state === state)

/**
 * Which reservation a scan is about. An asset that is out comes back first, because it is in the keeper's hands. Otherwise the chosen
 * reservation comes first, which may take another asset of the category instead.
 */
export function taskOf(
  asset: Asset | undefined,
  { handOut, takeBack, later }: TodayLists,
  chosen: AssetReservation | undefined,
): Task | undefined {
  if (asset !== undefined) {
    const out = [...takeBack, ...later].find((one) => has(one, asset.id, 'OUT'))
    if (out !== undefined) return { action: 'return', reservation: out }
    if (chosen !== undefined && has(chosen, asset.id, 'WAITING')) return { action: 'pickUp', reservation: chosen }
    const waiting = handOut.find((one) => has(one, asset.id, 'WAITING'))
    // With another person at the desk, an asset that somebody else waits for is not given away unnoticed.
    if (waiting !== undefined && chosen === undefined) return { action: 'pickUp', reservation: waiting }
  }
  return chosen && { action: 'pickUp', reservation: chosen }
}
