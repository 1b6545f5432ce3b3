/** The link of the screen that shows the check-in code: opened, copied and ended. */

import { ContentCopy, LinkOff, Tv } from '@mui/icons-material'
import { Button, Stack, TextField, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { callWith } from '../../api/client.ts'
import type { Activity, DataOf } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { useCopy } from '../../ui/copy.ts'
import { NoticeDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    title: 'Screen at the entrance',
    text: 'Open this page on a screen, a tablet or a projector. It needs no sign-in, and shows the check-in code, the time and how many have checked in.',
    rotates: (seconds: number) => `The code changes every ${seconds} seconds.`,
    secret: 'Anyone who has the link can open the page from anywhere. Give it only to helpers whom you trust.',
    link: 'Link',
    open: 'Open the screen',
    copy: 'Copy link',
    end: 'End the link',
    endTitle: 'End this link?',
    endText: 'Screens with this link show no code any longer. You can make a new link at any time.',
    ended: 'The link has ended.',
  },
  zh: {
    title: '入口屏幕',
    text: '在屏幕、平板或投影上打开此页面，无需登录。页面显示签到码、时间和已签到人数。',
    rotates: (seconds: number) => `签到码每 ${seconds} 秒更换一次。`,
    secret: '任何持有此链接的人都可以在任何地方打开页面，请只交给信任的工作人员。',
    link: '链接',
    open: '打开屏幕页面',
    copy: '复制链接',
    end: '停用链接',
    endTitle: '停用此链接？',
    endText: '使用此链接的屏幕将不再显示签到码。你可以随时生成新链接。',
    ended: '链接已停用。',
  },
})

export function KioskDialog({ activity, onClose }: { activity: Activity; onClose: () => void }) {
  const t = useTexts(words)
  const copy = useCopy()
  const [isEnding, setEnding] = useState(false)
  const { rotatingSeconds } = activity.checkInConfig
  const params = { id: activity.id }
  const query = useQuery({
    queryKey: ['kiosk', activity.id],
    queryFn: ({ signal }) =>
      callWith('activities.openKiosk', { params }, { signal }) as Promise<DataOf<'activities.openKiosk'>>,
    // The link may have been ended since it was read.
    gcTime: 0,
  })
  return (
    <NoticeDialog title={t.title} onClose={onClose} maxWidth="sm">
      <Typography>
        {t.text} {rotatingSeconds !== null && t.rotates(rotatingSeconds)}
      </Typography>
      <Answer query={query}>
        {({ url }) => (
          <>
            <TextField label={t.link} value={url} slotProps={{ htmlInput: { readOnly: true } }} />
            <Typography variant="body2" color="text.secondary">
              {t.secret}
            </Typography>
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
              <Button variant="contained" startIcon={<Tv />} href={url} target="_blank" rel="noreferrer">
                {t.open}
              </Button>
              <Button variant="outlined" startIcon={<ContentCopy />} onClick={() => copy(url)}>
                {t.copy}
              </Button>
              <Button color="error" startIcon={<LinkOff />} onClick={() => setEnding(true)}>
                {t.end}
              </Button>
            </Stack>
          </>
        )}
      </Answer>
      {isEnding && (
        <ActionDialog
          operation="activities.endKiosk"
          input={{ params }}
          title={t.endTitle}
          text={t.endText}
          action={t.end}
          done={t.ended}
          onDone={onClose}
          onClose={() => setEnding(false)}
        />
      )}
    </NoticeDialog>
  )
}
