/** The QR codes of an activity: to show on the whole screen, and their pages, which can be printed as posters. */

import { ContentCopy, Fullscreen, Print, Tv } from '@mui/icons-material'
import { Button, Card, CardContent, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Activity, ActivityQrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { CodeScreen } from '../../ui/CodeScreen.tsx'
import { useCopy } from '../../ui/copy.ts'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { KioskDialog } from './Kiosk.tsx'
import type { OwnProps } from './RegisterSelf.tsx'
import { useRights } from './rights.ts'

const words = texts({
  en: {
    title: 'Codes',
    kind: { ACTIVITY: 'Activity', CHECK_IN: 'Check-in', PASS: 'Your pass' },
    help: {
      ACTIVITY: 'Leads to the activity.',
      CHECK_IN: 'For the entrance: visitors scan it to check in.',
      PASS: 'Show it at the gate.',
    },
    rotates: 'It changes all the time: show it on a screen at the entrance.',
    screen: 'Screen',
    show: (kind: string) => `Full screen: ${kind}`,
    copy: (kind: string) => `Copy link: ${kind}`,
    print: (kind: string) => `Open the page to print: ${kind}`,
  },
  zh: {
    title: '二维码',
    kind: { ACTIVITY: '活动', CHECK_IN: '签到', PASS: '我的通行证' },
    help: { ACTIVITY: '打开活动页面。', CHECK_IN: '放在入口处，参加者扫码签到。', PASS: '入场时出示。' },
    rotates: '签到码定时更换，请在入口的屏幕上显示。',
    screen: '屏幕',
    show: (kind: string) => `全屏显示：${kind}`,
    copy: (kind: string) => `复制链接：${kind}`,
    print: (kind: string) => `打开可打印的页面：${kind}`,
  },
})

export function ActivityCodes({ activity, code }: OwnProps) {
  const t = useTexts(words)
  const [search, setSearch] = useSearchParams()
  const [isScreen, setScreen] = useState(false)
  const [chosen, setChosen] = useState<ActivityQrCode>()
  const { data } = useCall('activities.qrCodes', {
    params: { id: activity.id },
    query: { ...(code && { code }) },
  })
  // The start page links to the pass, the next step of an organizer to the code for check-in.
  const linked = { pass: 'PASS', 'check-in': 'CHECK_IN' }[search.get('show') ?? '']
  const shown = chosen ?? data?.find(({ type }) => type === linked)
  const close = () => {
    setChosen(undefined)
    setScreen(false)
    if (search.has('show')) setSearch({}, { replace: true })
  }
  // The server answers organizers who look at the page of visitors with the codes of organizers.
  const isForAll = activity.visibility !== 'INVITE_ONLY'
  const codes =
    data?.filter(({ type }) => activity.stats !== null || type === 'PASS' || (type === 'ACTIVITY' && isForAll)) ?? []
  if (codes.length === 0 || activity.status === 'DRAFT') return null
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" sx={{ mb: 1.5 }}>
          {t.title}
        </Typography>
        <AddressWarning sx={{ mb: 1.5 }} />
        <Stack component="ul" spacing={1.5} sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {codes.map((one) => (
            <CodeRow
              key={one.content}
              activity={activity}
              one={one}
              onShow={setChosen}
              onScreen={() => setScreen(true)}
            />
          ))}
        </Stack>
      </CardContent>
      {isScreen || (shown?.type === 'CHECK_IN' && rotates(activity)) ? (
        <KioskDialog activity={activity} onClose={close} />
      ) : (
        shown && <CodeScreen content={shown.content} alt={shown.title} title={shown.title} onClose={close} />
      )}
    </Card>
  )
}

const rotates = ({ checkInConfig }: Activity): boolean => checkInConfig.rotatingSeconds !== null

interface CodeRowProps {
  activity: Activity
  one: ActivityQrCode
  onShow: (one: ActivityQrCode) => void
  onScreen: () => void
}

function CodeRow({ activity, one, onShow, onScreen }: CodeRowProps) {
  const t = useTexts(words)
  const copy = useCopy()
  const can = useRights(activity)
  const kind = t.kind[one.type]
  const isCheckIn = one.type === 'CHECK_IN'
  // The code of a poster does not suffice.
  const isOnScreenOnly = isCheckIn && rotates(activity)
  return (
    <Stack component="li" direction="row" spacing={1.5} sx={{ alignItems: 'center' }}>
      {isOnScreenOnly ? (
        <Tv sx={{ width: 72, height: 72, p: 1.5 }} />
      ) : (
        <QrPicture content={one.content} alt="" width={72} />
      )}
      <div>
        <Typography sx={{ fontWeight: 600 }}>{kind}</Typography>
        <Typography variant="body2" color="text.secondary">
          {isOnScreenOnly ? t.rotates : t.help[one.type]}
        </Typography>
        <Stack direction="row" sx={{ ml: -1 }}>
          {!isOnScreenOnly && (
            <>
              <Tooltip title={t.show(kind)}>
                <IconButton aria-label={t.show(kind)} onClick={() => onShow(one)}>
                  <Fullscreen />
                </IconButton>
              </Tooltip>
              <Tooltip title={t.print(kind)}>
                <IconButton
                  component="a"
                  href={one.publicUrl}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={t.print(kind)}
                >
                  <Print />
                </IconButton>
              </Tooltip>
              <Tooltip title={t.copy(kind)}>
                <IconButton aria-label={t.copy(kind)} onClick={() => copy(one.publicUrl)}>
                  <ContentCopy fontSize="small" />
                </IconButton>
              </Tooltip>
            </>
          )}
          {isCheckIn && activity.status === 'ACTIVE' && can('activities.openKiosk') && (
            <Button startIcon={<Tv />} onClick={onScreen}>
              {t.screen}
            </Button>
          )}
        </Stack>
      </div>
    </Stack>
  )
}
