/** How often a code was scanned, by day, hour and kind of visitor, and the user's own scans of it. */

import { FileDownload } from '@mui/icons-material'
import { Card, CardContent, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall, useDownload } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime, number, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { MenuButton, MenuEntry } from '../../ui/MenuButton.tsx'
import { DayChart, PeriodField } from './DayChart.tsx'
import { ScanDetails } from './ScanDetails.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Scans',
    byDay: 'Scans a day',
    counted: 'Visits to the public page, and scans with this app',
    fixed: 'Phones that read the content directly are not counted. Make the code dynamic to count every scan.',
    isPrivate: 'The code is not public, so nobody else can open it. Make it public to count scans.',
    none: 'Nobody has scanned this code yet.',
    xlsx: 'Excel table',
    csv: 'CSV table',
    mine: 'Your last scans',
  },
  zh: {
    ...common.zh,
    title: '扫描',
    byDay: '每日扫码次数',
    counted: '公开页面的打开次数，以及用本应用的扫码次数',
    fixed: '手机直接读取内容时不会计数。改为活码即可统计每次扫描。',
    isPrivate: '此二维码未公开，其他人无法打开。公开后才会统计扫码。',
    none: '还没有人扫描此二维码。',
    xlsx: 'Excel 表格',
    csv: 'CSV 表格',
    mine: '你最近的扫描',
  },
})

/** Own scans that are shown. */
const SHOWN = 5
/** The longest text that the server searches for. */
const LONGEST_SEARCH = 100

export function CodeScans({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const may = useMay()
  const source = useEnum('scanSource')
  const owned = useOwnerQuery()
  // The interface has no filter by code, but each scan of the code contains its content or its link.
  const keyword = code.pictureContent.slice(0, LONGEST_SEARCH)
  const { data } = useCall(
    'scanRecords.list',
    { query: { keyword, size: 50 } },
    { enabled: may('scanRecords.list') && !/[\r\n]/.test(keyword) },
  )
  const [days, setDays] = useState(30)
  const query = { ...owned, days, tz: timeZone() }
  const stats = useCall(
    'qrCodes.scanStats',
    { params: { id: code.id }, query },
    { enabled: may('qrCodes.scanStats'), keepPrevious: true },
  ).data
  const isEmpty = stats !== undefined && stats.total + stats.robots + stats.earlierScans === 0
  const mine = data?.items.filter(({ qrCodeId }) => qrCodeId === code.id).slice(0, SHOWN) ?? []
  return (
    <Card>
      <CardContent component={Stack} spacing={1}>
        <Typography variant="h2">{t.title}</Typography>
        <Typography
          component="p"
          sx={{ fontSize: '2rem', fontWeight: 650, lineHeight: 1.2, fontVariantNumeric: 'tabular-nums' }}
        >
          {number(code.scanCount)}
        </Typography>
        <Typography variant="body2" color="text.secondary">
          {t.counted}
        </Typography>
        {!code.isDynamic && (
          <Typography variant="body2" color="text.secondary">
            {t.fixed}
          </Typography>
        )}
        {!code.isPublic && (
          <Typography variant="body2" color="text.secondary">
            {t.isPrivate}
          </Typography>
        )}
        {isEmpty && code.isPublic && (
          <Typography variant="body2" color="text.secondary">
            {t.none}
          </Typography>
        )}
        {stats !== undefined && !isEmpty && (
          <>
            <Stack direction="row" spacing={1} sx={{ pt: 1, flexWrap: 'wrap', alignItems: 'center' }}>
              <PeriodField value={days} onChange={setDays} />
              <ScansExport id={code.id} query={query} />
            </Stack>
            <DayChart label={t.byDay} days={stats.byDay} />
            <ScanDetails stats={stats} />
          </>
        )}
        {mine.length > 0 && (
          <>
            <Typography variant="h3" sx={{ pt: 1 }}>
              {t.mine}
            </Typography>
            {mine.map((scan) => (
              <Typography key={scan.id} variant="body2">
                {dateTime(scan.scannedAt)} · {source(scan.source)}
              </Typography>
            ))}
          </>
        )}
      </CardContent>
    </Card>
  )
}

function ScansExport({ id, query }: { id: number; query: { days: number; tz: string } }) {
  const t = useTexts(words)
  const file = useDownload()
  const start = (format: 'csv' | 'xlsx') =>
    file.mutate(['qrCodes.scanStats', { params: { id }, query: { ...query, format } }, `scans.${format}`])
  return (
    <MenuButton label={t.export} icon={<FileDownload />} loading={file.isPending} loadingPosition="start">
      <MenuEntry text={t.xlsx} onClick={() => start('xlsx')} />
      <MenuEntry text={t.csv} onClick={() => start('csv')} />
    </MenuButton>
  )
}
