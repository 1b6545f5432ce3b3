/** Scan records of all users. */

import { QrCodeScanner } from '@mui/icons-material'

import type { AdminScanRecord } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Person, personColumn, position } from './shared.tsx'

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
    <DetailTable
      operation="admin.scanRecords.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'contentType', kind: 'enum', of: 'contentType', always: true },
        { source: 'source', kind: 'enum', of: 'scanSource' },
        { source: 'userId', kind: 'user' },
        { source: 'qrCodeId', kind: 'number' },
        ...timeFilters,
      ]}
      columns={[
        { source: 'content', render: (row) => shortened(name(row)), text: ({ content }) => content },
        { source: 'contentType', kind: 'enum', of: 'contentType' },
        { source: 'source', kind: 'enum', of: 'scanSource' },
        personColumn<AdminScanRecord>(f('userId')),
        { source: 'scannedAt', kind: 'time' },
        // The same as before, except for scans without a connection.
        { source: 'createdAt', kind: 'time', exportOnly: true },
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
