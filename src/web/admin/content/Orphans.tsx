/** Stored files without a reference: their number, the list, and the clean-up, which counts the files before it deletes them. */

import { CleaningServices } from '@mui/icons-material'
import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  List,
  ListItem,
  ListItemText,
  Switch,
  Typography,
} from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import { notify } from '../../browser/notices.ts'
import { bytes, dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'

const words = texts({
  en: {
    counting: 'The server is looking for stored files that nothing uses.',
    none: 'Every stored file is in use.',
    found: (n: number, size: string) =>
      n === 1
        ? `1 stored file (${size}) is used by nothing.`
        : `${number(n)} stored files (${size}) are used by nothing.`,
    what: 'A crash may have left them, or somebody has copied them into the folder of files. The server deletes them once a day.',
    look: 'Show them',
    title: 'Files that nothing uses',
    close: 'Close',
    cleanUp: 'Clean up',
    askTitle: 'Delete the files that nothing uses?',
    ask: (n: number, size: string) =>
      `${n === 1 ? '1 file' : `${number(n)} files`} (${size}) will be deleted from the disk. This cannot be undone.`,
    force:
      'Delete them even if that is most of the stored files. Turn this on only if the server uses the right database.',
    done: (n: number, size: string) => `${n === 1 ? '1 file' : `${number(n)} files`} deleted, ${size} freed`,
    nothing: 'All files are in use.',
  },
  zh: {
    counting: '服务器正在查找未被使用的文件。',
    none: '所有存储的文件都在使用中。',
    found: (n: number, size: string) => `有 ${number(n)} 个存储的文件（${size}）未被使用。`,
    what: '它们可能是异常退出时留下的，或是有人复制到文件目录中的。服务器每天会自动清理一次。',
    look: '查看',
    title: '未被使用的文件',
    close: '关闭',
    cleanUp: '清理',
    askTitle: '删除未被使用的文件？',
    ask: (n: number, size: string) => `将从磁盘删除 ${number(n)} 个文件（${size}）。此操作无法撤销。`,
    force: '即使占存储文件的大部分也删除。仅在确认服务器使用了正确的数据库时开启。',
    done: (n: number, size: string) => `已删除 ${number(n)} 个文件，释放 ${size}`,
    nothing: '没有需要删除的文件。',
  },
})

export function Orphans({ summary }: { summary: { count: number; bytes: number } | null }) {
  const t = useTexts(words)
  const may = useMay()
  if (summary === null) return <Alert severity="info">{t.counting}</Alert>
  if (summary.count === 0) return <Alert severity="success">{t.none}</Alert>
  return (
    <Alert
      severity="warning"
      action={
        may('admin.files.orphaned') && (
          <DialogButton label={t.look} color="inherit" size="small" variant="text">
            {(close) => <OrphanDialog onClose={close} />}
          </DialogButton>
        )
      }
    >
      {t.found(summary.count, bytes(summary.bytes))} {t.what}
    </Alert>
  )
}

function OrphanDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const isPhone = useIsPhone()
  const list = usePages('admin.files.orphaned', undefined, { size: 50 })
  const [isAsking, setAsking] = useState(false)
  const [isForced, setForced] = useState(false)
  const preview = useAction('admin.files.cleanUp', { quiet: true, refreshes: [], onDone: () => setAsking(true) })
  const cleanUp = useAction('admin.files.cleanUp', {
    quiet: true,
    refreshes: ['admin.files'],
    onDone: ({ deleted, bytes: freed }) => {
      notify(t.done(deleted, bytes(freed)), 'success')
      onClose()
    },
  })
  const found = preview.data
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby="orphans-title">
      <DialogTitle id="orphans-title">{t.title}</DialogTitle>
      <DialogContent>
        {preview.error && <ErrorNotice error={preview.error} />}
        {list.error && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {list.items === undefined && list.error === null && <Loading />}
        <List dense>
          {list.items?.map((file) => (
            <ListItem key={file.key} disableGutters>
              <ListItemText
                primary={file.key}
                secondary={`${bytes(file.bytes)} · ${dateTime(file.modifiedAt)}`}
                slotProps={{ primary: { sx: { overflowWrap: 'anywhere' } } }}
              />
            </ListItem>
          ))}
        </List>
        <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t.close}</Button>
        {may('admin.files.cleanUp') && list.total > 0 && (
          <Button
            color="error"
            variant="contained"
            startIcon={<CleaningServices />}
            loading={preview.isPending}
            onClick={() => preview.mutate({ body: { dryRun: true, force: true } })}
          >
            {t.cleanUp}
          </Button>
        )}
      </DialogActions>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.askTitle}
        text={
          <>
            <Typography>
              {found === undefined || found.deleted === 0 ? t.nothing : t.ask(found.deleted, bytes(found.bytes))}
            </Typography>
            {cleanUp.error && (
              <FormControlLabel
                sx={{ mt: 1 }}
                control={<Switch checked={isForced} onChange={(_, checked) => setForced(checked)} />}
                label={t.force}
              />
            )}
          </>
        }
        action={t.cleanUp}
        isBusy={cleanUp.isPending}
        error={cleanUp.error}
        onConfirm={() => cleanUp.mutate({ body: { dryRun: false, force: isForced } })}
        onClose={() => setAsking(false)}
      />
    </Dialog>
  )
}
