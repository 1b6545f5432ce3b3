/** Messages at the bottom of the page, one after the other. On phones they stay above the navigation. */

import { Alert, Button, Snackbar } from '@mui/material'
import { useSyncExternalStore } from 'react'
import { Link } from 'react-router'

import { currentNotice, endNotice, type Notice, onNotices } from '../browser/notices.ts'

/** Milliseconds. Somebody must be able to read what went wrong. */
const SHOWN = { info: 5_000, success: 5_000, warning: 10_000, error: 10_000 }

export function Notices() {
  const notice = useSyncExternalStore(onNotices, currentNotice)
  return notice && <Shown key={notice.id} notice={notice} />
}

function Shown({ notice: { id, text, kind, link } }: { notice: Notice }) {
  const end = () => endNotice(id)
  return (
    <Snackbar
      open
      autoHideDuration={SHOWN[kind]}
      // A click elsewhere belongs to the page; Escape closes the message.
      onClose={(_, reason) => reason !== 'clickaway' && end()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
      sx={{ bottom: { xs: 'calc(72px + env(safe-area-inset-bottom))', sm: 24 }, displayPrint: 'none' }}
    >
      <Alert
        severity={kind}
        variant="filled"
        // An error interrupts a screen reader; the others wait until it has finished its sentence.
        role={kind === 'error' ? 'alert' : 'status'}
        {...(link && {
          action: (
            <Button component={Link} to={link.to} onClick={end} color="inherit" size="small">
              {link.label}
            </Button>
          ),
        })}
        sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
      >
        {text}
      </Alert>
    </Snackbar>
  )
}
