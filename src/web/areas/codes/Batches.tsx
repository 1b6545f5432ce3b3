/** Batches of blank labels, which are printed first and stand for something later. */

import { Add, FileDownload, LabelOutlined, MoreVert, Print } from '@mui/icons-material'
import { Box, Card, LinearProgress, List, ListItem, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import { usePages } from '../../api/pages.ts'
import type { QrBlankBatch } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { AddressWarning, usePrinting } from '../../ui/AddressWarning.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField, NumberField } from '../../ui/fields.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { Page } from '../../ui/Page.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useDesigns } from './look/designs.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Blank labels',
    empty: 'No blank labels yet',
    emptyText: 'Print labels now, and decide later what each stands for: scan it and choose a thing.',
    make: 'Make labels',
    makeTitle: 'Make blank labels',
    count: 'How many',
    prefix: 'Beginning of each number',
    prefixHelp: 'Optional: A–Z, 0–9 and hyphens, for example LIB-',
    design: 'Design',
    plain: 'Plain',
    designHelp: 'In the PDF and the pictures. Codes on sheets are plain.',
    made: 'The labels are ready to be printed.',
    list: 'Batches of labels',
    progress: (used: number, all: number) => `${number(used)} of ${number(all)} in use`,
    voided: (n: number) => `${number(n)} void`,
    actions: (name: string) => `Actions for ${name}`,
    print: 'Print on sheets',
    pdf: 'PDF, one label a page',
    pdfText: '30 mm wide, with the number beneath',
    zip: 'Pictures (SVG)',
    csv: 'Numbers and addresses (CSV)',
  },
  zh: {
    ...common.zh,
    title: '空白标签',
    empty: '还没有空白标签',
    emptyText: '先打印标签，之后再决定用途：扫描标签并选择要绑定的内容。',
    make: '制作标签',
    makeTitle: '制作空白标签',
    count: '数量',
    prefix: '编号前缀',
    prefixHelp: '可选：A–Z、0–9 和连字符，例如 LIB-',
    design: '外观',
    plain: '普通',
    designHelp: '用于 PDF 和图片，标签纸上为普通二维码。',
    made: '标签已生成，可以打印。',
    list: '标签批次',
    progress: (used: number, all: number) => `已使用 ${number(used)} / ${number(all)}`,
    voided: (n: number) => `${number(n)} 个已作废`,
    actions: (name: string) => `“${name}”的操作`,
    print: '打印到标签纸',
    pdf: 'PDF，每页一个标签',
    pdfText: '宽 30 毫米，下方印编号',
    zip: '图片（SVG）',
    csv: '编号和地址（CSV）',
  },
})

export default function Batches() {
  const t = useTexts(words)
  const may = useMay()
  const { items, total, error, isLoading, more, retry } = usePages('qrBlanks.batches', { query: ownerQuery() })
  const make = may('qrBlanks.create') && (
    <DialogButton label={t.make} icon={<Add />} isNew>
      {(close) => <MakeLabels onClose={close} />}
    </DialogButton>
  )
  return (
    <Page title={t.title} back="/codes" actions={total > 0 && make}>
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 && <EmptyState icon={LabelOutlined} title={t.empty} text={t.emptyText} action={make} />}
      {items !== undefined && items.length > 0 && (
        <>
          <AddressWarning sx={{ mb: 2 }} />
          <Card>
            <List disablePadding aria-label={t.list}>
              {items.map((batch) => (
                <Batch key={batch.id} batch={batch} />
              ))}
            </List>
          </Card>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
    </Page>
  )
}

/** As on the labels: `LIB-00001`. */
const numberOf = ({ prefix, digits }: QrBlankBatch, nth: number): string => prefix + String(nth).padStart(digits, '0')

function Batch({ batch }: { batch: QrBlankBatch }) {
  const t = useTexts(words)
  const { name, first, last, count, bound, createdAt } = batch
  const usable = count - batch.void
  const progress = t.progress(bound, usable)
  return (
    <ListItem divider sx={{ gap: 2, '&:last-child': { borderBottom: 0 } }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{name}</Typography>
        <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
          {first === last ? numberOf(batch, first) : `${numberOf(batch, first)} – ${numberOf(batch, last)}`} ·{' '}
          {date(createdAt)}
        </Typography>
        <Typography variant="body2">
          {progress}
          {batch.void > 0 && `, ${t.voided(batch.void)}`}
        </Typography>
        <LinearProgress
          variant="determinate"
          value={usable === 0 ? 0 : (100 * bound) / usable}
          aria-label={progress}
          sx={{ mt: 0.5, maxWidth: 320 }}
        />
      </Box>
      <BatchMenu batch={batch} />
    </ListItem>
  )
}

function BatchMenu({ batch: { id, name } }: { batch: QrBlankBatch }) {
  const t = useTexts(words)
  const may = useMay()
  const file = useDownload()
  const { ask, question } = usePrinting()
  const start = (format: 'pdf' | 'zip' | 'csv') =>
    ask(() =>
      file.mutate([
        'qrBlanks.export',
        { params: { id }, query: { ...ownerQuery(), format } },
        `labels-${id}.${format}`,
      ]),
    )
  return (
    <>
      <IconMenu label={t.actions(name)} icon={<MoreVert />}>
        <MenuEntry icon={<Print />} text={t.print} to={`/codes/labels/print?batch=${id}`} />
        {may('qrBlanks.export') && [
          <MenuEntry key="pdf" icon={<FileDownload />} text={t.pdf} hint={t.pdfText} onClick={() => start('pdf')} />,
          <MenuEntry key="zip" icon={<FileDownload />} text={t.zip} onClick={() => start('zip')} />,
          <MenuEntry key="csv" icon={<FileDownload />} text={t.csv} onClick={() => start('csv')} />,
        ]}
      </IconMenu>
      {question}
    </>
  )
}

function MakeLabels({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  // A repeated request makes no second batch.
  const [requestId] = useState(newId)
  const designs = useDesigns().data?.items ?? []
  const form = useForm(
    'qrBlanks.create',
    { name: '', count: 100 as number | null, prefix: '', designId: null as number | null },
    {
      done: t.made,
      refreshes: ['qrBlanks'],
      onDone: onClose,
      input: ({ name, count, prefix, designId }) => ({
        body: { name, count: count ?? 0, prefix: prefix.trim().toUpperCase(), designId, requestId, ...ownerQuery() },
      }),
    },
  )
  return (
    <FormDialog form={form} title={t.makeTitle} action={t.make} onClose={onClose} maxWidth="xs">
      <TextField {...form.text('name')} autoFocus />
      <NumberField {...form.number('count', { label: t.count })} />
      <TextField {...form.text('prefix', { label: t.prefix, help: t.prefixHelp })} />
      {designs.length > 0 && (
        <ChoiceField
          {...form.pick('designId', { label: t.design, help: t.designHelp })}
          choices={designs.map(({ id, name }) => ({ id, name }))}
          none={t.plain}
        />
      )}
    </FormDialog>
  )
}
