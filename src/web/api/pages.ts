/** Lists: `usePages` reads page after page with "Show more", `useAll` reads all pages at once. */

import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query'

import { type CallOptions, callWith } from './client.ts'
import type { ApiError } from './errors.ts'
import type { DataOf, InputOf, OperationId } from './types.ts'

/** The operations that answer `{items, total, page, size}`. */
export type PagedId = {
  [Id in OperationId]: DataOf<Id> extends { items: readonly unknown[]; total: number } ? Id : never
}[OperationId]
/** A row of the list. */
export type ItemOf<Id extends PagedId> = DataOf<Id> extends { items: readonly (infer Item)[] } ? Item : never

export interface Paged<Item> {
  /** All rows that were read so far; undefined before the first answer. */
  readonly items: readonly Item[] | undefined
  readonly total: number
  readonly error: ApiError | null
  readonly isLoading: boolean
  readonly more: () => void
  readonly retry: () => void
}

/** Rows of a page, unless the caller says otherwise. */
const SIZE = 30

/** Reads the first page of `usePages` with this query, so that it is kept. */
export const readFirstPage = async <Id extends PagedId>(id: Id, query: object): Promise<DataOf<Id>> =>
  (await callWith(id, { query: { ...query, page: 1, size: SIZE } }, {})) as DataOf<Id>

export interface PagesSettings<Item> {
  size?: number
  enabled?: boolean
  /** Milliseconds after which the list is read again while the page is visible. */
  every?: number
  /** The list is read again every two seconds as long as this holds for one of its rows. */
  isChanging?: (item: Item) => boolean
}

/** Reads a list in pages of `size` rows. */
export function usePages<Id extends PagedId>(
  id: Id,
  input: InputOf<Id> | undefined = undefined,
  { size = SIZE, enabled = true, every, isChanging }: PagesSettings<ItemOf<Id>> = {},
): Paged<ItemOf<Id>> {
  type Answer = { items: ItemOf<Id>[]; total: number }
  const { params, query = {} } = (input ?? {}) as { params?: Record<string, string | number>; query?: object }
  const result = useInfiniteQuery<Answer, ApiError, { pages: Answer[] }, readonly unknown[], number>({
    queryKey: [...id.split('.'), 'pages', size, params ?? {}, query],
    queryFn: async ({ pageParam, signal }) =>
      (await callWith(
        id,
        { ...(params && { params }), query: { ...query, page: pageParam, size } },
        { signal },
      )) as Answer,
    initialPageParam: 1,
    getNextPageParam: (last, all) => (all.length * size < last.total ? all.length + 1 : undefined),
    enabled,
    ...(every !== undefined && { refetchInterval: every }),
    ...(isChanging && {
      refetchInterval: ({ state: { data } }) =>
        data?.pages.some(({ items }) => items.some((item) => isChanging(item))) ? 2_000 : false,
    }),
  })
  const pages = result.data?.pages
  return {
    items: pages?.flatMap(({ items }) => items),
    total: pages?.at(-1)?.total ?? 0,
    error: pages === undefined ? result.error : null,
    isLoading: result.isFetching,
    more: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  }
}

/** Rows of a page; the server has a limit of 100. */
const LARGEST_PAGE = 100

export interface ReadOptions extends CallOptions {
  /** Rows after which it stops. */
  most?: number
  /** Called after each page with the number of rows that are read, and that of all of them. */
  onRead?: (done: number, all: number) => void
}

/** Reads the rows of a list, page after page. */
export async function readRows<Row>(
  id: OperationId,
  { params, query = {} }: { params?: Record<string, string | number>; query?: object },
  { most = Number.POSITIVE_INFINITY, onRead, ...options }: ReadOptions,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const input = { ...(params && { params }), query: { ...query, page, size: LARGEST_PAGE } }
    const { items, total } = (await callWith(id, input, options)) as { items: Row[]; total: number }
    rows.push(...items)
    const all = Math.min(total, most)
    onRead?.(Math.min(rows.length, all), all)
    if (items.length === 0 || rows.length >= all) return rows.slice(0, most)
  }
}

/**
 * Reads all pages of a list, for choices and for names of things: of the first page alone, whatever is behind it would seem to be missing.
 * Its data are undefined until the last page was read.
 */
export function useAll<Id extends PagedId>(
  id: Id,
  input: InputOf<Id> | undefined = undefined,
  { enabled = true, staleTime }: { enabled?: boolean; staleTime?: number } = {},
): UseQueryResult<readonly ItemOf<Id>[], ApiError> {
  const { params, query = {} } = (input ?? {}) as { params?: Record<string, string | number>; query?: object }
  return useQuery<readonly ItemOf<Id>[], ApiError>({
    queryKey: [...id.split('.'), 'all', params ?? {}, query],
    queryFn: ({ signal }) => readRows<ItemOf<Id>>(id, { ...(params && { params }), query }, { signal }),
    enabled,
    ...(staleTime !== undefined && { staleTime }),
  })
}
