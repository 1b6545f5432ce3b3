/** A gate that was ended: why, and which scans of it the server has not got yet. */

import { Alert, Button, Stack, Typography } from '@mui/material'

import { texts, useTexts } from '../../../i18n/words.ts'
import { waitingWords } from '../../../ui/waiting-words.ts'
import { Refused } from './Notices.tsx'
import type { Gate } from './use-gate.ts'

const words = texts({
  en: {
    ask: 'No more passes can be scanned here. Ask the organizer if you should go on.',
    send: 'They are sent as long as this page is open and there is a connection. The server takes them for 48 hours after the end.',
    sent: 'All scans of this device have been sent.',
    leave: 'Remove from this device',
  },
  zh: {
    ask: '此检票口已无法继续检票；如需继续，请联系主办方。',
    send: '请保持此页面打开并联网，记录会自动上传。结束后 48 小时内服务器仍会接收。',
    sent: '本设备的检票记录已全部上传。',
    leave: '从本设备移除',
  },
})

export function EndedGate({ gate, reason, onLeave }: { gate: Gate; reason: string; onLeave: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(waitingWords)
  const { waiting, refused } = gate.state
  return (
    <Stack spacing={2}>
      <Alert severity="error">
        {reason}
        <Typography variant="body2">{t.ask}</Typography>
      </Alert>
      {waiting > 0 && (
        <Alert severity="warning">
          {shared.waiting(waiting)}
          <Typography variant="body2">{t.send}</Typography>
        </Alert>
      )}
      {refused.length > 0 && <Refused gate={gate} />}
      {waiting === 0 && refused.length === 0 && (
        <>
          <Alert severity="success">{t.sent}</Alert>
          <Button variant="outlined" onClick={onLeave} sx={{ alignSelf: 'flex-start' }}>
            {t.leave}
          </Button>
        </>
      )}
    </Stack>
  )
}
