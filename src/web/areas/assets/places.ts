/** Categories, locations and people of the workspace, with their names. They belong to the forms, filters and lists of assets. */

import { useMemo } from 'react'

import { useCall } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import type { AssetCategoryNode, LocationNode, Member } from '../../api/types.ts'
import { useMay, useOwner, useOwnerQuery, useSession } from '../../session/session.ts'
import { flatten, type Place } from '../../ui/tree/tree.ts'

const NONE: readonly never[] = []

export function useCategories(): readonly Place<AssetCategoryNode>[] {
  const may = useMay()
  const owned = useOwnerQuery()
  const { data } = useCall('assetCategories.tree', { query: owned }, { enabled: may('assetCategories.tree') })
  return useMemo(() => (data === undefined ? NONE : flatten(data)), [data])
}

/** The locations of the organization; none in the user's own workspace. */
export function useLocations(): readonly Place<LocationNode>[] {
  const owner = useOwner()
  const may = useMay()
  const { data } = useCall(
    'locations.tree',
    { params: { orgId: owner?.id ?? 0 } },
    { enabled: owner !== null && may('locations.tree') },
  )
  return useMemo(() => (data === undefined ? NONE : flatten(data)), [data])
}

/** The members of the organization; in the user's own workspace only the user. */
export function usePeople(): readonly Pick<Member, 'userId' | 'nickname'>[] {
  const owner = useOwner()
  const { user } = useSession()
  const may = useMay()
  const orgId = owner?.id
  const { data } = useAll(
    'orgs.members',
    { params: { orgId: orgId ?? 0 } },
    { enabled: orgId !== undefined && may('orgs.members'), staleTime: 60_000 },
  )
  const own = useMemo(() => [{ userId: user.id, nickname: user.nickname || user.username || '' }], [user])
  return orgId === undefined ? own : (data ?? NONE)
}

/** Functions from ids to names; an empty string for null and for things that were deleted. */
export function useNames() {
  const categories = useCategories()
  const locations = useLocations()
  const people = usePeople()
  return useMemo(() => {
    const maps = [
      new Map(categories.map(({ id, path }) => [id, path])),
      new Map(locations.map(({ id, path }) => [id, path])),
      new Map(people.map(({ userId, nickname }) => [userId, nickname])),
    ] as const
    const names = (map: ReadonlyMap<number, string>) => (id: number | null | undefined) =>
      id === null || id === undefined ? '' : (map.get(id) ?? '')
    return { category: names(maps[0]), location: names(maps[1]), person: names(maps[2]) }
  }, [categories, locations, people])
}
