/** Chat on the whole server: how much is written, and the limits that administrators set. Nobody sees messages of others here. */

import { Save } from '@mui/icons-material'
import { Box, Card, CardContent, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useMemo, useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { ChatSettings, ChatStats } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Chart } from '../../ui/Chart.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Figures } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Chat',
    period: 'Period',
    days: (n: number) => `${n} days`,
    conversations: 'Conversations',
    messages: 'Messages',
    activeUsers: 'Users who wrote',
    contacts: 'Contacts',
    pending: 'Open contact requests',
    sockets: 'Open connections',
    perDay: 'Messages and writers per day',
    senders: 'Writers',
    byType: 'Messages of the period by kind',
    nothing: 'Nothing was written in this period.',
    settings: 'Limits',
    settingsText: 'They count from now on. Everything that exists stays as it is.',
    save: 'Save limits',
    saved: 'The limits are changed.',
    textMaxLength: 'Longest message, in characters',
    mediaMaxBytes: 'Largest file, in MB',
    maxContacts: 'Contacts of a user',
    requestsPerDay: 'Contact requests of a user a day (0 = unlimited)',
    requestExpiryDays: 'Days until a contact request expires',
    recallSeconds: 'Seconds in which a message can be recalled',
    editSeconds: 'Seconds in which a text can be edited (0 = never)',
    messagesPerMinute: 'Messages of a user a minute (0 = unlimited)',
    draftMaxLength: 'Longest draft, in characters',
    retentionDays: 'Days until messages are deleted for everybody (0 = never)',
  },
  zh: {
    title: '聊天',
    period: '时间范围',
    days: (n: number) => `${n} 天`,
    conversations: '会话',
    messages: '消息',
    activeUsers: '发言用户',
    contacts: '联系人',
    pending: '待处理的联系人申请',
    sockets: '在线连接',
    perDay: '每日消息与发言人数',
    senders: '发言人数',
    byType: '该时段各类消息',
    nothing: '该时段没有消息。',
    settings: '限制',
    settingsText: '修改后立即对新内容生效，已有内容不受影响。',
    save: '保存限制',
    saved: '限制已更新。',
    textMaxLength: '消息最大长度（字符）',
    mediaMaxBytes: '文件最大大小（MB）',
    maxContacts: '每位用户的联系人上限',
    requestsPerDay: '每位用户每天联系人申请数（0 表示不限）',
    requestExpiryDays: '联系人申请有效天数',
    recallSeconds: '消息可撤回时间（秒）',
    editSeconds: '消息可编辑时间（秒，0 表示不可编辑）',
    messagesPerMinute: '每位用户每分钟消息数（0 表示不限）',
    draftMaxLength: '草稿最大长度（字符）',
    retentionDays: '消息保留天数（0 表示永久）',
  },
})

const PERIODS = ['7', '30', '90'] as const

export default function ChatPage() {
  const t = useTexts(words)
  const may = useMay()
  const [days, setDays] = useState<(typeof PERIODS)[number]>('30')
  const stats = useCall('admin.chat.stats', { query: { days, tz: timeZone() } }, { keepPrevious: true })
  return (
    <Page
      title={t.title}
      actions={
        <ToggleButtonGroup
          exclusive
          size="small"
          value={days}
          aria-label={t.period}
          onChange={(_, chosen: typeof days | null) => chosen !== null && setDays(chosen)}
        >
          {PERIODS.map((period) => (
            <ToggleButton key={period} value={period} sx={{ px: 2, color: 'text.primary' }}>
              {t.days(Number(period))}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      <Answer query={stats}>{(data) => <Statistics stats={data} />}</Answer>
      {may('admin.chat.settings') && <Limits />}
    </Page>
  )
}

function Statistics({ stats }: { stats: ChatStats }) {
  const t = useTexts(words)
  const typeOf = useEnum('messageType')
  const { byDay } = stats
  const times = useMemo(() => byDay.map(({ date }) => Date.parse(`${date}T00:00`)), [byDay])
  const series = useMemo(
    () => [
      { label: t.messages, values: byDay.map(({ messages }) => messages) },
      { label: t.senders, values: byDay.map(({ senders }) => senders) },
    ],
    [byDay, t],
  )
  return (
    <>
      <Figures
        items={[
          [t.messages, number(stats.messages)],
          [t.conversations, number(stats.conversations)],
          [t.activeUsers, number(stats.activeUsers)],
          [t.contacts, number(stats.contacts)],
          [t.pending, number(stats.pendingRequests)],
          [t.sockets, number(stats.sockets)],
        ]}
      />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { md: '2fr 1fr' }, mb: 3 }}>
        <Card variant="outlined" sx={{ minWidth: 0 }}>
          <CardContent>
            <Typography variant="h2" sx={{ mb: 1 }}>
              {t.perDay}
            </Typography>
            <Chart label={t.perDay} times={times} series={series} />
          </CardContent>
        </Card>
        <Card variant="outlined">
          <CardContent>
            <Typography variant="h2" sx={{ mb: 1.5 }}>
              {t.byType}
            </Typography>
            {stats.byType.length === 0 ? (
              <Typography color="text.secondary">{t.nothing}</Typography>
            ) : (
              <Facts items={stats.byType.map(({ type, count }) => [typeOf(type), number(count)])} />
            )}
          </CardContent>
        </Card>
      </Box>
    </>
  )
}

const KEYS = [
  'textMaxLength',
  'draftMaxLength',
  'mediaMaxBytes',
  'recallSeconds',
  'editSeconds',
  'messagesPerMinute',
  'maxContacts',
  'requestsPerDay',
  'requestExpiryDays',
  'retentionDays',
] as const satisfies readonly (keyof ChatSettings)[]

/** Bytes of a megabyte in the field for the largest file. */
const MEGABYTE = 1024 * 1024
const unitOf = (key: keyof ChatSettings): number => (key === 'mediaMaxBytes' ? MEGABYTE : 1)

function Limits() {
  const t = useTexts(words)
  const query = useCall('admin.chat.settings')
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2">{t.settings}</Typography>
        <Typography color="text.secondary" sx={{ mb: 2 }}>
          {t.settingsText}
        </Typography>
        <Answer query={query}>{(settings) => <LimitForm key={JSON.stringify(settings)} settings={settings} />}</Answer>
      </CardContent>
    </Card>
  )
}

function LimitForm({ settings }: { settings: ChatSettings }) {
  const t = useTexts(words)
  const mayChange = useMay()('admin.chat.changeSettings')
  const form = useForm('admin.chat.changeSettings', settings as { [Key in keyof ChatSettings]: number | null }, {
    done: t.saved,
    refreshes: ['admin.chat'],
    input: (values) => ({
      body: Object.fromEntries(KEYS.filter((key) => values[key] !== settings[key]).map((key) => [key, values[key]])),
    }),
  })
  return (
    <Form form={form} {...(mayChange && { action: t.save, icon: <Save /> })} needsChange>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' }, alignItems: 'start' }}>
        {KEYS.map((key) => (
          <NumberField
            key={key}
            {...form.number(key, { label: t[key] })}
            unit={unitOf(key)}
            disabled={!mayChange}
            required
          />
        ))}
      </Box>
    </Form>
  )
}
