import { Alert, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../../api/hooks.ts'
import type { BackupFolder, Setting } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { settingWords } from '../../settings/words.ts'
import type { StepProps } from '../step.tsx'

const words = texts({
  en: {
    about: (keep: string) =>
      `A backup holds the database, the uploaded files and the keys. Each one is verified, and the newest ${keep} are kept.`,
    schedule: 'Backups by schedule',
    directory: 'Folder of backups',
    directoryHelp: 'A folder that exists on this server, best on another disk. Empty: in the data directory.',
    locked: (name: string) => `Set by ${name} at the start of the server, and can only be changed there.`,
    withData: 'This folder is on the disk of the data: a broken disk takes both. Copy the backups to another machine.',
  },
  zh: {
    about: (keep: string) => `备份包含数据库、上传的文件和密钥。每个备份都会校验，并保留最新的 ${keep} 个。`,
    schedule: '定时备份',
    directory: '备份文件夹',
    directoryHelp: '此服务器上已有的文件夹，最好在另一块磁盘上。留空表示数据目录。',
    locked: (name: string) => `由启动服务器时的 ${name} 设定，只能在该处更改。`,
    withData: '此文件夹与数据在同一块磁盘上，磁盘损坏时两者都会丢失。请将备份复制到另一台机器。',
  },
})

type Schedule = 'OFF' | 'DAILY' | 'WEEKLY'

export function Backup({ step }: { step: StepProps }) {
  const settings = useCall('admin.settings.list')
  const backups = useCall('backups.list', { query: { size: 1 } })
  return (
    <Answer query={settings}>
      {({ items }) => (
        <Answer query={backups}>{({ folder }) => <Choice items={items} folder={folder} step={step} />}</Answer>
      )}
    </Answer>
  )
}

interface ChoiceProps {
  items: readonly Setting[]
  folder: BackupFolder
  step: StepProps
}

function Choice({ items, folder, step }: ChoiceProps) {
  const t = useTexts(words)
  const { OFF, DAILY, WEEKLY } = useTexts(settingWords).choices
  const settingOf = (name: string) => items.find(({ key }) => key === name)!
  const schedule = settingOf('backup.schedule')
  const directory = settingOf('backup.directory')
  const [first] = useState({
    // A server that nobody has set up yet gets a schedule unless somebody decides otherwise.
    schedule: (schedule.updatedAt === null ? 'DAILY' : schedule.value) as Schedule,
    directory: directory.value as string,
  })
  /** The folder whose warning was shown. */
  const [shown, setShown] = useState(directory.value)
  const form = useForm('admin.settings.update', first, {
    refreshes: ['admin.settings', 'backups'],
    paths: { schedule: 'values.backup.schedule', directory: 'values.backup.directory' },
    input: (values) => ({
      body: { values: { 'backup.schedule': values.schedule, 'backup.directory': values.directory.trim() } },
    }),
    onDone({ items: after }) {
      const chosen = after.find(({ key }) => key === 'backup.directory')!.value
      // The warning of another folder is to be read first.
      if (chosen === shown) step.finish()
      else setShown(chosen)
    },
  })
  return (
    <Section text={t.about(String(settingOf('backup.keep').value))}>
      <Form form={{ ...form, isBusy: form.isBusy || step.isBusy }} action={step.action} other={step.other}>
        <Stack spacing={2}>
          <TextField {...form.choice('schedule', { OFF, DAILY, WEEKLY }, { label: t.schedule })} />
          <TextField
            {...form.text('directory', {
              label: t.directory,
              help: folder.lockedBy === null ? t.directoryHelp : t.locked(folder.lockedBy),
            })}
            disabled={folder.lockedBy !== null}
            slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: 'off' } }}
          />
          {folder.isWithData === true && <Alert severity="warning">{t.withData}</Alert>}
        </Stack>
      </Form>
    </Section>
  )
}
