/** Messages to the participants of an activity, for administrators, who can stop those that wait for their time. */

import { Box, Typography } from '@mui/material'

import { usePages } from '../../api/pages.ts'
import { isChanging, messageWords, numbersOf } from '../../areas/activities/messages/words.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { EnumStatus } from '../../ui/Status.tsx'

const words = texts({
  en: {
    title: 'Messages to participants',
    none: 'None.',
    at: (time: string) => `Goes out ${time}`,
    remove: 'Delete',
    ask: (subject: string) => `Delete “${subject}”?`,
    text: 'It is not sent to anyone. This cannot be undone.',
    removed: 'The message is deleted and will not be sent.',
  },
  zh: {
    title: '发给参加者的消息',
    none: '无。',
    at: (time: string) => `将于 ${time} 发出`,
    remove: '删除',
    ask: (subject: string) => `删除“${subject}”？`,
    text: '将不会发给任何人。此操作无法撤销。',
    removed: '消息已删除，不会发送。',
  },
})

export function ActivityMessages({ activityId }: { activityId: number }) {
  const t = useTexts(words)
  const shared = useTexts(messageWords)
  const query = usePages('admin.activityMessages.list', { params: { activityId } }, { isChanging })
  return (
    <Box sx={{ mt: 2 }}>
      <Section title={t.title}>
        <Rows query={query} label={t.title} keyOf={({ id }) => id} empty={t.none}>
          {(message) => (
            <Row
              title={<Typography sx={{ fontWeight: 600 }}>{message.subject}</Typography>}
              details={
                message.state === 'SCHEDULED'
                  ? t.at(dateTime(message.sendAt))
                  : `${dateTime(message.sendAt)} · ${numbersOf(message, shared)}`
              }
              actions={
                <>
                  <EnumStatus of="activityMessageState" value={message.state} />
                  {message.state === 'SCHEDULED' && (
                    <ActionButton
                      operation="admin.activityMessages.delete"
                      input={{ params: { activityId, messageId: message.id } }}
                      label={t.remove}
                      name={`${t.remove}: ${message.subject}`}
                      title={t.ask(message.subject)}
                      text={t.text}
                      done={t.removed}
                      refreshes={['admin.activityMessages', 'operationLog']}
                    />
                  )}
                </>
              }
            />
          )}
        </Rows>
      </Section>
    </Box>
  )
}
