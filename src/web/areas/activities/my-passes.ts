/** The passes of the user for the activities that come next. The interface lists passes of one activity at a time. */

import { call } from '../../api/client.ts'
import { readFirstPage, readRows } from '../../api/pages.ts'
import type { ActivityItem, ActivityQrCode } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { ownerQuery } from '../../session/session.ts'
import { gateOfUser } from './gate/gate-server.ts'
import { GateStore } from './gate/gate-store.ts'

export interface MyPass {
  readonly activity: ActivityItem
  readonly code: ActivityQrCode
}

/** Activities whose passes are read. */
const MOST = 20
/** Gates that are prepared. */
const GATES = 2
const DAY = 24 * 3_600_000

/** The activities that go on or come next, by their start: the same requests as those of the list, so that it is kept too. */
async function readNext(query: object): Promise<readonly ActivityItem[]> {
  const phases = ['NOW', 'UPCOMING'].map((phase) =>
    readFirstPage('activities.list', { ...query, phase, sort: 'startTime' }),
  )
  const items = (await Promise.all(phases)).flatMap((answer) => answer.items)
  return items.filter(({ hasPass, status }) => hasPass && status === 'ACTIVE')
}

/** @throws ApiError if none could be read */
export async function readMyPasses(): Promise<readonly MyPass[]> {
  const next = (await readNext({ registered: true })).filter(({ endTime }) => endTime >= serverTime()).slice(0, MOST)
  const answers = await Promise.allSettled(
    next.map(async (activity) => {
      const codes = await call('activities.qrCodes', { params: { id: activity.id }, query: {} })
      return codes.filter(({ type }) => type === 'PASS').map((code) => ({ activity, code }))
    }),
  )
  const [first] = answers
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Keeps the first list, the passes, and the gates of activities that take place within a day. */
export async function keepActivities(userId: number): Promise<void> {
  const [own] = await Promise.all([readNext(ownerQuery()), readMyPasses()])
  const gates = own.filter(({ startTime, endTime }) => startTime <= serverTime() + DAY && endTime >= serverTime())
  for (const { id } of gates.slice(0, GATES)) {
    await call('activities.get', { params: { id } })
    // The server refuses it to those who do not manage the activity.
    const lists = () => readRows('checkInLists.list', { params: { id } }, {})
    await Promise.all([new GateStore(gateOfUser(userId, id)).prepare(), lists()]).catch(() => undefined)
  }
}
