/** Uploaded files of all users and organizations, with statistics and the clean-up of files that nothing refers to. */

import { Delete, Folder, Launch } from '@mui/icons-material'
import { Box, Button, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import type { AdminFile } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { bytes, dateTime, list, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Facts, Figures } from '../../ui/parts.tsx'
import { useTable } from '../../ui/table/context.ts'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { OrgLink, UserLink } from '../../ui/UserLink.tsx'
import { Orphans } from './Orphans.tsx'
import { createdColumn, orgColumn, ownerFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Files',
    none: 'No files yet',
    noneText: 'Pictures and documents that users upload are listed here.',
    remove:
      'The file is deleted permanently, whatever uses it: pictures become empty, messages stay without the file, and photos of albums are deleted with it. This cannot be undone.',
    removeTitle: (n: number) => (n === 1 ? 'Delete the selected file?' : `Delete ${n} selected files?`),
    removeMany: 'Delete',
    removed: (n: number) => (n === 1 ? '1 file deleted' : `${n} files deleted`),
    failed: (n: number, names: string, why: string) => `${n} could not be deleted (${names}): ${why}`,
    count: 'Files',
    size: 'Size of all files',
    uploader: 'Uploaded by',
    uses: 'Used by',
    unused: 'Nothing uses it',
    times: (n: number) => (n === 1 ? 'once' : `${n} times`),
    pixels: 'Pixels',
    format: 'Format',
    hash: 'SHA-256',
    open: 'Open file',
    private: 'The file belongs to a chat. Only the people in the chat can open it.',
  },
  zh: {
    title: '文件',
    none: '还没有文件',
    noneText: '用户上传的图片和文档会显示在这里。',
    remove:
      '无论被何处使用，文件都将被永久删除：相关图片变为空，消息保留但不再有该文件，相册照片一并删除。此操作无法撤销。',
    removeTitle: (n: number) => `删除选中的 ${n} 个文件？`,
    removeMany: '删除',
    removed: (n: number) => `已删除 ${n} 个文件`,
    failed: (n: number, names: string, why: string) => `${n} 个无法删除（${names}）：${why}`,
    count: '文件数',
    size: '总大小',
    uploader: '上传者',
    uses: '用途',
    unused: '未被使用',
    times: (n: number) => `${n} 次`,
    pixels: '像素',
    format: '格式',
    hash: 'SHA-256',
    open: '打开文件',
    private: '此文件属于聊天，仅聊天成员可以打开。',
  },
})

const IMAGE = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/

export default function FileList() {
  const t = useTexts(words)
  const f = useLabels()
  const may = useMay()
  const typeOf = useEnum('fileType')
  const purposeOf = useEnum('fileUse')
  const storageOf = useEnum('storage')
  const uses = (row: AdminFile) =>
    row.references === 0 || row.entityType === null
      ? t.unused
      : row.references > 1
        ? `${purposeOf(row.entityType)}, ${t.times(row.references)}`
        : purposeOf(row.entityType)
  return (
    <DetailTable
      operation="admin.files.list"
      title={t.title}
      sort="-createdAt"
      aside={may('admin.files.stats') && <Statistics />}
      filters={[
        searchFilter,
        { source: 'type', kind: 'enum', of: 'fileType', always: true },
        { source: 'entityType', kind: 'enum', of: 'fileUse' },
        { source: 'entityId', kind: 'number' },
        { source: 'storage', kind: 'enum', of: 'storage' },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name', picture: ({ thumbnailUrl }) => thumbnailUrl },
        { source: 'type', kind: 'enum', of: 'fileType' },
        { source: 'size', kind: 'bytes' },
        { source: 'entityType', render: uses, text: uses },
        { source: 'uploader', kind: 'user', user: ({ uploader }) => ({ ...uploader, id: uploader.userId }) },
        orgColumn(),
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <>
          {row.url === null && <Typography color="text.secondary">{t.private}</Typography>}
          {row.url !== null && IMAGE.test(row.mime) && (
            <img src={row.url} alt={row.name} style={{ maxWidth: '100%', maxHeight: 320, objectFit: 'contain' }} />
          )}
          <Facts
            items={[
              [f('type'), typeOf(row.type)],
              [t.format, row.mime],
              [f('size'), bytes(row.size)],
              [t.pixels, row.width !== null && row.height !== null && `${row.width} × ${row.height}`],
              [t.uses, row.entityId === null ? uses(row) : `${uses(row)} (${row.entityId})`],
              [
                t.uploader,
                <UserLink
                  key="by"
                  id={row.uploader.userId}
                  nickname={row.uploader.nickname}
                  username={row.uploader.username}
                />,
              ],
              [f('orgId'), row.orgId !== null && <OrgLink key="org" id={row.orgId} name={row.orgName} />],
              [f('storage'), storageOf(row.storage)],
              [f('createdAt'), dateTime(row.createdAt)],
              [t.hash, row.sha256],
              [f('id'), row.id],
            ]}
          />
        </>
      )}
      renderButtons={(row) =>
        row.url !== null && (
          <Button component="a" href={row.url} target="_blank" rel="noopener" startIcon={<Launch />}>
            {t.open}
          </Button>
        )
      }
      bulk={may('admin.files.deleteMany') && <RemoveFiles />}
      target="FILE"
      removal={{ operation: 'admin.files.delete', param: 'fileId', text: t.remove, refreshes: ['admin.files'] }}
      empty={{ icon: Folder, title: t.none, text: t.noneText }}
    />
  )
}

function Statistics() {
  const t = useTexts(words)
  const typeOf = useEnum('fileType')
  const query = useCall('admin.files.stats')
  return (
    <Box sx={{ my: 2 }}>
      <Answer query={query}>
        {({ count, bytes: size, byType, orphaned }) => (
          <>
            <Figures
              items={[
                [t.count, number(count)],
                [t.size, bytes(size)],
                ...byType
                  .toSorted((a, b) => b.bytes - a.bytes)
                  .slice(0, 4)
                  .map((one) => [typeOf(one.type), bytes(one.bytes)] as const),
              ]}
            />
            <Orphans summary={orphaned} />
          </>
        )}
      </Answer>
    </Box>
  )
}

/** Deletes the selected files with one request, and names those that could not be deleted. */
function RemoveFiles() {
  const t = useTexts(words)
  const { selection } = useTable<AdminFile>()
  const ids = [...selection.rows.values()].map(({ id }) => id)
  const [isOpen, setOpen] = useState(false)
  const action = useAction('admin.files.deleteMany', {
    quiet: true,
    refreshes: ['admin.files'],
    onDone: ({ failed }) => {
      const kept = new Set(failed.map(({ id }) => id))
      selection.set([...selection.rows.values()].filter(({ id }) => kept.has(id)))
      if (failed.length === 0) setOpen(false)
    },
  })
  const failed = action.data?.failed ?? []
  const names = failed.map(({ id }) => selection.rows.get(id)?.name ?? String(id))
  return (
    <>
      <Button
        size="small"
        color="error"
        startIcon={<Delete />}
        onClick={() => {
          action.reset()
          setOpen(true)
        }}
      >
        {t.removeMany}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={t.removeTitle(ids.length)}
        text={
          <>
            {t.remove}
            {failed.length > 0 && (
              <ErrorNotice error={new Error(t.failed(failed.length, list(names.slice(0, 10)), failed[0]!.message))} />
            )}
          </>
        }
        action={t.removeMany}
        isBusy={action.isPending}
        error={action.error}
        onConfirm={() => action.mutate({ body: { ids } })}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
