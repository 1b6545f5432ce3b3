/** The newest lines of the log of all processes. */

import { hostname } from 'node:os'

import type { AppContext } from '#context'
import type { LogLine } from '#platform/log-ring.ts'

import { idOf, knownProcesses } from '../operations.service.ts'
import { askOthers } from '../others.service.ts'
import type { ServerLog, ServerLogQuery } from './server-log.model.ts'

type Filter = Omit<ServerLogQuery, 'process'>

/** Of one process. */
interface Found {
  readonly lines: readonly LogLine[]
  readonly hasMore: boolean
  readonly position: number
}

/** UTF-16 units of the lines that a process sends to another one. */
const MAX_SENT = 256 * 1024

function findHere({ log }: AppContext, { since, ...filter }: Filter): Found {
  const { recent } = log
  const { position } = recent
  const { lines, hasMore } = recent.find({ ...filter, since: since > position ? 0 : since })
  return { lines, hasMore, position }
}

/** The newest lines that are not too long to be sent. */
function fitting({ lines, hasMore, position }: Found): Found {
  let length = 0
  const from = lines.findLastIndex(({ message, details }) => (length += message.length + details.length) > MAX_SENT) + 1
  return { lines: lines.slice(from), hasMore: hasMore || from > 0, position }
}

export async function showServerLog(
  ctx: AppContext,
  { process: wanted, ...filter }: ServerLogQuery,
): Promise<ServerLog> {
  const own = idOf(ctx)
  const processes = await knownProcesses(ctx)
  const asked = wanted === undefined ? processes.map(({ id }) => id) : [wanted]
  const others = processes.filter(({ id, isLost }) => asked.includes(id) && id !== own && !isLost).map(({ id }) => id)
  const found = new Map(await askOthers<Found>(ctx, 'log', others, filter))
  if (asked.includes(own)) found.set(own, findHere(ctx, filter))
  const items = [...found]
    .flatMap(([id, { lines }]) => lines.map((line) => ({ ...line, process: id })))
    .toSorted((a, b) => a.id - b.id)
  const all = [...found.values()]
  return {
    process: { id: own, host: hostname(), pid: process.pid, startedAt: ctx.lifecycle.startedAt },
    processes: processes.map(({ id, host }) => ({ id, host })),
    unanswered: asked.filter((id) => !found.has(id)),
    level: ctx.config.logLevel,
    items: items.slice(-filter.limit),
    hasMore: items.length > filter.limit || all.some(({ hasMore }) => hasMore),
    // No line of any of them is missed.
    lastId: all.length === 0 ? filter.since : Math.min(...all.map(({ position }) => position)),
  }
}

/** The answer to another process. */
export const logForOthers = (ctx: AppContext, filter: Filter): Found => fitting(findHere(ctx, filter))
