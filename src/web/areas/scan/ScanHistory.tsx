/** The user's scans: list, search, favourites, delete. */

import { Delete, Edit, QrCodeScanner, SearchOff, Star, StarBorder } from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  Chip,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  IconButton,
  List,
  ListItem,
  ListItemButton,
  Stack,
  TextField,
  Tooltip,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { ContentType, ScanRecord } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices, useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { ContentView } from '../../ui/ContentView.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Scan history',
    type: 'Type',
    any: 'All types',
    favourites: 'Favourites',
    empty: 'Nothing scanned yet',
    emptyText: 'Your scans are kept here, so that you find them again.',
    scan: 'Scan a code',
    notFound: 'Nothing found',
    notFoundText: 'Try another word or fewer filters.',
    star: (name: string) => `Mark ${name} as favourite`,
    unstar: (name: string) => `Remove the favourite mark from ${name}`,
    rename: 'Name this scan',
    removeTitle: 'Delete this scan?',
    removeText: 'The scan disappears from your history on all devices. The code itself is not changed.',
    showCode: 'Show code',
    list: 'Scans',
  },
  zh: {
    ...common.zh,
    title: '扫码记录',
    type: '类型',
    any: '全部类型',
    favourites: '收藏',
    empty: '还没有扫码记录',
    emptyText: '扫码记录会保存在这里，方便再次查找。',
    scan: '去扫描',
    notFound: '没有找到',
    notFoundText: '请换个关键词或减少筛选条件。',
    star: (name: string) => `收藏“${name}”`,
    unstar: (name: string) => `取消收藏“${name}”`,
    rename: '为此记录命名',
    removeTitle: '删除此扫码记录？',
    removeText: '它将从所有设备的扫码记录中消失，二维码本身不受影响。',
    showCode: '查看二维码',
    list: '扫码记录',
  },
})

export default function ScanHistory() {
  const t = useTexts(words)
  const types = useChoices('contentType')
  const { filters, set, query } = useFilters({ keyword: '', contentType: null as ContentType | null, favorite: false })
  const [shown, setShown] = useState<ScanRecord>()
  const isFiltered = Object.keys(query).length > 0
  const { items, total, error, isLoading, more, retry } = usePages('scanRecords.list', { query })
  const isEmpty = items?.length === 0
  return (
    <Page title={t.title} back="/scan">
      {(!isEmpty || isFiltered) && (
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', mb: 2, alignItems: 'center' }}>
          <SearchField
            label={t.search}
            value={filters.keyword}
            onSearch={(keyword) => set({ keyword })}
            sx={{ flex: 1, minWidth: { xs: '100%', sm: 200 } }}
          />
          <ChoiceField
            label={t.type}
            value={filters.contentType}
            onChange={(contentType) => set({ contentType })}
            choices={types}
            none={t.any}
            sx={{ minWidth: 140 }}
          />
          <Button
            variant={filters.favorite ? 'contained' : 'outlined'}
            aria-pressed={filters.favorite}
            startIcon={<Star />}
            onClick={() => set({ favorite: !filters.favorite })}
            sx={{ height: 40 }}
          >
            {t.favourites}
          </Button>
        </Stack>
      )}
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {isEmpty &&
        (isFiltered ? (
          <EmptyState icon={SearchOff} title={t.notFound} text={t.notFoundText} />
        ) : (
          <EmptyState
            icon={QrCodeScanner}
            title={t.empty}
            text={t.emptyText}
            action={
              <Button variant="contained" component={Link} to="/scan">
                {t.scan}
              </Button>
            }
          />
        ))}
      {items !== undefined && !isEmpty && (
        <>
          <Card>
            <List disablePadding aria-label={t.list}>
              {items.map((scan) => (
                <Row key={scan.id} scan={scan} onShow={() => setShown(scan)} />
              ))}
            </List>
          </Card>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
      {shown !== undefined && <ScanDialog scan={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

function Row({ scan, onShow }: { scan: ScanRecord; onShow: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const typeName = useEnum('contentType')
  const source = useEnum('scanSource')
  const update = useAction('scanRecords.update')
  const name = scan.title ?? scan.content
  const label = scan.favorite ? t.unstar(name) : t.star(name)
  return (
    <ListItem divider disablePadding sx={{ '&:last-child': { borderBottom: 0 } }}>
      <ListItemButton onClick={onShow} sx={{ minWidth: 0 }}>
        <Box sx={{ minWidth: 0, flex: 1 }}>
          <Typography sx={{ fontWeight: 600 }} noWrap>
            {name}
          </Typography>
          {scan.title !== null && (
            <Typography variant="body2" color="text.secondary" noWrap>
              {scan.content}
            </Typography>
          )}
          <Stack direction="row" spacing={1} useFlexGap sx={{ mt: 0.5, alignItems: 'center', flexWrap: 'wrap' }}>
            <Chip size="small" label={typeName(scan.contentType)} />
            <Typography variant="caption" color="text.secondary">
              {dateTime(scan.scannedAt)} · {source(scan.source)}
            </Typography>
          </Stack>
        </Box>
      </ListItemButton>
      {may('scanRecords.update') && (
        <Tooltip title={label}>
          <IconButton
            aria-label={label}
            onClick={() => update.mutate({ params: { id: scan.id }, body: { favorite: !scan.favorite } })}
            sx={{ mr: 1 }}
          >
            {scan.favorite ? <Star color="primary" /> : <StarBorder />}
          </IconButton>
        </Tooltip>
      )}
    </ListItem>
  )
}

function ScanDialog({ scan, onClose }: { scan: ScanRecord; onClose: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const [step, setStep] = useState<'name' | 'delete'>()
  if (step === 'name') return <NameDialog scan={scan} onClose={onClose} />
  return (
    <>
      <Dialog open={step === undefined} onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="scan-title">
        <DialogTitle id="scan-title" sx={{ overflowWrap: 'anywhere' }}>
          {scan.title ?? dateTime(scan.scannedAt)}
        </DialogTitle>
        <DialogContent>
          <ContentView content={scan.content} />
          {scan.qrCodeId !== null && may('qrCodes.get') && (
            <Button component={Link} to={`/codes/${scan.qrCodeId}`} sx={{ mt: 1 }}>
              {t.showCode}
            </Button>
          )}
        </DialogContent>
        <DialogActions>
          {may('scanRecords.delete') && (
            <Button color="error" startIcon={<Delete />} onClick={() => setStep('delete')}>
              {t.delete}
            </Button>
          )}
          {may('scanRecords.update') && (
            <Button startIcon={<Edit />} onClick={() => setStep('name')}>
              {t.name}
            </Button>
          )}
          <Button onClick={onClose} autoFocus>
            {t.close}
          </Button>
        </DialogActions>
      </Dialog>
      {step === 'delete' && (
        <ActionDialog
          operation="scanRecords.delete"
          input={{ params: { id: scan.id } }}
          title={t.removeTitle}
          text={t.removeText}
          action={t.delete}
          done={t.deleted}
          onClose={onClose}
        />
      )}
    </>
  )
}

function NameDialog({ scan, onClose }: { scan: ScanRecord; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'scanRecords.update',
    { title: scan.title ?? '' },
    {
      input: ({ title }) => ({ params: { id: scan.id }, body: { title: title.trim() || null } }),
      done: t.saved,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.rename} action={t.save} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('title', { label: t.name })} autoFocus />
    </FormDialog>
  )
}
