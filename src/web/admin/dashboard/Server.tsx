/** The health of the server, and the things that an administrator should attend to. */

import { Alert, Button, Link as MuiLink, Stack } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { send } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useCall } from '../../api/hooks.ts'
import type { Health } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { bytes, dateTime, number, relativeTime, withNote } from '../../i18n/format.ts'
import { mailWords } from '../../i18n/mail-words.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ChangeAddress, useAddressText } from '../../ui/AddressWarning.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'

const words = texts({
  en: {
    server: 'Server',
    open: 'Open',
    setup: (n: number) => (n === 1 ? 'Setup: 1 step left' : `Setup: ${n} steps left`),
    goOn: 'Continue',
    noBackups: 'Backups by schedule are switched off. Set how often they are made, and copy them to another machine.',
    overdue: 'The newest good backup is too old.',
    backupsDown: 'The folder of backups cannot be read.',
    down: 'The server cannot work: the database, the data directory or the free space is the reason.',
    outbox: (n: number) =>
      n === 1 ? '1 message could not be sent yet.' : `${number(n)} messages could not be sent yet.`,
    files: (problem: string) => `Files cannot be stored: ${problem}`,
    state: 'State',
    up: 'Works',
    isDown: 'Does not work',
    version: 'Version',
    licenses: 'Licences',
    since: 'Runs since',
    database: 'Database',
    answersIn: (name: string, ms: string) => `${name}, answers in ${ms} ms`,
    memory: 'Memory',
    storage: 'Files',
    messages: 'Waiting messages',
    mail: 'Mail',
    sms: 'SMS',
    yes: 'Is sent',
    no: 'No gateway is configured',
  },
  zh: {
    server: '服务器',
    open: '打开',
    setup: (n: number) => `设置向导：还剩 ${n} 步`,
    goOn: '继续',
    noBackups: '定时备份已关闭。请设置备份频率，并把备份复制到另一台机器。',
    overdue: '最新的有效备份太旧。',
    backupsDown: '无法读取备份文件夹。',
    down: '服务器无法工作：数据库、数据目录或剩余空间有问题。',
    outbox: (n: number) => `有 ${number(n)} 条消息尚未发出。`,
    files: (problem: string) => `无法存储文件：${problem}`,
    state: '状态',
    up: '正常',
    isDown: '异常',
    version: '版本',
    licenses: '许可证',
    since: '启动时间',
    database: '数据库',
    answersIn: (name: string, ms: string) => `${name}，响应 ${ms} 毫秒`,
    memory: '内存',
    storage: '文件',
    messages: '待发消息',
    mail: '邮件',
    sms: '短信',
    yes: '正常发送',
    no: '未配置网关',
  },
})

/** Milliseconds between two readings of the health. */
const EVERY = 30_000

/** The health, which is answered without the envelope of the other operations, and with 503 by a server that cannot work. */
export function useHealth(enabled = true): Health | undefined {
  const { data } = useQuery<Health>({
    queryKey: ['actuator', 'health'],
    queryFn: async ({ signal }) => {
      try {
        return (await (await send('actuator.health', {}, { signal })).json()) as Health
      } catch (error) {
        if (error instanceof ApiError && error.status === 503) return { status: 'DOWN' }
        throw error
      }
    },
    refetchInterval: EVERY,
    enabled,
  })
  return data
}

/** Nothing is shown while everything is in order. */
export function Attention() {
  const t = useTexts(words)
  const { without } = useTexts(mailWords)
  const may = useMay()
  const address = useAddressText()
  const health = useHealth()
  const { data: info } = useCall('actuator.info')
  const parts = health?.components
  const link = (to: string, isAllowed: boolean): ReactNode =>
    isAllowed && (
      <Button color="inherit" size="small" component={Link} to={to}>
        {t.open}
      </Button>
    )
  const problems: { text: string; isSevere: boolean; action?: ReactNode }[] = []
  if (health?.status === 'DOWN') problems.push({ text: t.down, isSevere: true })
  if (parts?.files.problem != null) problems.push({ text: t.files(parts.files.problem), isSevere: true })
  if (parts !== undefined && parts.outbox.status !== 'UP')
    problems.push({
      text: t.outbox(parts.outbox.waiting ?? 0),
      isSevere: false,
      action: link('/admin/server-log', may('serverLog.list')),
    })
  if (info?.hasLocalAddress === true && address !== undefined)
    problems.push({ text: address, isSevere: false, action: <ChangeAddress /> })
  if (info?.sendsMail === false)
    problems.push({ text: without, isSevere: false, action: link('/admin/site', may('server.values')) })
  const backups = link('/admin/backups', may('backups.list'))
  if (parts?.backup.status === 'DOWN') problems.push({ text: t.backupsDown, isSevere: true, action: backups })
  else if (parts?.backup.status === 'OVERDUE') problems.push({ text: t.overdue, isSevere: true, action: backups })
  else if (parts?.backup.schedule === 'OFF') problems.push({ text: t.noBackups, isSevere: false, action: backups })
  if (problems.length === 0) return null
  return (
    <Stack spacing={1} sx={{ mb: 2 }}>
      {problems.map(({ text, isSevere, action }) => (
        <Alert key={text} severity={isSevere ? 'error' : 'warning'} action={action}>
          {text}
        </Alert>
      ))}
    </Stack>
  )
}

/** For system administrators, until the setup is done. */
export function SetupLeft() {
  const t = useTexts(words)
  const may = useMay()
  const { data: values } = useCall('server.values', {})
  const left = values?.setup.open ?? 0
  // Of settings that only system administrators change, the list says whether the user is one.
  const settings = useCall('admin.settings.list', undefined, { enabled: left > 0 && may('admin.settings.list') })
  if (left === 0 || !settings.data?.items.some((one) => one.systemAdminOnly && one.mayChange)) return null
  return (
    <Alert
      severity="info"
      sx={{ mb: 2 }}
      action={
        <Button color="inherit" size="small" component={Link} to="/admin/setup">
          {t.goOn}
        </Button>
      }
    >
      {t.setup(left)}
    </Alert>
  )
}

export function Server() {
  const t = useTexts(words)
  const locale = useLocale()
  const storageOf = useEnum('storage')
  const health = useHealth()
  const info = useCall('actuator.info')
  return (
    <Section title={t.server}>
      <Answer query={info}>
        {({ version, startedAt, memoryBytes, database, sendsMail, sendsSms }) => {
          const parts = health?.components
          const isUp = health?.status !== 'DOWN'
          return (
            <Facts
              items={[
                [t.state, <Status key="state" tone={isUp ? 'good' : 'bad'} text={isUp ? t.up : t.isDown} />],
                [
                  t.version,
                  <span key="version">
                    {version} ·{' '}
                    <MuiLink href={`/licenses?lang=${locale}`} underline="always">
                      {t.licenses}
                    </MuiLink>
                  </span>,
                ],
                [t.since, withNote(dateTime(startedAt), relativeTime(startedAt))],
                [
                  t.database,
                  parts?.database.responseMs == null
                    ? database
                    : t.answersIn(database === 'sqlite' ? 'SQLite' : 'PostgreSQL', number(parts.database.responseMs)),
                ],
                [t.memory, bytes(memoryBytes)],
                [t.storage, parts && storageOf(parts.files.storage)],
                [t.mail, sendsMail ? t.yes : t.no],
                [t.sms, sendsSms ? t.yes : t.no],
                [t.messages, parts?.outbox.waiting == null ? null : number(parts.outbox.waiting)],
              ]}
            />
          )
        }}
      </Answer>
    </Section>
  )
}
