/** QR codes of all users and organizations. */

import { Launch, QrCode2 } from '@mui/icons-material'
import { Box, Button, Chip, Stack } from '@mui/material'

import type { AdminQrCode } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { createdColumn, Owner, ownerColumn, ownerFilters, ownerName, Person } from './shared.tsx'

const words = texts({
  en: {
    title: 'QR codes',
    none: 'No QR codes yet',
    noneText: 'The codes of all users and organizations are listed here as soon as somebody creates one.',
    remove:
      'The code is deleted permanently, also for its owner. Printed copies that point to its public page stop working. This cannot be undone.',
    public: 'Public',
    private: 'Private',
    dynamic: 'Dynamic',
    folder: 'Folder number',
    yes: 'Yes',
    no: 'No',
    trash: 'In the trash',
    all: 'Not in the trash',
    scans: 'Scans',
    tags: 'Tags',
    createdBy: 'Created by',
    open: 'Public page',
    picture: (name: string) => `The QR code “${name}”`,
  },
  zh: {
    title: '二维码',
    none: '还没有二维码',
    noneText: '用户或组织创建二维码后会显示在这里。',
    remove: '二维码将被永久删除，所有者也无法再使用；已印刷且指向公开页面的二维码将失效。此操作无法撤销。',
    public: '公开',
    private: '私有',
    dynamic: '活码',
    folder: '文件夹编号',
    yes: '是',
    no: '否',
    trash: '在回收站中',
    all: '不在回收站',
    scans: '扫码次数',
    tags: '标签',
    createdBy: '创建者',
    open: '公开页面',
    picture: (name: string) => `二维码“${name}”`,
  },
})

export default function QrCodeList() {
  const t = useTexts(words)
  const visibility = (row: AdminQrCode) => (row.isPublic ? t.public : t.private)
  return (
    <DetailTable
      operation="admin.qrCodes.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'contentType', kind: 'enum', of: 'contentType', always: true },
        {
          source: 'isPublic',
          kind: 'choice',
          choices: [
            { id: 'true', name: t.yes },
            { id: 'false', name: t.no },
          ],
        },
        {
          source: 'deleted',
          kind: 'choice',
          choices: [
            { id: 'true', name: t.trash },
            { id: 'false', name: t.all },
          ],
        },
        ...ownerFilters,
        { source: 'categoryId', kind: 'number', label: t.folder },
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        { source: 'contentType', kind: 'enum', of: 'contentType' },
        {
          source: 'content',
          phone: 'hidden',
          render: (row) => (
            <Box sx={{ maxWidth: 260, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
              {row.content}
            </Box>
          ),
        },
        ownerColumn(),
        { source: 'isPublic', render: visibility, text: visibility },
        { source: 'scanCount', kind: 'count' },
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <>
          <Box
            component="img"
            src={row.imageUrl}
            alt={t.picture(row.name)}
            sx={{ width: 180, height: 180, borderRadius: 1, border: 1, borderColor: 'divider', bgcolor: '#fff' }}
          />
          {(row.isDynamic || row.deletedAt !== null) && (
            <Stack direction="row" spacing={1}>
              {row.isDynamic && <Chip size="small" label={t.dynamic} />}
              {row.deletedAt !== null && <Chip size="small" color="warning" label={t.trash} />}
            </Stack>
          )}
          <QrCodeFacts row={row} />
        </>
      )}
      renderButtons={(row) =>
        row.isPublic &&
        row.deletedAt === null && (
          <Button component="a" href={row.publicUrl} target="_blank" rel="noopener" startIcon={<Launch />}>
            {t.open}
          </Button>
        )
      }
      target="QR_CODE"
      removal={{ operation: 'admin.qrCodes.delete', param: 'qrCodeId', text: t.remove }}
      empty={{ icon: QrCode2, title: t.none, text: t.noneText }}
    />
  )
}

function QrCodeFacts({ row }: { row: AdminQrCode }) {
  const t = useTexts(words)
  const f = useLabels()
  const typeOf = useEnum('contentType')
  return (
    <Facts
      items={[
        [f('contentType'), typeOf(row.contentType)],
        [f('content'), row.content],
        [f('owner'), <Owner key="owner" row={row} />],
        [
          t.createdBy,
          row.orgId !== null && ownerName({ ...row, orgName: null }) !== '' && <Person key="by" row={row} />,
        ],
        [f('isPublic'), row.isPublic ? t.yes : t.no],
        [t.scans, number(row.scanCount)],
        [t.tags, row.tags.join(', ')],
        [f('remark'), row.remark],
        [f('createdAt'), dateTime(row.createdAt)],
        [f('updatedAt'), dateTime(row.updatedAt)],
        [f('deletedAt'), dateTime(row.deletedAt)],
        [f('id'), row.id],
      ]}
    />
  )
}
