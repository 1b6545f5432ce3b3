/** Programs that open addresses by themselves: crawlers, previews of chats, and browsers that load pages ahead. */

import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

/** By User-Agent. Its pattern takes 5 µs, and most visitors have one of a few hundred agents. */
const known = new LRUCache<string, boolean>({ max: 2000 })
/** UTF-16 units. Longer ones are read each time, so that they do not fill the memory. */
const MAX_KNOWN = 500

const AHEAD = /prefetch|prerender/i

export function isRobot(headers: Headers): boolean {
  const userAgent = headers.get('user-agent')
  if (userAgent === null || userAgent === '') return true
  return isRobotic(userAgent) || isAhead(headers)
}

function isRobotic(userAgent: string): boolean {
  if (userAgent.length > MAX_KNOWN) return isbot(userAgent)
  let result = known.get(userAgent)
  if (result === undefined) known.set(userAgent, (result = isbot(userAgent)))
  return result
}

const isAhead = (headers: Headers): boolean =>
  ['sec-purpose', 'purpose', 'x-moz'].some((name) => AHEAD.test(headers.get(name) ?? ''))
