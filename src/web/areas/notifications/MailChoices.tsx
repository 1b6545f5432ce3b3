/** Which mails about activities the user gets. Shown if the server has a mail server. */

import { EmailOutlined } from '@mui/icons-material'
import { Box, Card, CardContent, Stack, Typography } from '@mui/material'

import { useAction, useCall } from '../../api/hooks.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { ChoiceField } from '../../ui/fields.tsx'

const words = texts({
  en: {
    title: 'E-mails about activities',
    text: 'To your confirmed e-mail address. Notifications in the app are not affected.',
    label: 'You get',
    choices: { ALL: 'All', IMPORTANT: 'Only important ones', NONE: 'None' },
    help: {
      ALL: 'Also what organizers write to participants.',
      IMPORTANT:
        'Your registration and pass, another time or place, a cancellation. Nothing else that organizers write.',
      NONE: 'Not even when an activity is moved or cancelled.',
    },
    saved: 'Your choice is saved.',
  },
  zh: {
    title: '活动邮件',
    text: '发送到你已验证的邮箱。应用内始终会通知。',
    label: '接收',
    choices: { ALL: '全部', IMPORTANT: '仅重要邮件', NONE: '不接收' },
    help: {
      ALL: '包括主办方写给参加者的消息。',
      IMPORTANT: '报名与通行证、时间或地点变更、活动取消；不含主办方的其他消息。',
      NONE: '活动改期或取消时也不会收到邮件。',
    },
    saved: '已保存。',
  },
})

const CHOICES = ['ALL', 'IMPORTANT', 'NONE'] as const

export function MailChoices() {
  const t = useTexts(words)
  const { user } = useSession()
  const { data } = useCall('notifications.preferences', {}, { enabled: user.mailAvailable })
  const change = useAction('notifications.changePreferences', {
    done: t.saved,
    refreshes: ['notifications.preferences'],
  })
  if (data === undefined) return null
  // The choice is shown at once.
  const chosen = change.isPending
    ? (change.variables?.body?.emailActivities ?? data.emailActivities)
    : data.emailActivities
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent sx={{ py: 1.5, '&:last-child': { pb: 1.5 } }}>
        <Stack direction="row" spacing={1.5} sx={{ alignItems: 'start' }}>
          <EmailOutlined color="action" />
          <Box sx={{ flex: 1, minWidth: 0 }}>
            <Typography sx={{ fontWeight: 600 }}>{t.title}</Typography>
            <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5 }}>
              {t.text}
            </Typography>
            <ChoiceField
              label={t.label}
              value={chosen}
              onChange={(emailActivities) => change.mutate({ body: { emailActivities, timeZone: timeZone() } })}
              choices={CHOICES.map((id) => ({ id, name: t.choices[id] }))}
              help={t.help[chosen]}
              sx={{ width: '100%', maxWidth: 420 }}
            />
          </Box>
        </Stack>
      </CardContent>
    </Card>
  )
}
