/** The menu of one code, in its row and on its page. */

import {
  Delete,
  DriveFileMove,
  Edit,
  MoreVert,
  OpenInNew,
  Print,
  Public,
  PublicOff,
  PushPin,
  SwapHoriz,
} from '@mui/icons-material'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'
import { ChangeTarget, MoveCodes } from './dialogs.tsx'
import { useHasFolders } from './folders.ts'
import { codeWords } from './words.ts'

type Dialog = 'move' | 'trash' | 'target'

export interface CodeMenuProps {
  code: QrCode
  /** On the code's own page, without the entries that lead there. */
  isDetail?: boolean
  onTrashed?: () => void
}

export function CodeMenu({ code, isDetail = false, onTrashed }: CodeMenuProps) {
  const t = useTexts(codeWords)
  const may = useMay()
  const owned = useOwnerQuery()
  const [dialog, setDialog] = useState<Dialog>()
  const place = useRef<HTMLSpanElement>(null)
  useRowKey(place, 'e', may('qrCodes.update'), () => setDialog('target'))
  return (
    <>
      <span ref={place}>
        <IconMenu label={t.actions(code.name)} icon={<MoreVert />}>
          <Entries code={code} isDetail={isDetail} onDialog={setDialog} />
        </IconMenu>
      </span>
      {dialog === 'target' && <ChangeTarget code={code} onClose={() => setDialog(undefined)} />}
      {dialog === 'move' && <MoveCodes codes={[code]} onClose={() => setDialog(undefined)} />}
      {dialog === 'trash' && (
        <ActionDialog
          operation="qrCodes.delete"
          input={{ params: { id: code.id }, query: owned }}
          title={t.trashTitle(code.name)}
          text={t.trashText}
          action={t.toTrash}
          // Not the code itself, whose page is still shown.
          refreshes={['qrCodes.list', 'qrCodes.trash', 'qrCodes.stats', 'categories']}
          done={t.trashed}
          onDone={() => onTrashed?.()}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

interface EntriesProps {
  code: QrCode
  isDetail: boolean
  onDialog: (dialog: Dialog) => void
}

function Entries({ code, isDetail, onDialog }: EntriesProps) {
  const t = useTexts(codeWords)
  const may = useMay()
  const hasFolders = useHasFolders()
  const ownedPath = useOwnedPath()
  const input = { params: { id: code.id }, query: useOwnerQuery() }
  const pin = useAction('qrCodes.pin', { done: code.pinned ? t.unpinDone : t.pinDone })
  const publish = useAction('qrCodes.publish', { done: code.isPublic ? t.withdrawn : t.published })
  return (
    <>
      {!isDetail && <MenuEntry icon={<OpenInNew />} text={t.open} to={`/codes/${code.id}`} />}
      {!isDetail && may('qrCodes.update') && <MenuEntry icon={<Edit />} text={t.edit} to={`/codes/${code.id}/edit`} />}
      {may('qrCodes.update') && (
        <MenuEntry icon={<SwapHoriz />} text={t.changeTarget} onClick={() => onDialog('target')} />
      )}
      {may('qrCodes.pin') && (
        <MenuEntry
          icon={<PushPin />}
          text={code.pinned ? t.unpin : t.pin}
          onClick={() => pin.mutate({ ...input, body: { pinned: !code.pinned } })}
        />
      )}
      {hasFolders && may('qrCodes.update') && (
        <MenuEntry icon={<DriveFileMove />} text={t.move} onClick={() => onDialog('move')} />
      )}
      {!isDetail && may('qrCodes.publish') && (
        <MenuEntry
          icon={code.isPublic ? <PublicOff /> : <Public />}
          text={code.isPublic ? t.withdraw : t.publish}
          onClick={() => publish.mutate({ ...input, body: { isPublic: !code.isPublic } })}
        />
      )}
      <MenuEntry icon={<Print />} text={t.print} to={ownedPath(`/codes/print?ids=${code.id}`)} />
      {may('qrCodes.delete') && <MenuEntry icon={<Delete />} text={t.toTrash} onClick={() => onDialog('trash')} />}
    </>
  )
}

/** Calls `action` when the key is pressed while the focus is in the row of a list or table that contains `place`. */
function useRowKey(place: RefObject<HTMLElement | null>, key: string, isEnabled: boolean, action: () => void): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return
    // Otherwise it would be typed in the field of the dialog.
    event.preventDefault()
    action()
  })
  useEffect(() => {
    const row = place.current?.closest<HTMLElement>('li, tr')
    if (!row || !isEnabled) return
    row.addEventListener('keydown', pressed)
    return () => row.removeEventListener('keydown', pressed)
  }, [place, isEnabled])
}
