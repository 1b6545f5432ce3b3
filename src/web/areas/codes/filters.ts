/** Search, filters and order of the list of codes. They are in the address, so that "back" and links keep them. */

import { useSearchParams } from 'react-router'

import { call } from '../../api/client.ts'
import { useCall } from '../../api/hooks.ts'
import { readFirstPage } from '../../api/pages.ts'
import type { ContentType, QrCode, QueryOf } from '../../api/types.ts'
import { stored } from '../../browser/stored.ts'
import { ownerQuery } from '../../session/session.ts'

/** `own`: the order of the server, with pinned codes first, then those that were put in an order. */
export type Order = 'own' | NonNullable<QueryOf<'qrCodes.list'>['sort']>

export interface Filters {
  /** An id, 0 for codes without a folder. */
  readonly folder?: number | undefined
  readonly keyword?: string | undefined
  readonly contentType?: ContentType | undefined
  readonly isPublic?: boolean | undefined
  readonly pinned?: boolean | undefined
  /** Without it, that of `useOrder`. */
  readonly sort?: Order | undefined
}

export interface UsedFilters {
  readonly filters: Filters
  readonly change: (change: Filters) => void
  /** Removes all but the folder. */
  readonly clear: () => void
}

export function useFilters(): UsedFilters {
  const [params, setParams] = useSearchParams()
  const text = (name: string) => params.get(name) ?? undefined
  const flag = (name: string) => (params.has(name) ? params.get(name) === 'true' : undefined)
  const folder = text('folder')
  const filters = present({
    folder: folder === undefined ? undefined : Number(folder),
    keyword: text('keyword'),
    contentType: text('contentType') as ContentType | undefined,
    isPublic: flag('isPublic'),
    pinned: flag('pinned'),
    sort: text('sort') as Order | undefined,
  })
  return {
    filters,
    change: (change) => {
      const next = new URLSearchParams()
      for (const [name, value] of Object.entries({ ...filters, ...change }))
        if (value !== undefined && value !== '') next.set(name, String(value))
      // Each letter of a search would otherwise be a step of "back".
      setParams(next, { replace: !('folder' in change) })
    },
    clear: () => setParams(folder === undefined ? {} : { folder }, { replace: true }),
  }
}

/** Without the absent ones, so that equal filters are equal queries. */
const present = (filters: Filters): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))

/** Whether a search or filter is set. Folder and order do not count. */
export const isFiltered = ({ keyword, contentType, isPublic, pinned }: Filters): boolean =>
  keyword !== undefined || contentType !== undefined || isPublic !== undefined || pinned !== undefined

const chosenOrder = stored<Order | null>('tessera.codeOrder', null)
export const rememberOrder = (order: Order): void => chosenOrder.set(order)

/**
 * The order of the list: that of the address, else the one that was last chosen in this browser, else the newest first. If a code is pinned
 * or was put in an order, which the first row of that order shows, it is the user's own order. `isKnown` is false until that is known.
 */
export function useOrder(inAddress: Order | undefined): {
  order: Order
  isKnown: boolean
} {
  const remembered = chosenOrder.use()
  const chosen = inAddress ?? remembered ?? undefined
  const first = useCall('qrCodes.list', firstRow(), { enabled: chosen === undefined })
  return {
    order: chosen ?? usualOrder(first.data?.items[0]),
    isKnown: chosen !== undefined || !first.isPending,
  }
}

const firstRow = () => ({ query: { size: 1, ...ownerQuery() } })

/** `top`: the first code in the user's own order. */
const usualOrder = (top: Pick<QrCode, 'pinned' | 'sortOrder'> | undefined): Order =>
  top !== undefined && (top.pinned || top.sortOrder !== 0) ? 'own' : '-createdAt'

/** The query of the list for an order. */
export const sortedBy = (order: Order): { sort?: Exclude<Order, 'own'> } => (order === 'own' ? {} : { sort: order })

/** Reads what the list shows when it is opened, so that it opens without a connection. */
export async function keepCodes(): Promise<void> {
  const { items } = await call('qrCodes.list', firstRow())
  const order = chosenOrder.get() ?? usualOrder(items[0])
  await Promise.all([readFirstPage('qrCodes.list', { ...ownerQuery(), ...sortedBy(order) }), call('categories.tree')])
}
