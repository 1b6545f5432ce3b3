/** The history of imports, and their undo, which is shown before it is done. */

import { History, Undo } from '@mui/icons-material'
import { Box, Button, Card, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { AssetImportRun, AssetImportUndone } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { dateTime, list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { AssetTabs } from './parts.tsx'
import { SavedMappings } from './SavedMappings.tsx'

const words = texts({
  en: {
    title: 'Imports of assets',
    empty: 'No imports yet',
    emptyText: 'The imports of the last 90 days are listed here.',
    import: 'Import assets',
    counts: (created: number, updated: number) => `${created} new, ${updated} changed`,
    by: (name: string, time: string) => `${name}, ${time}`,
    undo: 'Undo',
    undone: (time: string) => `Undone ${time}`,
    until: (time: string) => `Can be undone until ${time}`,
    question: (file: string) => `Undo the import of “${file}”?`,
    will: (restored: number, deleted: number) =>
      `${restored} assets get their former values back, and ${deleted} new ones are deleted.`,
    stay: (count: number) => (count === 1 ? '1 asset stays as it is:' : `${count} assets stay as they are:`),
    kept: (number: string, reason: string) => `${number} (${reason})`,
    reasons: {
      CHANGED: 'changed since',
      ON_LOAN: 'on loan',
      RESERVED: 'reserved',
      IN_INVENTORY: 'in a running stock-taking',
      DELETED: 'deleted',
    },
    done: 'The import was undone.',
  },
  zh: {
    title: '资产导入记录',
    empty: '暂无导入记录',
    emptyText: '此处列出最近 90 天的导入。',
    import: '导入资产',
    counts: (created: number, updated: number) => `新建 ${created}，修改 ${updated}`,
    by: (name: string, time: string) => `${name}，${time}`,
    undo: '撤销',
    undone: (time: string) => `已于 ${time} 撤销`,
    until: (time: string) => `可在 ${time} 前撤销`,
    question: (file: string) => `撤销“${file}”的导入？`,
    will: (restored: number, deleted: number) => `${restored} 项资产恢复原值，${deleted} 项新建的资产将被删除。`,
    stay: (count: number) => `${count} 项资产保持不变：`,
    kept: (number: string, reason: string) => `${number}（${reason}）`,
    reasons: {
      CHANGED: '之后有修改',
      ON_LOAN: '已借出',
      RESERVED: '已被预约',
      IN_INVENTORY: '正在盘点',
      DELETED: '已删除',
    },
    done: '导入已撤销。',
  },
})

export default function Imports() {
  const t = useTexts(words)
  const { items, total, error, isLoading, more, retry } = usePages('assets.imports', { query: ownerQuery() })
  return (
    <Page title={t.title}>
      <AssetTabs />
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 && (
        <EmptyState
          icon={History}
          title={t.empty}
          text={t.emptyText}
          action={
            <Button component={Link} to="/assets/import" variant="contained">
              {t.import}
            </Button>
          }
        />
      )}
      {items !== undefined && items.length > 0 && (
        <>
          <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
            {items.map((run) => (
              <ImportRow key={run.id} run={run} />
            ))}
          </Card>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
      <SavedMappings kind="ASSET" />
    </Page>
  )
}

function ImportRow({ run }: { run: AssetImportRun }) {
  const t = useTexts(words)
  const { id, fileName, userName, createdAt, created, updated, undoableUntil, undoneAt } = run
  const [preview, setPreview] = useState<AssetImportUndone>()
  const check = useAction('assets.undoImport', { refreshes: [], onDone: setPreview })
  const canUndo = undoableUntil !== null && undoableUntil > serverTime()
  return (
    <Stack
      component="li"
      direction="row"
      useFlexGap
      spacing={2}
      sx={{ px: 2, py: 1.5, flexWrap: 'wrap', alignItems: 'center', '& + &': { borderTop: 1, borderColor: 'divider' } }}
    >
      <Box sx={{ flex: '1 1 220px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Typography sx={{ fontWeight: 600 }}>{fileName}</Typography>
        <Typography variant="body2" color="text.secondary">
          {t.by(userName, dateTime(createdAt))}
        </Typography>
      </Box>
      <Box sx={{ flex: '1 1 160px' }}>
        <Typography variant="body2">{t.counts(created, updated)}</Typography>
        {(undoneAt !== null || canUndo) && (
          <Typography variant="body2" color="text.secondary">
            {undoneAt === null ? t.until(dateTime(undoableUntil)) : t.undone(dateTime(undoneAt))}
          </Typography>
        )}
      </Box>
      {canUndo && (
        <Button
          startIcon={<Undo />}
          loading={check.isPending}
          onClick={() => check.mutate({ params: { id }, query: ownerQuery(), body: { dryRun: true } })}
        >
          {t.undo}
        </Button>
      )}
      {preview !== undefined && (
        <ActionDialog
          title={t.question(fileName)}
          text={textOf(t, preview)}
          action={t.undo}
          operation="assets.undoImport"
          input={{ params: { id }, query: ownerQuery(), body: {} }}
          done={t.done}
          refreshes={['assets.imports', 'assets.list', 'assets.map', 'assetCategories', 'locations']}
          onClose={() => setPreview(undefined)}
        />
      )}
    </Stack>
  )
}

/** Assets that stay as they are and are named. */
const NAMED = 10

function textOf(t: (typeof words)['en'], { restored, deleted, kept, keptCount }: AssetImportUndone): string {
  const will = t.will(restored, deleted)
  if (keptCount === 0) return will
  const named = kept.slice(0, NAMED).map(({ assetNo, reason }) => t.kept(assetNo, t.reasons[reason]))
  return `${will} ${t.stay(keptCount)} ${list(named)}${keptCount > named.length ? ' …' : ''}`
}
