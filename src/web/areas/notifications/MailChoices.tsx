/** Which mails about activities and assets the user gets. Shown if the server has a mail server. */

import { EmailOutlined } from '@mui/icons-material'
import { Box, Card, CardContent, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import { clockTime, timeZone } from '../../i18n/format.ts'
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

const assetWords = texts({
  en: {
    title: 'E-mails about assets',
    text: 'To your confirmed e-mail address, if this server sends such mails. Notifications in the app are not affected.',
    label: 'How often',
    choices: { NONE: 'Never', DAILY: 'Once a day', AT_ONCE: 'At once' },
    help: {
      NONE: 'Not even when a loan is overdue.',
      DAILY: 'One mail with everything that is due, and none if nothing is.',
      AT_ONCE: 'Each notification as soon as it comes, and one mail a day with everything that is due.',
    },
    hour: 'Time of the daily mail',
    zone: (zone: string) => `By the clocks in ${zone}.`,
  },
  zh: {
    title: '资产邮件',
    text: '服务器开启此类邮件后，发送到你已验证的邮箱。应用内始终会通知。',
    label: '发送频率',
    choices: { NONE: '从不', DAILY: '每天一次', AT_ONCE: '立即' },
    help: {
      NONE: '借用逾期时也不会收到邮件。',
      DAILY: '每天一封邮件，汇总所有待办事项；没有待办事项则不发送。',
      AT_ONCE: '每条通知立即发送，另有每天一封待办汇总。',
    },
    hour: '每日邮件的时间',
    zone: (zone: string) => `按 ${zone} 的时间。`,
  },
})

const ACTIVITIES = ['ALL', 'IMPORTANT', 'NONE'] as const
const ASSETS = ['NONE', 'DAILY', 'AT_ONCE'] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const FIELD = { width: '100%', maxWidth: 420 }

/** The hour of a day as clocks show it. */
const hourName = (hour: number): string => clockTime(new Date(2000, 0, 1, hour).getTime())

export function MailChoices() {
  const t = useTexts(words)
  const ofAssets = useTexts(assetWords)
  const { user } = useSession()
  const { data } = useCall('notifications.preferences', {}, { enabled: user.mailAvailable })
  const change = useAction('notifications.changePreferences', {
    done: t.saved,
    refreshes: ['notifications.preferences'],
  })
  if (data === undefined) return null
  // A choice is shown at once.
  const chosen = { ...data, ...(change.isPending && change.variables?.body) }
  const { emailActivities, emailAssets, digestHour } = chosen
  const zone = timeZone()
  const save = (body: Partial<Pick<typeof data, 'emailActivities' | 'emailAssets' | 'digestHour'>>): void =>
    change.mutate({ body: { ...body, timeZone: zone } })
  return (
    <>
      <MailCard title={t.title} text={t.text}>
        <ChoiceField
          label={t.label}
          value={emailActivities}
          onChange={(value) => save({ emailActivities: value })}
          choices={ACTIVITIES.map((id) => ({ id, name: t.choices[id] }))}
          help={t.help[emailActivities]}
          sx={FIELD}
        />
      </MailCard>
      <MailCard title={ofAssets.title} text={ofAssets.text}>
        <Stack spacing={1.5}>
          <ChoiceField
            label={ofAssets.label}
            value={emailAssets}
            onChange={(value) => save({ emailAssets: value })}
            choices={ASSETS.map((id) => ({ id, name: ofAssets.choices[id] }))}
            help={ofAssets.help[emailAssets]}
            sx={FIELD}
          />
          {emailAssets !== 'NONE' && (
            <ChoiceField
              label={ofAssets.hour}
              value={digestHour}
              onChange={(value) => save({ digestHour: value })}
              choices={HOURS.map((id) => ({ id, name: hourName(id) }))}
              help={ofAssets.zone(zone)}
              sx={FIELD}
            />
          )}
        </Stack>
      </MailCard>
    </>
  )
}

function MailCard({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent sx={{ py: 1.5, '&:last-child': { pb: 1.5 } }}>
        <Stack direction="row" spacing={1.5} sx={{ alignItems: 'start' }}>
          <EmailOutlined color="action" />
          <Box sx={{ flex: 1, minWidth: 0 }}>
            <Typography sx={{ fontWeight: 600 }}>{title}</Typography>
            <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5 }}>
              {text}
            </Typography>
            {children}
          </Box>
        </Stack>
      </CardContent>
    </Card>
  )
}
