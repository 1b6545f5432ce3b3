/** How many people a message would reach, before it is sent. */

import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'

import { callWith } from '../../../api/client.ts'
import type { ApiError } from '../../../api/errors.ts'
import type { MessageChannel, ParticipantFilter } from '../../../api/types.ts'

/** The answer of `dryRun`. The types of the interface do not have it: the operation answers a message otherwise. */
export interface Reach {
  readonly recipients: number
  readonly app: number
  readonly email: number
  readonly withoutChannel: number
  /** Null for no limit. */
  readonly mailBudgetLeft: number | null
}

export const CHANNELS: readonly MessageChannel[] = ['APP', 'EMAIL']

/** The numbers depend on no text, but the operation wants one. */
const TEXT = { subject: '?', body: '?' }

const counting = (
  activityId: number,
  filter: ParticipantFilter | undefined,
  channels: readonly MessageChannel[],
  enabled = true,
) => ({
  queryKey: ['activityMessages', 'count', activityId, filter ?? null, channels],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const body = { ...TEXT, channels, dryRun: true, ...(filter && { filter }) }
    return (await callWith('activityMessages.create', { params: { id: activityId }, body }, { signal })) as Reach
  },
  enabled,
})

/** For everybody by default, who also gets the notices of a changed time or place. */
export const useRecipients = (
  activityId: number,
  {
    filter,
    channels = CHANNELS,
    enabled = true,
  }: { filter?: ParticipantFilter | undefined; channels?: readonly MessageChannel[]; enabled?: boolean } = {},
): UseQueryResult<Reach, ApiError> => useQuery(counting(activityId, filter, channels, enabled && channels.length > 0))

/** The number of people for each of these filters; undefined while it is counted. */
export const useCounts = (
  activityId: number,
  filters: readonly (ParticipantFilter | undefined)[],
): readonly (number | undefined)[] =>
  useQueries({ queries: filters.map((filter) => counting(activityId, filter, CHANNELS)) }).map(
    ({ data }) => data?.recipients,
  )
