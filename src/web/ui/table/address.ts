/**
 * The page, size, order and filters of a table, in the address of its page: `?page=2&size=50&sort=-createdAt&status=ACTIVE`. A link shows
 * the same rows to a colleague. Without any of them, as in the menu or the "back" of a row's page, the list opens as it was left.
 */

import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

import { onLogin } from '../../api/tokens.ts'

export const SIZES = [25, 50, 100] as const

/** By the paths of the lists. */
const lastSearch = new Map<string, string>()
// The next user does not see the filters of this one.
onLogin((login) => {
  if (login === undefined) lastSearch.clear()
})

export interface TableAddress {
  readonly page: number
  readonly size: number
  /** `createdAt` or `-createdAt`; undefined for the order of the server. */
  readonly sort: string | undefined
  /** Values by the names of filters. */
  readonly filters: Readonly<Record<string, string>>
  /** `replace`: "back" does not undo the change. */
  readonly change: (changes: Readonly<Record<string, string | number | null>>, replace?: boolean) => void
}

/** `sorts`: the properties by which the list can be sorted. */
export function useTableAddress(
  filterNames: readonly string[],
  sorts: readonly string[],
  defaultSort: string | undefined,
): TableAddress {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [isNew, setNew] = useState(true)
  if (isNew && search !== '') setNew(false)
  const restored = isNew && search === '' ? (lastSearch.get(pathname) ?? '') : ''
  const current = restored || search
  useEffect(() => {
    if (restored !== '') void navigate(pathname + restored, { replace: true })
  }, [navigate, pathname, restored])
  useEffect(() => {
    lastSearch.set(pathname, withParameters(current, { row: null }))
  }, [pathname, current])

  const query = new URLSearchParams(current)
  const sort = query.get('sort')
  const size = Number(query.get('size'))
  return {
    page: Math.max(1, Math.trunc(Number(query.get('page'))) || 1),
    size: SIZES.find((one) => one === size) ?? SIZES[0],
    sort: sort !== null && sorts.includes(sort.replace(/^-/, '')) ? sort : defaultSort,
    filters: Object.fromEntries(
      filterNames.flatMap((name) => {
        const value = query.get(name)
        return value === null || value === '' ? [] : [[name, value]]
      }),
    ),
    change: (changes, replace = false) =>
      void navigate(pathname + withParameters(current, { row: null, page: null, ...changes }), { replace }),
  }
}

/** The search of an address with other parameters. Those that are null or empty are left out. */
export function withParameters(search: string, changes: Readonly<Record<string, string | number | null>>): string {
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') query.delete(name)
    else query.set(name, String(value))
  const text = query.toString().replaceAll('%3A', ':')
  return text === '' ? '' : `?${text}`
}
