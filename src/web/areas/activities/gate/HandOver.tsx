/** The code of a gate, to be scanned from the screen or from paper by the helper who is to scan passes. */

import { ContentCopy, Fullscreen, Print } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import type { Activity, Gate } from '../../../api/types.ts'
import { timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { AddressWarning, usePrinting } from '../../../ui/AddressWarning.tsx'
import { CodeScreen } from '../../../ui/CodeScreen.tsx'
import { useCopy } from '../../../ui/copy.ts'
import { NoticeDialog } from '../../../ui/dialogs.tsx'
import { OnPaper } from '../../../ui/print/OnPaper.tsx'
import { QrPicture } from '../../../ui/QrPicture.tsx'
import { activityWords } from '../words.ts'
import { gateWords } from './gate-words.ts'

const words = texts({
  en: {
    title: (name: string) => `Hand over “${name}”`,
    text: 'Let the helper scan this code with the camera of their phone. No account and no app are needed.',
    secret: 'Anyone who has the code or the link can scan passes until then. Do not put it up where visitors see it.',
    show: 'Full screen',
    print: 'Print',
    until: (time: string) => `Open until ${time}`,
    devices: (n: number) => (n === 1 ? 'For 1 device' : `For ${n} devices`),
  },
  zh: {
    title: (name: string) => `交出“${name}”`,
    text: '让工作人员用手机相机扫描此二维码，无需账号，也无需安装应用。',
    secret: '在此之前，持有二维码或链接的人都能检票，请勿张贴在来宾能看到的地方。',
    show: '全屏显示',
    print: '打印',
    until: (time: string) => `开放至 ${time}`,
    devices: (n: number) => `限 ${n} 台设备`,
  },
})

interface HandOverProps {
  activity: Activity
  gate: Gate
  onClose: () => void
}

export default function HandOver({ activity, gate, onClose }: HandOverProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const may = useTexts(gateWords)
  const copy = useCopy()
  const { ask, question } = usePrinting()
  const [isFull, setFull] = useState(false)
  const { url, qrContent, name } = gate
  if (url === null || qrContent === null) return null
  const rights = [
    may.directions[gate.direction],
    gate.showNames ? may.showNames : may.noNames,
    gate.canSearch && may.canSearch,
    gate.canUndo && may.canUndo,
    t.devices(gate.maxDevices),
  ].filter((text): text is string => typeof text === 'string')
  const until = t.until(timeIn(gate.endsAt, activity.timeZone))
  return (
    <NoticeDialog title={t.title(name)} onClose={onClose} maxWidth="sm">
      <Typography>{t.text}</Typography>
      <AddressWarning />
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ alignItems: { xs: 'center', sm: 'start' } }}>
        <QrPicture content={qrContent} alt={t.title(name)} width={220} />
        <div>
          <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
            {rights.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </Box>
          <Typography sx={{ mt: 1, fontWeight: 600 }}>{until}</Typography>
        </div>
      </Stack>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <Button variant="contained" startIcon={<Fullscreen />} onClick={() => setFull(true)}>
          {t.show}
        </Button>
        <Button variant="outlined" startIcon={<Print />} onClick={() => ask(() => globalThis.print(), [qrContent])}>
          {t.print}
        </Button>
        <Button variant="outlined" startIcon={<ContentCopy />} onClick={() => copy(url)}>
          {shared.copy}
        </Button>
      </Stack>
      <Typography variant="body2" color="text.secondary">
        {t.secret}
      </Typography>
      {question}
      {isFull && (
        <CodeScreen
          content={qrContent}
          alt={t.title(name)}
          title={`${activity.name} · ${name}`}
          text={until}
          onClose={() => setFull(false)}
        />
      )}
      <OnPaper paper="A4">
        <Stack spacing={3} sx={{ width: '210mm', height: '297mm', p: '20mm', alignItems: 'center', color: '#000' }}>
          <Typography sx={{ fontSize: '8mm', fontWeight: 700, textAlign: 'center' }}>{activity.name}</Typography>
          <Typography sx={{ fontSize: '12mm', fontWeight: 700, textAlign: 'center', lineHeight: 1.2 }}>
            {name}
          </Typography>
          <QrPicture content={qrContent} alt="" width="110mm" />
          <Typography sx={{ fontSize: '6mm', textAlign: 'center' }}>{rights.join(' · ')}</Typography>
          <Typography sx={{ fontSize: '6mm', fontWeight: 600 }}>{until}</Typography>
          <Typography sx={{ fontSize: '4.5mm', textAlign: 'center' }}>{t.text}</Typography>
        </Stack>
      </OnPaper>
    </NoticeDialog>
  )
}
