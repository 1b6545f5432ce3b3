/** Applies the result of a closed stock-taking to the register: first as a preview, then for real. */

import { Alert, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { Inventory, InventoryApplication } from '../../api/types.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { CheckField } from '../../ui/fields.tsx'

const words = texts({
  en: {
    title: 'Apply to the register?',
    text: 'Assets whose status or location changed since the stock-taking was closed stay as they are.',
    missing: (n: number) => `Missing assets become lost (${n})`,
    misplaced: (n: number) => `Assets at another place move there (${n})`,
    found: 'Lost assets that were found are in use again',
    preview: 'Preview',
    apply: 'Apply',
    done: 'The result was applied.',
    would: (n: number) => (n === 1 ? '1 asset changes.' : `${n} assets change.`),
    skipped: (n: number) => (n === 1 ? '1 asset is skipped:' : `${n} assets are skipped:`),
    reasons: { CHANGED: 'changed since', ON_LOAN: 'on loan', SCRAPPED: 'scrapped', DELETED: 'deleted' },
  },
  zh: {
    title: '应用到台账？',
    text: '盘点结束后状态或位置已变更的资产保持不变。',
    missing: (n: number) => `将未找到的资产标为丢失（${n}）`,
    misplaced: (n: number) => `将位置不符的资产移到实际位置（${n}）`,
    found: '已找到的丢失资产恢复为使用中',
    preview: '预览',
    apply: '应用',
    done: '盘点结果已应用。',
    would: (n: number) => `将更改 ${n} 件资产。`,
    skipped: (n: number) => `跳过 ${n} 件资产：`,
    reasons: { CHANGED: '之后已变更', ON_LOAN: '已借出', SCRAPPED: '已报废', DELETED: '已删除' },
  },
})

export function ApplyInventory({ inventory, onClose }: { inventory: Inventory; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const owner = useOwner()
  const [choice, setChoice] = useState({ missing: true, misplaced: true, found: true })
  const [preview, setPreview] = useState<InventoryApplication>()
  const check = useAction('inventories.apply', { quiet: true, refreshes: [], onDone: setPreview })
  const apply = useAction('inventories.apply', {
    quiet: true,
    refreshes: ['inventories', 'assets'],
    done: t.done,
    onDone: onClose,
  })
  const set = (name: keyof typeof choice) => (value: boolean) => {
    setChoice((before) => ({ ...before, [name]: value }))
    setPreview(undefined)
  }
  const input = {
    params: { id: inventory.id },
    query: owned,
    body: {
      missing: choice.missing ? 'LOST' : 'KEEP',
      misplaced: choice.misplaced ? 'MOVE' : 'KEEP',
      found: choice.found ? 'RESTORE' : 'KEEP',
      dryRun: preview === undefined,
    },
  } as const
  const action = preview === undefined ? check : apply
  const reasons = Map.groupBy(preview?.skipped ?? [], ({ reason }) => reason)
  return (
    <ConfirmDialog
      isOpen
      color="primary"
      isBusy={check.isPending || apply.isPending}
      error={action.error}
      title={t.title}
      text={t.text}
      action={preview === undefined ? t.preview : t.apply}
      onConfirm={() => action.mutate(input)}
      onClose={onClose}
    >
      <Stack sx={{ mt: 2 }}>
        <CheckField
          name="missing"
          label={t.missing(inventory.missing)}
          value={choice.missing}
          onChange={set('missing')}
          isBox
        />
        {owner !== null && (
          <CheckField
            name="misplaced"
            label={t.misplaced(inventory.misplaced)}
            value={choice.misplaced}
            onChange={set('misplaced')}
            isBox
          />
        )}
        <CheckField name="found" label={t.found} value={choice.found} onChange={set('found')} isBox />
      </Stack>
      {preview !== undefined && (
        <Alert severity="info" sx={{ mt: 2 }}>
          <Typography>{t.would(preview.changed)}</Typography>
          {preview.skippedCount > 0 && (
            <Typography>
              {t.skipped(preview.skippedCount)}{' '}
              {[...reasons].map(([reason, some]) => labelled(t.reasons[reason], String(some.length))).join('; ')}
            </Typography>
          )}
        </Alert>
      )}
    </ConfirmDialog>
  )
}
