/** Codes that were deleted in the last 30 days. */

import { DeleteForever, DeleteOutlined, RestoreFromTrash } from '@mui/icons-material'
import { Box, Button, Card, IconButton, List, ListItem, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { TrashedQrCode } from '../../api/types.ts'
import { date, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { focusTitle, Page } from '../../ui/Page.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { contentOfPicture } from './CodeRow.tsx'

const words = texts({
  en: {
    title: 'Trash',
    empty: 'The trash is empty',
    emptyText: 'Codes that you delete stay here for 30 days and can be restored.',
    restore: 'Restore',
    restoreOf: (name: string) => `Restore ${name}`,
    restored: 'Restored.',
    deleted: (when: string, until: string) => `Deleted ${when}. Can be restored until ${until}.`,
    clear: 'Empty the trash',
    clearTitle: 'Empty the trash?',
    clearText: (n: number) =>
      `${n === 1 ? 'One code' : `${n} codes`} will be deleted permanently, with their public pages and counts. This cannot be undone.`,
    clearAction: (n: number) => `Delete ${n === 1 ? 'it' : n} permanently`,
    cleared: 'The trash is empty now.',
    list: 'Deleted codes',
    delete: 'Delete permanently',
    deleteOf: (name: string) => `Delete ${name} permanently`,
    deleteTitle: (name: string) => `Delete “${name}” permanently?`,
    deleteText: 'Its public page and counts are deleted too. This cannot be undone.',
    deleteDone: 'Deleted permanently.',
  },
  zh: {
    title: '回收站',
    empty: '回收站是空的',
    emptyText: '删除的二维码会在这里保留 30 天，可以恢复。',
    restore: '恢复',
    restoreOf: (name: string) => `恢复“${name}”`,
    restored: '已恢复。',
    deleted: (when: string, until: string) => `${when}删除，${until} 前可恢复。`,
    clear: '清空回收站',
    clearTitle: '清空回收站？',
    clearText: (n: number) => `将永久删除 ${n} 个二维码及其公开页面和扫码次数，无法撤销。`,
    clearAction: (n: number) => `永久删除 ${n} 个`,
    cleared: '回收站已清空。',
    list: '已删除的二维码',
    delete: '永久删除',
    deleteOf: (name: string) => `永久删除“${name}”`,
    deleteTitle: (name: string) => `永久删除“${name}”？`,
    deleteText: '公开页面和扫码次数会一并删除，无法撤销。',
    deleteDone: '已永久删除。',
  },
})

const KEPT_MS = 30 * 86_400_000

export default function Trash() {
  const t = useTexts(words)
  const { items, total, error, isLoading, more, retry } = usePages('qrCodes.trash', { query: ownerQuery() })
  return (
    <Page
      title={t.title}
      back="/codes"
      actions={
        total > 0 && (
          <ActionButton
            operation="qrCodes.emptyTrash"
            input={{ query: ownerQuery() }}
            icon={<DeleteForever />}
            label={t.clear}
            title={t.clearTitle}
            text={t.clearText(total)}
            action={t.clearAction(total)}
            done={t.cleared}
            variant="outlined"
          />
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 && <EmptyState icon={DeleteOutlined} title={t.empty} text={t.emptyText} />}
      {items !== undefined && items.length > 0 && (
        <>
          <Card>
            <List disablePadding aria-label={t.list}>
              {items.map((code) => (
                <Row key={code.id} code={code} />
              ))}
            </List>
          </Card>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
    </Page>
  )
}

function Row({ code }: { code: TrashedQrCode }) {
  const t = useTexts(words)
  const may = useMay()
  const restore = useAction('qrCodes.restore', { done: t.restored, refreshes: ['qrCodes', 'categories'] })
  const [isAsking, setAsking] = useState(false)
  const input = { params: { id: code.id }, query: ownerQuery() }
  return (
    <ListItem
      divider
      sx={{
        gap: { xs: 1, sm: 2 },
        flexWrap: { xs: 'wrap', sm: 'nowrap' },
        justifyContent: 'flex-end',
        '&:last-child': { borderBottom: 0 },
      }}
    >
      <QrPicture content={contentOfPicture(code)} style={code.style} alt="" width={48} sx={{ borderRadius: 1 }} />
      <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{code.name}</Typography>
        <Typography variant="body2" color="text.secondary">
          {t.deleted(relativeTime(code.deletedAt), date(code.deletedAt + KEPT_MS))}
        </Typography>
      </Box>
      <Box sx={{ whiteSpace: 'nowrap' }}>
        {may('qrCodes.restore') && (
          <Button
            startIcon={<RestoreFromTrash />}
            loading={restore.isPending}
            loadingPosition="start"
            aria-label={t.restoreOf(code.name)}
            onClick={() => restore.mutate(input)}
          >
            {t.restore}
          </Button>
        )}
        {may('qrCodes.deleteTrashed') && (
          <Tooltip title={t.delete}>
            <IconButton aria-label={t.deleteOf(code.name)} onClick={() => setAsking(true)}>
              <DeleteForever />
            </IconButton>
          </Tooltip>
        )}
      </Box>
      {isAsking && (
        <ActionDialog
          operation="qrCodes.deleteTrashed"
          input={input}
          title={t.deleteTitle(code.name)}
          text={t.deleteText}
          action={t.delete}
          done={t.deleteDone}
          onDone={focusTitle}
          onClose={() => setAsking(false)}
        />
      )}
    </ListItem>
  )
}
