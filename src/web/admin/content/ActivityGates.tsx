/** Gates of an activity that need no account, for administrators, who can end them. */

import { Box } from '@mui/material'

import { usePages } from '../../api/pages.ts'
import { serverTime } from '../../browser/server-time.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status } from '../../ui/Status.tsx'

const words = texts({
  en: {
    title: 'Gates without an account',
    none: 'None.',
    open: 'Open',
    ended: 'Ended',
    until: (time: string) => `until ${time}`,
    devices: (n: number) => (n === 1 ? '1 device' : `${n} devices`),
    admitted: (n: string) => `${n} admitted`,
    end: 'End',
    ask: (name: string) => `End the gate “${name}”?`,
    text: 'Its devices can scan no more passes from now on. This cannot be undone.',
    done: 'The gate is ended.',
  },
  zh: {
    title: '免账号检票口',
    none: '无。',
    open: '开放',
    ended: '已结束',
    until: (time: string) => `至 ${time}`,
    devices: (n: number) => `${n} 台设备`,
    admitted: (n: string) => `已放行 ${n}`,
    end: '停用',
    ask: (name: string) => `停用检票口“${name}”？`,
    text: '其设备将无法继续检票。此操作无法撤销。',
    done: '检票口已停用。',
  },
})

export function ActivityGates({ activityId }: { activityId: number }) {
  const t = useTexts(words)
  const query = usePages('admin.activityGates.list', { params: { activityId } })
  return (
    <Box sx={{ mt: 2 }}>
      <Section title={t.title}>
        <Rows query={query} label={t.title} keyOf={({ id }) => id} empty={t.none}>
          {({ id, name, devices, admitted, endsAt }) => (
            <Row
              title={name}
              details={[t.until(dateTime(endsAt)), t.devices(devices.length), t.admitted(number(admitted))].join(' · ')}
              actions={
                endsAt <= serverTime() ? (
                  <Status tone="neutral" text={t.ended} />
                ) : (
                  <>
                    <Status tone="good" text={t.open} />
                    <ActionButton
                      operation="admin.activityGates.revoke"
                      input={{ params: { activityId, gateId: id } }}
                      label={t.end}
                      name={`${t.end}: ${name}`}
                      title={t.ask(name)}
                      text={t.text}
                      done={t.done}
                      refreshes={['admin.activityGates', 'operationLog']}
                    />
                  </>
                )
              }
            />
          )}
        </Rows>
      </Section>
    </Box>
  )
}
