/** Folders of codes: the categories of the API. They are personal, so organizations have none. */

import type { UseQueryResult } from '@tanstack/react-query'

import type { ApiError } from '../../api/errors.ts'
import { useCall } from '../../api/hooks.ts'
import type { CategoryNode } from '../../api/types.ts'
import { useMay, useOwner } from '../../session/session.ts'
import type { Place } from '../../ui/tree/tree.ts'

/** Levels of folders that the server allows. */
export const MAX_DEPTH = 5

export type Folder = Place<CategoryNode>

/** Codes in the folder and in those below it. */
export const countCodes = ({ codeCount, children }: CategoryNode): number =>
  children.reduce((sum, child) => sum + countCodes(child), codeCount)

/** Whether the codes of the owner have folders that the user may see. */
export function useHasFolders(): boolean {
  const may = useMay()
  return useOwner() === null && may('categories.tree')
}

export function useFolders(): UseQueryResult<CategoryNode[], ApiError> {
  return useCall('categories.tree', undefined, { enabled: useHasFolders() })
}
