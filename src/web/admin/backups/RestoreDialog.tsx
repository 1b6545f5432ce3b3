/** Shows the difference that the restore of a backup would make, and starts it. */

import { SettingsBackupRestore } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Checkbox,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
} from '@mui/material'
import { useId, useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { RestorePreview } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { bytes, dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { Facts } from '../../ui/parts.tsx'
import { Replacing } from './Replacing.tsx'

const words = texts({
  en: {
    restore: 'Restore…',
    restoreOf: (name: string) => `Restore ${name}`,
    title: 'Restore this backup?',
    madeAt: 'Made at',
    version: 'By version',
    host: 'On the machine',
    address: 'Address at that time',
    newest: 'Newest change',
    newestText: (here: string, backup: string) => `here ${here}, in the backup ${backup}`,
    administrators: 'Administrators in it',
    space: 'Space',
    spaceText: (needed: string, free: string) => `${needed} needed, ${free} free`,
    older: 'The backup is of an older version. Its database is updated when the server starts with it.',
    what: 'What',
    here: 'Here',
    backup: 'In the backup',
    rows: {
      users: 'Users',
      organizations: 'Organizations',
      qr_codes: 'QR codes',
      assets: 'Assets',
      activities: 'Activities',
      messages: 'Messages',
      files: 'Uploaded files',
    },
    keep: 'Sessions of the backup go on',
    next: 'Continue',
    sureTitle: 'Replace all data now?',
    sure: 'The server stops, replaces all users, data and files by those of the backup, and starts again by itself. Everything since then is missing afterwards. You can undo the restore as long as you do not delete the replaced data.',
    action: 'Replace all data',
  },
  zh: {
    restore: '恢复…',
    restoreOf: (name: string) => `恢复 ${name}`,
    title: '恢复此备份？',
    madeAt: '创建时间',
    version: '版本',
    host: '原机器',
    address: '当时的地址',
    newest: '最新更改',
    newestText: (here: string, backup: string) => `此处 ${here}，备份中 ${backup}`,
    administrators: '其中的管理员',
    space: '空间',
    spaceText: (needed: string, free: string) => `需要 ${needed}，可用 ${free}`,
    older: '备份来自旧版本，服务器启动时会更新其数据库。',
    what: '内容',
    here: '此处',
    backup: '备份中',
    rows: {
      users: '用户',
      organizations: '组织',
      qr_codes: '二维码',
      assets: '资产',
      activities: '活动',
      messages: '消息',
      files: '上传的文件',
    },
    keep: '保留备份中的登录会话',
    next: '继续',
    sureTitle: '现在替换所有数据？',
    sure: '服务器将停止，用备份替换所有用户、数据和文件，然后自动重新启动。备份之后的所有更改都将丢失。在删除被替换的数据之前可以撤销恢复。',
    action: '替换所有数据',
  },
})

export function RestoreButton({ name }: { name: string }) {
  const t = useTexts(words)
  const may = useMay()
  const [step, setStep] = useState<'closed' | 'preview' | 'sure' | 'restarting'>('closed')
  const [keepSessions, setKeepSessions] = useState(false)
  if (!may('restores.start')) return null
  const close = () => setStep('closed')
  return (
    <>
      <Button startIcon={<SettingsBackupRestore />} aria-label={t.restoreOf(name)} onClick={() => setStep('preview')}>
        {t.restore}
      </Button>
      {step === 'preview' && (
        <PreviewDialog
          name={name}
          keepSessions={keepSessions}
          onKeepSessions={setKeepSessions}
          onNext={() => setStep('sure')}
          onClose={close}
        />
      )}
      {step === 'sure' && (
        <ActionDialog
          operation="restores.start"
          input={{ params: { name }, body: { confirm: name, keepSessions, keepServerValues: true } }}
          title={t.sureTitle}
          text={t.sure}
          action={t.action}
          typed={name}
          refreshes={[]}
          onDone={() => setStep('restarting')}
          onClose={() => setStep((now) => (now === 'sure' ? 'closed' : now))}
        />
      )}
      {step === 'restarting' && <Replacing />}
    </>
  )
}

interface PreviewProps {
  name: string
  keepSessions: boolean
  onKeepSessions: (keep: boolean) => void
  onNext: () => void
  onClose: () => void
}

function PreviewDialog({ name, keepSessions, onKeepSessions, onNext, onClose }: PreviewProps) {
  const t = useTexts(words)
  const w = useTexts(common)
  const id = useId()
  const query = useCall('restores.preview', { params: { name } })
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby={id}>
      <DialogTitle id={id}>{t.title}</DialogTitle>
      <DialogContent>
        <Answer query={query}>{(preview) => <Shown preview={preview} />}</Answer>
        {query.data?.refusals.length === 0 && (
          <FormControlLabel
            control={<Checkbox checked={keepSessions} onChange={(_, checked) => onKeepSessions(checked)} />}
            label={t.keep}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{w.cancel}</Button>
        <Button variant="contained" disabled={query.data?.refusals.length !== 0} onClick={onNext}>
          {t.next}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Shown({ preview }: { preview: RestorePreview }) {
  const t = useTexts(words)
  const { madeAt, version, host, publicUrl, newestChange, administrators, spaceNeeded, spaceFree, refusals } = preview
  return (
    <>
      {refusals.map(({ code, sentence }) => (
        <Alert key={code} severity="error" sx={{ mb: 1 }}>
          {sentence}
        </Alert>
      ))}
      {preview.schema === 'OLDER' && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {t.older}
        </Alert>
      )}
      <Facts
        items={[
          [t.madeAt, dateTime(madeAt)],
          [t.version, version],
          [t.host, host],
          [t.address, publicUrl],
          [t.newest, t.newestText(dateTime(newestChange.here) || '–', dateTime(newestChange.backup) || '–')],
          [t.administrators, administrators.join(', ')],
          [t.space, t.spaceText(bytes(spaceNeeded), bytes(spaceFree))],
        ]}
      />
      <Box sx={{ overflowX: 'auto', mt: 2 }}>
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>{t.what}</TableCell>
              <TableCell align="right">{t.here}</TableCell>
              <TableCell align="right">{t.backup}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {preview.rows.map(({ what, here, backup }) => (
              <TableRow key={what}>
                <TableCell>{t.rows[what]}</TableCell>
                <TableCell align="right">{number(here)}</TableCell>
                <TableCell align="right">{number(backup)}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Box>
    </>
  )
}
