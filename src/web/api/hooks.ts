/** Operations in components: `useCall` reads, `useAction` writes. */

import {
  keepPreviousData,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'

import { notify } from '../browser/notices.ts'
import { callWith, download } from './client.ts'
import type { ApiError } from './errors.ts'
import type { DataOf, InputOf, OperationId } from './types.ts'

export interface CallSettings<Data = unknown> {
  /** False: the operation is not called yet. */
  enabled?: boolean
  /** Milliseconds between repeated calls while the page is visible. */
  every?: number
  /** With `every`: true for the last answer, after which the call is not repeated. */
  isLast?: (data: Data) => boolean
  /** Shows the rows of the page before while the next one is loaded. */
  keepPrevious?: boolean
}

/**
 * Calls a reading operation and keeps its answer. Its key begins with the parts of the id before the last dot, so that `refresh('qrCodes')`
 * reads everything about QR codes again.
 */
export function useCall<Id extends OperationId>(
  id: Id,
  input: InputOf<Id> | undefined = undefined,
  { enabled = true, every, isLast, keepPrevious }: CallSettings<DataOf<Id>> = {},
): UseQueryResult<DataOf<Id>, ApiError> {
  // The type of `data` cannot be inferred while the operation is a parameter.
  return useQuery<unknown, ApiError>({
    queryKey: [...id.split('.'), input ?? {}],
    queryFn: ({ signal }) => callWith(id, input as object | undefined, { signal }),
    enabled,
    ...(every !== undefined && {
      refetchInterval: ({ state: { data } }) => (data !== undefined && isLast?.(data as DataOf<Id>) ? false : every),
    }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  }) as UseQueryResult<DataOf<Id>, ApiError>
}

/** Repeats the reading operations whose ids begin with these words: `refresh('qrCodes', 'categories')`. */
export function useRefresh(): (...prefixes: string[]) => Promise<void> {
  const client = useQueryClient()
  return async (...prefixes) => {
    await Promise.all(prefixes.map((prefix) => client.invalidateQueries({ queryKey: prefix.split('.') })))
  }
}

export interface ActionSettings<Id extends OperationId> {
  /** Shown when it succeeded. */
  done?: string
  /** First words of the ids of operations whose answers have changed. By default that of the action itself. */
  refreshes?: readonly string[]
  onDone?: (data: DataOf<Id>) => void
  /** True: the caller shows errors itself, for example at the fields of a form. */
  quiet?: boolean
  /** Instead of a plain call, for example one that signs in. */
  send?: (input: InputOf<Id>, id: Id) => Promise<DataOf<Id>>
}

/** A writing operation: `const pin = useAction('qrCodes.pin'); pin.mutate({ params, body })`. Errors are shown as a notification. */
export function useAction<Id extends OperationId>(
  id: Id,
  { done, refreshes, onDone, quiet, send }: ActionSettings<Id> = {},
): UseMutationResult<DataOf<Id>, ApiError, InputOf<Id> | void> {
  const refresh = useRefresh()
  return useMutation<DataOf<Id>, ApiError, InputOf<Id> | void>({
    mutationFn: async (input = {} as InputOf<Id>) =>
      send ? await send(input as InputOf<Id>, id) : ((await callWith(id, input as object, {})) as DataOf<Id>),
    onSuccess: async (data) => {
      await refresh(...(refreshes ?? [id.split('.')[0]!]))
      if (done !== undefined) notify(done, 'success')
      onDone?.(data)
    },
    onError: (error) => {
      if (!quiet) notify(error.message, 'error')
    },
  })
}

/** Saves an answer as a file: `file.mutate(['assets.export', { query }, 'assets.xlsx'])`. Errors are shown as a notification. */
export const useDownload = (): UseMutationResult<void, Error, Parameters<typeof download>> =>
  useMutation({
    mutationFn: (input) => download(...input),
    onError: ({ message }) => notify(message, 'error'),
  })
