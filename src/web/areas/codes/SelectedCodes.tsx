/** Actions on the selected codes. */

import { Delete, DriveFileMove, Launch, Print, PushPin } from '@mui/icons-material'
import { Button } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { BulkBar } from '../../ui/bulk/BulkBar.tsx'
import { BulkState } from '../../ui/bulk/BulkState.tsx'
import type { Bulk } from '../../ui/bulk/use-bulk.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'
import type { Selection } from '../../ui/table/selection.ts'
import { MoveCodes } from './dialogs.tsx'
import { ExportButton } from './ExportButton.tsx'
import { useHasFolders } from './folders.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    pin: 'Pin',
    unpin: 'Unpin',
    openedMany: (n: number) => (n === 1 ? '1 code opens its link at once.' : `${n} codes open their links at once.`),
    pinned: (n: number) => `${n} pinned.`,
    unpinned: (n: number) => `${n} unpinned.`,
    trash: 'Trash',
    trashAction: (n: number) => `Move ${n === 1 ? 'it' : n} to the trash`,
    trashTitle: (n: number) => `Move ${n === 1 ? 'one code' : `${n} codes`} to the trash?`,
    trashed: (n: number) => `${n} moved to the trash.`,
    move: 'Move',
    total: (n: number) => (n === 1 ? '1 code' : `${n} codes`),
  },
  zh: {
    pin: '置顶',
    unpin: '取消置顶',
    openedMany: (n: number) => `${n} 个二维码将直接打开链接。`,
    pinned: (n: number) => `已置顶 ${n} 个。`,
    unpinned: (n: number) => `已取消置顶 ${n} 个。`,
    trash: '回收站',
    trashAction: (n: number) => `将 ${n} 个移到回收站`,
    trashTitle: (n: number) => `将 ${n} 个二维码移到回收站？`,
    trashed: (n: number) => `已将 ${n} 个移到回收站。`,
    move: '移动',
    total: (n: number) => `共 ${n} 个`,
  },
})

type Done = (n: number) => string

export interface SelectedCodesProps {
  bulk: Bulk
  selection: Selection<QrCode>
  total: number
}

export function SelectedCodes({ bulk, selection, total }: SelectedCodesProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const may = useMay()
  const hasFolders = useHasFolders()
  const ownedPath = useOwnedPath()
  const owned = useOwnerQuery()
  const codes = [...selection.rows.values()]
  const [dialog, setDialog] = useState<'move' | 'trash'>()
  const arePinned = codes.every(({ pinned }) => pinned)
  const isBusy = bulk.progress !== undefined
  const run = async (
    action: (input: { params: { id: number }; query: object }) => Promise<unknown>,
    done: Done,
    some: readonly QrCode[] = codes,
  ) => {
    const one = ({ id }: QrCode) => action({ params: { id }, query: owned })
    selection.set(await bulk.run(some, one, done, ({ name }) => name))
    setDialog(undefined)
  }
  const pin = () =>
    run((input) => call('qrCodes.pin', { ...input, body: { pinned: !arePinned } }), arePinned ? t.unpinned : t.pinned)
  // Those that show the public page first. Their pictures stay as they are.
  const showPage = codes.filter(({ opens }) => opens === 'PAGE')
  const openAtOnce = () =>
    run((input) => call('qrCodes.update', { ...input, body: { opens: 'TARGET' } }), t.openedMany, showPage)
  const trash = () => run((input) => call('qrCodes.delete', input), t.trashed)
  return (
    <>
      <BulkBar bulk={bulk} selection={selection} total={t.total(total)}>
        {may('qrCodes.pin') && (
          <Button startIcon={<PushPin />} disabled={isBusy} onClick={() => void pin()}>
            {arePinned ? t.unpin : t.pin}
          </Button>
        )}
        {showPage.length > 0 && may('qrCodes.update') && (
          <Button startIcon={<Launch />} disabled={isBusy} onClick={() => void openAtOnce()}>
            {shared.openAtOnce}
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
          to={ownedPath(`/codes/print?ids=${codes.map(({ id }) => id).join(',')}`)}
        >
          {shared.print}
        </Button>
        {may('qrCodes.export') && <ExportButton ids={codes.map(({ id }) => id)} />}
        {may('qrCodes.delete') && (
          <Button color="error" startIcon={<Delete />} disabled={isBusy} onClick={() => setDialog('trash')}>
            {t.trash}
          </Button>
        )}
      </BulkBar>
      {dialog === 'move' && <MoveCodes codes={codes} onMoved={selection.set} onClose={() => setDialog(undefined)} />}
      <ConfirmDialog
        isOpen={dialog === 'trash'}
        title={t.trashTitle(codes.length)}
        text={
          <>
            {shared.trashText}
            {isBusy && <BulkState bulk={bulk} />}
          </>
        }
        action={t.trashAction(codes.length)}
        isBusy={isBusy}
        onConfirm={() => void trash()}
        onClose={() => setDialog(undefined)}
      />
    </>
  )
}
