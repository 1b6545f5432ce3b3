/** Folders of codes: the categories of the API. They are personal, so organizations have none. */

import type { UseQueryResult } from '@tanstack/react-query'

import type { ApiError } from '../../api/errors.ts'
import { useCall } from '../../api/hooks.ts'
import type { CategoryNode } from '../../api/types.ts'
import { useMay, useOptionalSession } from '../../session/session.ts'

/** Levels of folders that the server allows. */
export const MAX_DEPTH = 5

export interface Folder {
  readonly node: CategoryNode
  /** 0 for the top level. */
  readonly depth: number
  /** The names from the top level on: `Office / Doors`. */
  readonly path: string
  /** Codes in it and in the folders below it. */
  readonly count: number
}

/** All folders in the order of the tree. */
export function flatten(tree: readonly CategoryNode[], depth = 0, above = ''): Folder[] {
  return tree.flatMap((node) => {
    const path = above === '' ? node.name : `${above} / ${node.name}`
    const below = flatten(node.children, depth + 1, path)
    const count = below.reduce((sum, folder) => sum + folder.node.codeCount, node.codeCount)
    return [{ node, depth, path, count }, ...below]
  })
}

/** Whether the workspace has folders that the user may see. */
export function useHasFolders(): boolean {
  const may = useMay()
  const session = useOptionalSession()
  return session?.workspace === null && may('categories.tree')
}

export function useFolders(): UseQueryResult<CategoryNode[], ApiError> {
  return useCall('categories.tree', undefined, { enabled: useHasFolders() })
}

/** Folders into which `moved` can be put: not into itself, and not so deep that its own folders would exceed the limit. */
export function possibleParents(folders: readonly Folder[], moved: CategoryNode): Folder[] {
  const inside = new Set(flatten([moved]).map(({ node }) => node.id))
  const height = Math.max(...flatten([moved]).map(({ depth }) => depth)) + 1
  return folders.filter(({ node, depth }) => !inside.has(node.id) && depth + 1 + height <= MAX_DEPTH)
}
