/** Webhooks, and their events as the server describes them. */

import { useQuery } from '@tanstack/react-query'

import type { DataOf } from '../../api/types.ts'

export type Webhook = DataOf<'webhooks.get'>

/** Without an organization and the server, those of the user. */
export interface Whose {
  readonly orgId?: number
  readonly isOfServer?: boolean
}

export interface EventSchema {
  readonly description: string
  /** The kinds of webhooks that can get it. */
  readonly scopes: readonly Webhook['scope'][]
  readonly example: unknown
}

async function readSchemas(): Promise<ReadonlyMap<string, EventSchema>> {
  const answer = await fetch('/webhooks.json')
  const { $defs, oneOf } = (await answer.json()) as {
    $defs: Record<string, EventSchema>
    oneOf: { $ref: string }[]
  }
  const types = oneOf.map(({ $ref }) => $ref.slice('#/$defs/'.length))
  return new Map(types.map((type) => [type, $defs[type]!]))
}

export const scopeOf = ({ orgId, isOfServer }: Whose): Webhook['scope'] =>
  isOfServer === true ? 'PLATFORM' : orgId === undefined ? 'USER' : 'ORG'

/** By their types; empty until they are read. */
export function useEventSchemas(): ReadonlyMap<string, EventSchema> {
  const { data } = useQuery({ queryKey: ['webhooks', 'schema'], queryFn: readSchemas, staleTime: Infinity })
  return data ?? new Map()
}
