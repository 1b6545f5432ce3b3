/** QR codes of all users and organizations. */

import { Block, Launch, LockOpen, QrCode2 } from '@mui/icons-material'
import { Box, Button, Chip, Stack } from '@mui/material'

import type { AdminQrCode } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { ReasonButton } from './ReasonButton.tsx'
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
    blockedAt: 'Blocked since',
    block: 'Block',
    blockTitle: (name: string) => `Block the code “${name}”?`,
    blockText: 'People who scan it read that the operator of this service has blocked it. Its owner is notified.',
    blocked: 'The code is blocked.',
    unblock: 'Unblock',
    unblockTitle: (name: string) => `Unblock the code “${name}”?`,
    unblockText: 'It leads to its content again. Its owner is notified.',
    unblocked: 'The code is no longer blocked.',
    reason: 'Reason, which the owner reads (optional)',
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
    blockedAt: '封禁时间',
    block: '封禁',
    blockTitle: (name: string) => `封禁二维码“${name}”？`,
    blockText: '扫码者会看到本服务的运营者已封禁此二维码的提示。所有者将收到通知。',
    blocked: '二维码已封禁。',
    unblock: '解除封禁',
    unblockTitle: (name: string) => `解除对二维码“${name}”的封禁？`,
    unblockText: '扫码后可再次打开其内容。所有者将收到通知。',
    unblocked: '已解除封禁。',
    reason: '原因，所有者可见（选填）',
    picture: (name: string) => `二维码“${name}”`,
  },
})

export default function QrCodeList() {
  const t = useTexts(words)
  const yesOrNo = [
    { id: 'true', name: t.yes },
    { id: 'false', name: t.no },
  ]
  const f = useLabels()
  const visibility = (row: AdminQrCode) => (row.isPublic ? t.public : t.private)
  return (
    <DetailTable
      operation="admin.qrCodes.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'contentType', kind: 'enum', of: 'contentType', always: true },
        { source: 'isPublic', kind: 'choice', choices: yesOrNo },
        { source: 'isDynamic', kind: 'choice', choices: yesOrNo },
        { source: 'blocked', kind: 'choice', choices: yesOrNo },
        { source: 'host', kind: 'text' },
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
          {(row.isDynamic || row.blockedAt !== null || row.deletedAt !== null) && (
            <Stack direction="row" spacing={1}>
              {row.isDynamic && <Chip size="small" label={t.dynamic} />}
              {row.blockedAt !== null && <Chip size="small" color="error" label={f('blocked')} />}
              {row.deletedAt !== null && <Chip size="small" color="warning" label={t.trash} />}
            </Stack>
          )}
          <QrCodeFacts row={row} />
        </>
      )}
      renderButtons={(row) => (
        <>
          {row.isPublic && row.deletedAt === null && (
            <Button component="a" href={row.publicUrl} target="_blank" rel="noopener" startIcon={<Launch />}>
              {t.open}
            </Button>
          )}
          <BlockButton row={row} />
        </>
      )}
      target="QR_CODE"
      removal={{ operation: 'admin.qrCodes.delete', param: 'qrCodeId', text: t.remove }}
      empty={{ icon: QrCode2, title: t.none, text: t.noneText }}
    />
  )
}

function BlockButton({ row }: { row: AdminQrCode }) {
  const t = useTexts(words)
  const isBlocked = row.blockedAt !== null
  return (
    <ReasonButton
      operation="admin.qrCodes.block"
      params={{ qrCodeId: row.id }}
      body={{ blocked: !isBlocked }}
      label={isBlocked ? t.unblock : t.block}
      icon={isBlocked ? <LockOpen /> : <Block />}
      title={isBlocked ? t.unblockTitle(row.name) : t.blockTitle(row.name)}
      text={isBlocked ? t.unblockText : t.blockText}
      reasonLabel={t.reason}
      done={isBlocked ? t.unblocked : t.blocked}
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
        [t.blockedAt, dateTime(row.blockedAt)],
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
