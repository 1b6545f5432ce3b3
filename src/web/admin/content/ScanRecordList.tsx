/** Scan records of all users. */

import { QrCodeScanner } from '@mui/icons-material'
import { NumberInput } from 'react-admin'

import type { AdminScanRecord } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { Facts } from '../../ui/parts.tsx'
import { UserFilter } from '../../ui/pickers.tsx'
import { ownerName, Person, position, searchFilter, timeFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Scan records',
    none: 'No scans yet',
    noneText: 'Codes that users scan, in the app or in the browser, are listed here.',
    position: 'Position',
  },
  zh: {
    title: '扫码记录',
    none: '还没有扫码记录',
    noneText: '用户在应用或网页版中扫码后会显示在这里。',
    position: '经纬度',
  },
})

export default function ScanRecordList() {
  const t = useTexts(words)
  const f = useLabels()
  const typeOf = useEnum('contentType')
  const sourceOf = useEnum('scanSource')
  const name = (row: AdminScanRecord) => row.title || row.content
  return (
    <DetailTable<AdminScanRecord>
      title={t.title}
      filters={[
        searchFilter,
        <EnumInput key="contentType" source="contentType" of="contentType" alwaysOn />,
        <EnumInput key="source" source="source" of="scanSource" />,
        <UserFilter key="userId" source="userId" />,
        <NumberInput key="qrCodeId" source="qrCodeId" min={1} />,
        ...timeFilters,
      ]}
      columns={[
        { source: 'content', render: (row) => shortened(name(row)), text: ({ content }) => content },
        { source: 'contentType', render: (row) => typeOf(row.contentType), text: (row) => typeOf(row.contentType) },
        { source: 'source', render: (row) => sourceOf(row.source), text: (row) => sourceOf(row.source) },
        { source: 'userId', render: (row) => <Person row={row} />, text: ownerName },
        { source: 'scannedAt' },
        // The same as before, except for scans without a connection.
        { source: 'createdAt', exportOnly: true },
      ]}
      nameOf={(row) => shortened(name(row))}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('title'), row.title],
            [f('content'), row.content],
            [f('contentType'), typeOf(row.contentType)],
            [f('source'), sourceOf(row.source)],
            [f('userId'), <Person key="user" row={row} />],
            [f('qrCodeId'), row.qrCodeId],
            [f('address'), row.address],
            [t.position, position(row.latitude, row.longitude)],
            [f('scannedAt'), dateTime(row.scannedAt)],
            [f('createdAt'), dateTime(row.createdAt)],
          ]}
        />
      )}
      empty={{ icon: QrCodeScanner, title: t.none, text: t.noneText }}
    />
  )
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
