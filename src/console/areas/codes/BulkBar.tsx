/** Actions on the selected codes. */

import { Close, Delete, DriveFileMove, Print, PushPin } from '@mui/icons-material'
import { Button, IconButton, LinearProgress, Paper, Stack, Tooltip, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { ExportButton } from './ExportButton.tsx'
import { useHasFolders } from './folders.ts'
import { MoveDialog } from './MoveDialog.tsx'
import { useBulk } from './use-bulk.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    selected: (n: number) => `${n} selected`,
    actions: 'Actions for the selected codes',
    clear: 'Clear the selection',
    pin: 'Pin',
    unpin: 'Unpin',
    pinned: (n: number) => `${n} pinned.`,
    unpinned: (n: number) => `${n} unpinned.`,
    trash: 'Trash',
    trashAction: (n: number) => `Move ${n === 1 ? 'it' : n} to the trash`,
    trashTitle: (n: number) => `Move ${n === 1 ? 'one code' : `${n} codes`} to the trash?`,
    trashed: (n: number) => `${n} moved to the trash.`,
    move: 'Move',
    progress: 'Progress',
  },
  zh: {
    selected: (n: number) => `已选 ${n} 个`,
    actions: '对所选二维码的操作',
    clear: '取消选择',
    pin: '置顶',
    unpin: '取消置顶',
    pinned: (n: number) => `已置顶 ${n} 个。`,
    unpinned: (n: number) => `已取消置顶 ${n} 个。`,
    trash: '回收站',
    trashAction: (n: number) => `将 ${n} 个移到回收站`,
    trashTitle: (n: number) => `将 ${n} 个二维码移到回收站？`,
    trashed: (n: number) => `已将 ${n} 个移到回收站。`,
    move: '移动',
    progress: '进度',
  },
})

export function BulkBar({
  codes,
  onDone,
  children,
}: {
  codes: readonly QrCode[]
  /** The selection is no longer needed. */
  onDone: () => void
  /** At the left: the box that selects all. */
  children: ReactNode
}) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const may = useMay()
  const hasFolders = useHasFolders()
  const bulk = useBulk()
  const [dialog, setDialog] = useState<'move' | 'trash'>()
  const arePinned = codes.every(({ pinned }) => pinned)
  const isBusy = bulk.progress !== undefined
  const pin = () =>
    void bulk
      .run(
        codes,
        ({ id }) => call('qrCodes.pin', { params: { id }, query: ownerQuery(), body: { pinned: !arePinned } }),
        arePinned ? t.unpinned : t.pinned,
      )
      .then(onDone)
  const trash = async () => {
    await bulk.run(codes, ({ id }) => call('qrCodes.delete', { params: { id }, query: ownerQuery() }), t.trashed)
    setDialog(undefined)
    onDone()
  }
  return (
    <Paper
      variant="outlined"
      role="toolbar"
      aria-label={t.actions}
      sx={{ position: 'sticky', top: { xs: 60, sm: 52 }, zIndex: 2, mb: 1, px: { xs: 0.5, sm: 1 }, py: 0.5 }}
    >
      <Stack direction="row" spacing={0.5} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        {children}
        <Typography component="output" sx={{ fontWeight: 600, flex: 1, whiteSpace: 'nowrap' }}>
          {t.selected(codes.length)}
        </Typography>
        {may('qrCodes.pin') && (
          <Button startIcon={<PushPin />} disabled={isBusy} onClick={pin}>
            {arePinned ? t.unpin : t.pin}
          </Button>
        )}
        {hasFolders && may('qrCodes.update') && (
          <Button startIcon={<DriveFileMove />} disabled={isBusy} onClick={() => setDialog('move')}>
            {t.move}
          </Button>
        )}
        <Button
          startIcon={<Print />}
          disabled={isBusy}
          component={Link}
          to={`/codes/print?ids=${codes.map(({ id }) => id).join(',')}`}
        >
          {shared.print}
        </Button>
        {may('qrCodes.export') && <ExportButton ids={codes.map(({ id }) => id)} />}
        {may('qrCodes.delete') && (
          <Button color="error" startIcon={<Delete />} disabled={isBusy} onClick={() => setDialog('trash')}>
            {t.trash}
          </Button>
        )}
        <Tooltip title={t.clear}>
          <IconButton aria-label={t.clear} onClick={onDone}>
            <Close />
          </IconButton>
        </Tooltip>
      </Stack>
      {bulk.progress !== undefined && (
        <LinearProgress variant="determinate" value={bulk.progress * 100} aria-label={t.progress} />
      )}
      {dialog === 'move' && (
        <MoveDialog
          codes={codes}
          onClose={(isDone) => {
            setDialog(undefined)
            if (isDone) onDone()
          }}
        />
      )}
      <ConfirmDialog
        isOpen={dialog === 'trash'}
        title={t.trashTitle(codes.length)}
        text={shared.trashText}
        action={t.trashAction(codes.length)}
        isBusy={isBusy}
        onConfirm={() => void trash()}
        onClose={() => setDialog(undefined)}
      />
    </Paper>
  )
}
