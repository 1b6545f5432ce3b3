/** The bar with actions for the selected assets. */

import { Close, Delete, DriveFileMove, Print } from '@mui/icons-material'
import { Button, IconButton, LinearProgress, Paper, Stack, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { useNavigate } from 'react-router'

import { call } from '../../api/client.ts'
import { useRefresh } from '../../api/hooks.ts'
import type { Asset, AssetStatus, BodyOf } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { ExportMenu } from './ExportMenu.tsx'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'
import { Choice } from './parts.tsx'

const words = texts({
  en: {
    selected: (n: number) => `${n} selected`,
    clear: 'Clear selection',
    labels: 'Labels',
    change: 'Change',
    changeTitle: (n: number) => (n === 1 ? 'Change 1 asset' : `Change ${n} assets`),
    changeHelp: 'Only what you choose here changes.',
    category: 'Category',
    location: 'Location',
    custodian: 'Custodian',
    status: 'Status',
    keep: 'As it is',
    remove: 'Delete',
    removeTitle: (n: number) => (n === 1 ? 'Delete 1 asset?' : `Delete ${n} assets?`),
    removeText: 'Their photos are deleted too, and their labels lead nowhere. This cannot be undone.',
    apply: 'Change',
    progress: (done: number, all: number) => `${done} of ${all}`,
    changed: (n: number) => (n === 1 ? '1 asset was changed.' : `${n} assets were changed.`),
    deleted: (n: number) => (n === 1 ? '1 asset was deleted.' : `${n} assets were deleted.`),
    failed: (n: number, why: string) => `${n} could not be changed: ${why}`,
  },
  zh: {
    selected: (n: number) => `已选 ${n} 件`,
    clear: '取消选择',
    labels: '标签',
    change: '修改',
    changeTitle: (n: number) => `修改 ${n} 件资产`,
    changeHelp: '只修改在此选择的内容。',
    category: '分类',
    location: '位置',
    custodian: '保管人',
    status: '状态',
    keep: '不变',
    remove: '删除',
    removeTitle: (n: number) => `删除 ${n} 件资产？`,
    removeText: '照片会一并删除，标签也会失效。此操作无法撤销。',
    apply: '修改',
    progress: (done: number, all: number) => `${done} / ${all}`,
    changed: (n: number) => `已修改 ${n} 件资产。`,
    deleted: (n: number) => `已删除 ${n} 件资产。`,
    failed: (n: number, why: string) => `${n} 件未能修改：${why}`,
  },
})

export function BulkBar({ assets, onDone }: { assets: readonly Asset[]; onDone: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const notify = useNotify()
  const navigate = useNavigate()
  const refresh = useRefresh()
  const [dialog, setDialog] = useState<'change' | 'delete'>()
  const [done, setDone] = useState<number>()

  /** Runs one request after the other, shows the progress and says how many failed. */
  const run = async (one: (asset: Asset) => Promise<unknown>, success: (n: number) => string) => {
    let failures = 0
    let why = ''
    setDone(0)
    for (const [i, asset] of assets.entries()) {
      await one(asset).catch((error: unknown) => {
        failures++
        why = (error as Error).message
      })
      setDone(i + 1)
    }
    setDone(undefined)
    setDialog(undefined)
    await refresh('assets', 'assetCategories')
    if (failures > 0) notify(t.failed(failures, why), { type: 'error', multiLine: true, autoHideDuration: 10_000 })
    else notify(success(assets.length), { type: 'success' })
    onDone()
  }
  const ids = assets.map(({ id }) => id)
  return (
    <Paper
      elevation={6}
      role="toolbar"
      aria-label={t.selected(assets.length)}
      sx={{
        position: 'sticky',
        bottom: { xs: 64, sm: 16 },
        zIndex: 5,
        mt: 2,
        px: 1,
        py: 0.5,
        border: 1,
        borderColor: 'divider',
        displayPrint: 'none',
      }}
    >
      <Stack direction="row" useFlexGap spacing={0.5} sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <Tooltip title={t.clear}>
          <IconButton aria-label={t.clear} onClick={onDone}>
            <Close />
          </IconButton>
        </Tooltip>
        <Typography sx={{ flex: 1, minWidth: 90 }} component="output">
          {t.selected(assets.length)}
        </Typography>
        <Button startIcon={<Print />} onClick={() => void navigate(`/assets/labels?ids=${ids.join(',')}`)}>
          {t.labels}
        </Button>
        {may('assets.update') && (
          <Button startIcon={<DriveFileMove />} onClick={() => setDialog('change')}>
            {t.change}
          </Button>
        )}
        {may('assets.export') && <ExportMenu query={{ ...ownerQuery(), ids }} />}
        {may('assets.delete') && (
          <Button color="error" startIcon={<Delete />} onClick={() => setDialog('delete')}>
            {t.remove}
          </Button>
        )}
      </Stack>
      {dialog === 'change' && (
        <ChangeDialog
          count={assets.length}
          done={done}
          onClose={() => setDialog(undefined)}
          onSubmit={(body) =>
            void run(({ id }) => call('assets.update', { params: { id }, query: ownerQuery(), body }), t.changed)
          }
        />
      )}
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.removeTitle(assets.length)}
        text={
          <>
            {t.removeText}
            {done !== undefined && <Progress done={done} all={assets.length} />}
          </>
        }
        action={t.remove}
        isBusy={done !== undefined}
        onClose={() => setDialog(undefined)}
        onConfirm={() =>
          void run(({ id }) => call('assets.delete', { params: { id }, query: ownerQuery() }), t.deleted)
        }
      />
    </Paper>
  )
}

function Progress({ done, all }: { done: number; all: number }) {
  const t = useTexts(words)
  return (
    <>
      <LinearProgress
        variant="determinate"
        value={(100 * done) / all}
        aria-label={t.progress(done, all)}
        sx={{ mt: 2 }}
      />
      <Typography variant="body2">{t.progress(done, all)}</Typography>
    </>
  )
}

interface ChangeDialogProps {
  count: number
  done: number | undefined
  onSubmit: (body: BodyOf<'assets.update'>) => void
  onClose: () => void
}

function ChangeDialog({ count, done, onSubmit, onClose }: ChangeDialogProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const statuses = useChoices('assetStatus').filter(({ id }) => id !== 'SCRAPPED')
  const [categoryId, setCategory] = useState<number | null>(null)
  const [locationId, setLocation] = useState<number | null>(null)
  const [custodianId, setCustodian] = useState<number | null>(null)
  const [status, setStatus] = useState('')
  const submit = () =>
    onSubmit({
      ...(categoryId !== null && { categoryId }),
      ...(locationId !== null && { locationId }),
      ...(custodianId !== null && { custodianId }),
      ...(status !== '' && { status: status as AssetStatus }),
    })
  return (
    <FormDialog
      isOpen
      title={t.changeTitle(count)}
      action={t.apply}
      isBusy={done !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Typography color="text.secondary">{t.changeHelp}</Typography>
      <CategoryPicker label={t.category} value={categoryId} onChange={setCategory} />
      {workspace !== null && (
        <>
          <LocationPicker label={t.location} value={locationId} onChange={setLocation} />
          <PersonPicker label={t.custodian} value={custodianId} onChange={setCustodian} />
        </>
      )}
      <Choice label={t.status} value={status} choices={statuses} none={t.keep} onChange={setStatus} />
      {done !== undefined && <Progress done={done} all={count} />}
    </FormDialog>
  )
}
