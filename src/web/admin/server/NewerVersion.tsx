/** Whether there is a newer version of the program, if administrators let the server look for one. */

import { Alert, Button, Link as MuiLink, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { ServerUpdate } from '../../api/types.ts'
import { dateTime, day } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'Newer versions',
    about: 'The server asks once a day which version is the newest. It downloads and installs nothing.',
    isThere: (version: string, date: string) => `Version ${version} of ${date} is there.`,
    notes: 'Release notes',
    sums: 'Checksums',
    locked: (why: string) => `The server cannot look for newer versions: that ${why}.`,
    off: 'The server does not look for newer versions.',
    settings: 'Open the settings',
    never: 'The server has not looked yet.',
    none: (time: string) => `No newer version on ${time}.`,
    failed: (time: string) => `The look on ${time} had no result:`,
    problems: {
      UNREACHABLE: 'the address does not answer.',
      NOT_SIGNED: 'the answer has no valid signature.',
      NOT_A_NOTICE: 'the answer cannot be read.',
    },
    look: 'Look now',
  },
  zh: {
    title: '新版本',
    about: '服务器每天查询一次最新版本，不会下载或安装任何内容。',
    isThere: (version: string, date: string) => `新版本 ${version} 已于 ${date} 发布。`,
    notes: '更新内容',
    sums: '校验和',
    locked: (why: string) => `服务器无法检查新版本：${why}。`,
    off: '服务器不检查新版本。',
    settings: '打开设置',
    never: '服务器尚未检查。',
    none: (time: string) => `${time}检查：没有新版本。`,
    failed: (time: string) => `${time}的检查没有结果：`,
    problems: {
      UNREACHABLE: '该地址没有响应。',
      NOT_SIGNED: '响应没有有效签名。',
      NOT_A_NOTICE: '无法读取响应。',
    },
    look: '立即检查',
  },
})

const Outside = ({ to, text }: { to: string; text: string }) => (
  <MuiLink href={to} target="_blank" rel="noreferrer" underline="always">
    {text}
  </MuiLink>
)

function Available({ release }: { release: NonNullable<ServerUpdate['available']> }) {
  const t = useTexts(words)
  const { version, date, notesUrl, sha256sumsUrl } = release
  return (
    <Alert severity="info" sx={{ mb: 2 }}>
      {t.isThere(version, day(date))} <Outside to={notesUrl} text={t.notes} /> ·{' '}
      <Outside to={sha256sumsUrl} text={t.sums} />
    </Alert>
  )
}

/** For the overview: nothing without a newer version. */
export function NewerVersionNotice() {
  const { data } = useCall('server.values', {})
  return data?.update.available ? <Available release={data.update.available} /> : null
}

export function NewerVersion() {
  const t = useTexts(words)
  const may = useMay()
  const { data } = useCall('server.values', {}, { enabled: may('server.values') })
  const look = useAction('server.look', { refreshes: ['server'] })
  if (data === undefined) return null
  const { locked, enabled, available } = data.update
  return (
    <Section title={t.title} text={t.about}>
      {enabled && available !== null && <Available release={available} />}
      <Typography variant="body2">
        {locked === null ? <State update={data.update} /> : t.locked(locked)}{' '}
        {locked === null && !enabled && may('admin.settings.list') && (
          <MuiLink component={Link} to="/admin/settings?keyword=update.check" underline="always">
            {t.settings}
          </MuiLink>
        )}
      </Typography>
      {enabled && locked === null && may('server.look') && (
        <Button variant="outlined" loading={look.isPending} onClick={() => look.mutate({})} sx={{ mt: 1.5 }}>
          {t.look}
        </Button>
      )}
    </Section>
  )
}

function State({ update: { enabled, checkedAt, problem, available } }: { update: ServerUpdate }) {
  const t = useTexts(words)
  if (!enabled) return t.off
  if (checkedAt === null) return t.never
  if (problem !== null) return `${t.failed(dateTime(checkedAt))} ${t.problems[problem]}`
  return available === null ? t.none(dateTime(checkedAt)) : ''
}
