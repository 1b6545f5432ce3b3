/** A check from outside: a phone opens the address, and this page says how it got there. */

import { CheckCircle, ContentCopy, PhonelinkRing } from '@mui/icons-material'
import { Alert, Box, Button, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import type { ReachCheckVisit, StartedReachCheck } from '../../api/types.ts'
import { clockTime, dateTime, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { useCopy } from '../../ui/copy.ts'
import { ChoiceField } from '../../ui/fields.tsx'
import { Facts } from '../../ui/parts.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'

const words = texts({
  en: {
    address: 'Address to check',
    start: 'Check with a phone',
    again: 'Check again',
    how: 'Scan this code with the camera of a phone. To check from outside, switch its Wi-Fi off first.',
    picture: 'QR code of the check',
    copy: 'Copy link',
    waiting: (time: string) => `Waiting for the phone until ${time} …`,
    seen: 'The phone reached the server.',
    expired:
      'No phone has opened the address. Check whether the phone has a connection, and whether the address leads to this server.',
    at: 'Opened',
    network: 'Network',
    networks: {
      OTHER: 'Another one: the server can be reached from outside',
      SAME: 'That of the server, or unknown: switch Wi-Fi off and check again',
    },
    camera: 'Camera and position',
    allowed: 'Allowed',
    refused: 'Not allowed: they need https',
    browser: 'Browser',
    other: 'Another program',
  },
  zh: {
    address: '要检查的地址',
    start: '用手机检查',
    again: '重新检查',
    how: '请用手机相机扫描此二维码。如需从外部网络检查，请先关闭手机的 Wi-Fi。',
    picture: '检查用二维码',
    copy: '复制链接',
    waiting: (time: string) => `等待手机打开，截止 ${time}……`,
    seen: '手机已连接到服务器。',
    expired: '没有手机打开该地址。请检查手机是否联网，以及该地址是否指向此服务器。',
    at: '打开时间',
    network: '网络',
    networks: {
      OTHER: '其他网络：可以从外部访问服务器',
      SAME: '与服务器相同或未知：请关闭 Wi-Fi 后重新检查',
    },
    camera: '摄像头和定位',
    allowed: '可以使用',
    refused: '不能使用：需要 https',
    browser: '浏览器',
    other: '其他程序',
  },
})

/** Milliseconds between two looks. */
const EVERY = 2000

/** `addresses`: the public one, and others that lead to the server. */
export function OutsideCheck({ addresses }: { addresses: readonly string[] }) {
  const t = useTexts(words)
  const [chosen, setChosen] = useState<string>()
  const [check, setCheck] = useState<StartedReachCheck>()
  const start = useAction('server.checks.start', { onDone: setCheck, quiet: true, refreshes: ['server.checks'] })
  const url = chosen !== undefined && addresses.includes(chosen) ? chosen : addresses[0]
  return (
    <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
      {addresses.length > 1 && (
        <ChoiceField
          label={t.address}
          value={url ?? ''}
          onChange={setChosen}
          choices={addresses.map((id) => ({ id, name: id }))}
        />
      )}
      <Button
        variant="outlined"
        startIcon={<PhonelinkRing />}
        loading={start.isPending}
        loadingPosition="start"
        onClick={() => start.mutate({ body: url === undefined ? {} : { url } })}
      >
        {check === undefined ? t.start : t.again}
      </Button>
      {start.error && <ErrorNotice error={start.error} />}
      {check && <Started key={check.id} check={check} />}
    </Stack>
  )
}

function Started({ check: { id, url, expiresAt } }: { check: StartedReachCheck }) {
  const t = useTexts(words)
  const copy = useCopy()
  const { data, error } = useCall(
    'server.checks.get',
    { params: { id } },
    { every: EVERY, isLast: ({ status }) => status !== 'WAITING' },
  )
  const [visit] = data?.seen ?? []
  if (visit) return <Seen visit={visit} />
  if (data?.status === 'EXPIRED') return <Alert severity="warning">{t.expired}</Alert>
  return (
    <>
      <Typography>{t.how}</Typography>
      <QrPicture content={url} alt={t.picture} width={220} isBright sx={{ borderRadius: 1 }} />
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          {url}
        </Typography>
        <Button size="small" startIcon={<ContentCopy />} onClick={() => copy(url)}>
          {t.copy}
        </Button>
      </Stack>
      {error ? (
        <ErrorNotice error={error} />
      ) : (
        <Typography component="output" color="text.secondary">
          {t.waiting(clockTime(expiresAt))}
        </Typography>
      )}
    </>
  )
}

function Seen({ visit: { at, network, scheme, secureContext, browser } }: { visit: ReachCheckVisit }) {
  const t = useTexts(words)
  return (
    <Box sx={{ width: '100%' }}>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mb: 1.5 }}>
        <CheckCircle color="success" />
        <Typography component="output" sx={{ fontWeight: 600 }}>
          {t.seen}
        </Typography>
      </Stack>
      <Facts
        items={[
          [t.network, t.networks[network]],
          [t.camera, withNote(secureContext ? t.allowed : t.refused, scheme)],
          [t.browser, browser === 'Other' ? t.other : browser],
          [t.at, dateTime(at)],
        ]}
      />
    </Box>
  )
}
