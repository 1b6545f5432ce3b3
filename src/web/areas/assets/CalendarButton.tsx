/** A secret link to a calendar of warranties and due dates, which calendar programs subscribe to. */

import { CalendarMonth, ContentCopy } from '@mui/icons-material'
import { Alert, Button, DialogContentText, IconButton, Stack, TextField, Tooltip } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import { common } from '../../i18n/common.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { useCopy } from '../../ui/copy.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    calendar: 'Calendar',
    title: 'Calendar of assets',
    text: 'A calendar program that subscribes to the link shows ends of warranties and due dates of loans. Anyone who knows the link can read it. It ends when you change your password.',
    none: 'There is no link yet.',
    exists: (time: string) => `A link was made on ${time}. It is not shown again; a new one ends it.`,
    create: 'Make a link',
    again: 'Make a new link',
    stop: 'End the link',
    stopped: 'The link no longer works.',
    link: 'Link',
    once: 'Copy it now: it is shown only once.',
  },
  zh: {
    ...common.zh,
    calendar: '日历',
    title: '资产日历',
    text: '日历软件订阅此链接后，会显示保修到期日和借用归还日。知道链接的人都能查看。修改密码后链接失效。',
    none: '还没有链接。',
    exists: (time: string) => `链接创建于 ${time}，不会再次显示；新建后旧链接失效。`,
    create: '创建链接',
    again: '创建新链接',
    stop: '停用链接',
    stopped: '链接已停用。',
    link: '链接',
    once: '请立即复制，只显示一次。',
  },
})

export function CalendarButton() {
  const t = useTexts(words)
  const may = useMay()
  const { workspace } = useSession()
  // In a disabled organization links can be neither made nor ended.
  if (!may('assetCalendars.create') || workspace?.status === 'DISABLED') return null
  return (
    <DialogButton label={t.calendar} icon={<CalendarMonth />} variant="text">
      {(close) => <CalendarDialog onClose={close} />}
    </DialogButton>
  )
}

function CalendarDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const copy = useCopy()
  const { data } = useCall('assetCalendars.get', { query: ownerQuery() }, { enabled: may('assetCalendars.get') })
  /** Undefined until it is made: the server shows it only once. */
  const [url, setUrl] = useState<string>()
  const form = useForm(
    'assetCalendars.create',
    {},
    { onDone: (made) => setUrl(made.url), input: () => ({ query: ownerQuery(), body: {} }) },
  )
  const stop = useAction('assetCalendars.delete', { done: t.stopped, onDone: () => setUrl(undefined) })
  const isOn = data?.enabled === true
  return (
    <FormDialog
      form={{ ...form, error: form.error ?? stop.error }}
      title={t.title}
      action={isOn ? t.again : t.create}
      onClose={onClose}
    >
      <DialogContentText>{t.text}</DialogContentText>
      {url !== undefined ? (
        <>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
            <TextField
              fullWidth
              label={t.link}
              value={url}
              slotProps={{ htmlInput: { readOnly: true } }}
              onFocus={(event) => event.target.select()}
            />
            <Tooltip title={t.copy}>
              <IconButton aria-label={t.copy} onClick={() => copy(url)}>
                <ContentCopy />
              </IconButton>
            </Tooltip>
          </Stack>
          <Alert severity="info">{t.once}</Alert>
        </>
      ) : (
        <DialogContentText>{isOn ? t.exists(dateTime(data.createdAt)) : t.none}</DialogContentText>
      )}
      {isOn && (
        <Button
          color="error"
          sx={{ alignSelf: 'flex-start' }}
          loading={stop.isPending}
          onClick={() => stop.mutate({ query: ownerQuery() })}
        >
          {t.stop}
        </Button>
      )}
    </FormDialog>
  )
}
