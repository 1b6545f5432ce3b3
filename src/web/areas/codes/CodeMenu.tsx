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
} from '@mui/icons-material'
import { IconButton, ListItemIcon, ListItemText, Menu, MenuItem } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useHasFolders } from './folders.ts'
import { MoveDialog } from './MoveDialog.tsx'
import { codeWords } from './words.ts'

export interface CodeMenuProps {
  code: QrCode
  /** On the code's own page, without the entries that lead there. */
  isDetail?: boolean
  onTrashed?: () => void
}

export function CodeMenu({ code, isDetail = false, onTrashed }: CodeMenuProps) {
  const t = useTexts(codeWords)
  const may = useMay()
  const hasFolders = useHasFolders()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [dialog, setDialog] = useState<'move' | 'trash'>()
  const input = { params: { id: code.id }, query: ownerQuery() }
  const pin = useAction('qrCodes.pin', { done: code.pinned ? t.unpinDone : t.pinDone })
  const publish = useAction('qrCodes.publish', { done: code.isPublic ? t.withdrawn : t.published })
  const trash = useAction('qrCodes.delete', {
    done: t.trashed,
    // Not the code itself, whose page is still shown.
    refreshes: ['qrCodes.list', 'qrCodes.trash', 'qrCodes.stats', 'categories'],
    quiet: true,
    onDone: () => {
      setDialog(undefined)
      onTrashed?.()
    },
  })
  const close = () => setAnchor(null)
  const choose = (action: () => void) => () => {
    close()
    action()
  }
  return (
    <>
      <IconButton
        aria-label={t.actions(code.name)}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <MoreVert />
      </IconButton>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={close}>
        {!isDetail && <Entry icon={<OpenInNew fontSize="small" />} text={t.open} to={`/codes/${code.id}`} />}
        {!isDetail && may('qrCodes.update') && (
          <Entry icon={<Edit fontSize="small" />} text={t.edit} to={`/codes/${code.id}/edit`} />
        )}
        {may('qrCodes.pin') && (
          <MenuItem onClick={choose(() => pin.mutate({ ...input, body: { pinned: !code.pinned } }))}>
            <ListItemIcon>
              <PushPin fontSize="small" />
            </ListItemIcon>
            <ListItemText>{code.pinned ? t.unpin : t.pin}</ListItemText>
          </MenuItem>
        )}
        {hasFolders && may('qrCodes.update') && (
          <MenuItem onClick={choose(() => setDialog('move'))}>
            <ListItemIcon>
              <DriveFileMove fontSize="small" />
            </ListItemIcon>
            <ListItemText>{t.move}</ListItemText>
          </MenuItem>
        )}
        {!isDetail && may('qrCodes.publish') && (
          <MenuItem onClick={choose(() => publish.mutate({ ...input, body: { isPublic: !code.isPublic } }))}>
            <ListItemIcon>{code.isPublic ? <PublicOff fontSize="small" /> : <Public fontSize="small" />}</ListItemIcon>
            <ListItemText>{code.isPublic ? t.withdraw : t.publish}</ListItemText>
          </MenuItem>
        )}
        <Entry icon={<Print fontSize="small" />} text={t.print} to={`/codes/print?ids=${code.id}`} />
        {may('qrCodes.delete') && (
          <MenuItem onClick={choose(() => setDialog('trash'))}>
            <ListItemIcon>
              <Delete fontSize="small" />
            </ListItemIcon>
            <ListItemText>{t.toTrash}</ListItemText>
          </MenuItem>
        )}
      </Menu>
      {dialog === 'move' && <MoveDialog codes={[code]} onClose={() => setDialog(undefined)} />}
      <ConfirmDialog
        isOpen={dialog === 'trash'}
        title={t.trashTitle(code.name)}
        text={t.trashText}
        action={t.toTrash}
        isBusy={trash.isPending}
        error={trash.error}
        onConfirm={() => trash.mutate(input)}
        onClose={() => setDialog(undefined)}
      />
    </>
  )
}

const Entry = ({ icon, text, to, ...item }: { icon: React.ReactNode; text: string; to: string }) => (
  <MenuItem component={Link} to={to} {...item}>
    <ListItemIcon>{icon}</ListItemIcon>
    <ListItemText>{text}</ListItemText>
  </MenuItem>
)
