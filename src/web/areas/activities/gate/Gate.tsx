/** The gate of an activity on the phone of a volunteer with an account. */

import { useMemo, useState } from 'react'
import { useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { useAll } from '../../../api/pages.ts'
import type { GateDirection } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { Page } from '../../../ui/Page.tsx'
import { gateOfUser } from './gate-server.ts'
import { Connection, GateDesk } from './GateDesk.tsx'
import { useGate } from './use-gate.ts'
import { ENTRANCE, useListChoice, usePreparedLists } from './use-list-choice.ts'

const words = texts({
  en: { title: 'Gate', titleOf: (name: string) => `Gate: ${name}` },
  zh: { title: '检票', titleOf: (name: string) => `检票：${name}` },
})

export default function Gate() {
  const t = useTexts(words)
  const id = Number(useParams().id)
  const { user } = useSession()
  const [direction, setDirection] = useState<GateDirection>('ENTRY')
  const server = useMemo(() => gateOfUser(user.id, id), [user.id, id])
  const all = useAll('checkInLists.list', { params: { id } })
  const lists = all.data && [ENTRANCE, ...all.data]
  const [list, chooseList] = useListChoice(`${user.id}.${id}`, lists)
  usePreparedLists(server, lists)
  const gate = useGate(server, direction, list)
  // Volunteers who may only verify passes do not see every activity: its name is not needed.
  const activity = useCall('activities.get', { params: { id } })
  return (
    <Page
      title={activity.data ? t.titleOf(activity.data.name) : t.title}
      back={`/activities/${id}`}
      width="form"
      actions={<Connection gate={gate} />}
    >
      <GateDesk
        gate={gate}
        direction={direction}
        onDirection={setDirection}
        lists={lists ?? []}
        list={list}
        onList={chooseList}
        find={activity.data?.canManage === true ? { activityId: id } : undefined}
        undo={{ activityId: id }}
      />
    </Page>
  )
}
