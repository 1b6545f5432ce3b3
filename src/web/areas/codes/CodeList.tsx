/** The codes of the workspace with their folders, search and filters. */

import {
  Add,
  BarChart,
  DeleteSweep,
  FolderOpen,
  LabelOutlined,
  MoreHoriz,
  Palette,
  PlaylistAdd,
  QrCode2,
  SearchOff,
  UploadFile,
} from '@mui/icons-material'
import { Box, Button, Card, Drawer, List, Stack } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { useBulk } from '../../ui/bulk/use-bulk.ts'
import { Drafts } from '../../ui/Drafts.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { Page } from '../../ui/Page.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { type ListColumn, ListView, useIsTable, ViewButtons } from '../../ui/table/ListView.tsx'
import { type Selection, useSelection } from '../../ui/table/selection.ts'
import { flatten } from '../../ui/tree/tree.ts'
import { useIsNarrow } from '../../ui/use-is-phone.ts'
import { RowsInTime } from '../../ui/windowed.tsx'
import { useCodeColumns } from './code-columns.tsx'
import { bodyOf, contentOf, type Values } from './code-values.ts'
import { CodeFilters } from './CodeFilters.tsx'
import { CodeMenu } from './CodeMenu.tsx'
import { CodeRow } from './CodeRow.tsx'
import { ExportButton } from './ExportButton.tsx'
import { isFiltered, type Order, sortedBy, useFilters, useOrder } from './filters.ts'
import { FolderPanel } from './FolderPanel.tsx'
import { type Folder, useFolders, useHasFolders } from './folders.ts'
import { SelectedCodes } from './SelectedCodes.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    create: 'New code',
    more: 'More pages about codes',
    batch: 'Create many',
    import: 'Import links',
    trash: 'Trash',
    labels: 'Blank labels',
    look: 'Designs',
    statistics: 'Statistics',
    folders: 'Folders',
    all: 'All codes',
    none: 'Without folder',
    empty: 'No codes yet',
    emptyText:
      'A code can lead to a web page, connect to your Wi-Fi or hold a contact. Make the first one; it takes a minute.',
    emptyMember: 'Nobody has made a code here yet.',
    emptyFolder: 'This folder is empty',
    emptyFolderText: 'Create a code here, or select codes in the list of all codes and move them.',
    notFound: 'Nothing found',
    notFoundText: 'Try another word or fewer filters.',
    clear: 'Clear search and filters',
    list: 'Codes',
  },
  zh: {
    create: '新建二维码',
    more: '更多二维码页面',
    batch: '批量新建',
    import: '导入链接',
    trash: '回收站',
    labels: '空白标签',
    look: '外观',
    statistics: '统计',
    folders: '文件夹',
    all: '全部二维码',
    none: '未分类',
    empty: '还没有二维码',
    emptyText: '二维码可以打开网页、连接 Wi-Fi 或保存联系人。一分钟就能做好第一个。',
    emptyMember: '这里还没有人新建二维码。',
    emptyFolder: '此文件夹是空的',
    emptyFolderText: '可以在这里新建二维码，或在全部二维码中选择后移动过来。',
    notFound: '没有找到',
    notFoundText: '请换个关键词或减少筛选条件。',
    clear: '清除搜索和筛选',
    list: '二维码列表',
  },
})

export default function CodeList() {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const may = useMay()
  const isPhone = useIsNarrow()
  const hasFolders = useHasFolders()
  const folders = useFolders()
  const { filters, change, clear } = useFilters()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const { folder, sort, ...rest } = filters
  const { order, isKnown } = useOrder(sort)
  const query = {
    ...ownerQuery(),
    ...rest,
    ...sortedBy(order),
    ...(hasFolders && folder !== undefined && { categoryId: folder }),
  }
  const { total, error, isLoading, more, retry, ...codes } = usePages('qrCodes.list', { query })
  // Asked for at the same time as the order, but not shown in a wrong one.
  const items = isKnown ? codes.items : undefined
  const [isBack] = useState(items !== undefined)

  // Here, since the selection has no bar while the list is read in another order.
  const bulk = useBulk('qrCodes', 'categories')
  const selection = useSelection<QrCode>({
    operation: 'qrCodes.list',
    query,
    shown: items,
    total,
    keyOf: ({ id }) => id,
  })
  const flat = flatten(folders.data ?? [])
  const columns = useCodeColumns(flat)
  const isTable = useIsTable('codes')
  const here = flat.find(({ node }) => node.id === folder)
  const folderName = folder === undefined ? t.all : folder === 0 ? t.none : (here?.path ?? t.folders)
  const showFolder = (next: number | undefined) => {
    setDrawerOpen(false)
    selection.set([])
    change({ folder: next })
  }
  const panel = <FolderPanel shown={folder} onShow={showFolder} />
  const createPath = folder ? `/codes/new?folder=${folder}` : '/codes/new'
  const createButton = may('qrCodes.create') && (
    <Button variant="contained" startIcon={<Add />} component={Link} to={createPath} data-create>
      {t.create}
    </Button>
  )
  const isEmpty = items?.length === 0
  return (
    <Page
      title={shared.codes}
      width={isTable ? 'full' : 'page'}
      actions={
        <>
          <OtherPages />
          {(!isEmpty || isFiltered(filters)) && createButton}
        </>
      }
    >
      <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: { md: hasFolders ? '250px minmax(0, 1fr)' : '1fr' } }}>
        {hasFolders && !isPhone && panel}
        <Box sx={{ minWidth: 0 }}>
          {hasFolders && isPhone && (
            <Button startIcon={<FolderOpen />} onClick={() => setDrawerOpen(true)} sx={{ mb: 1, maxWidth: '100%' }}>
              <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
                {folderName}
              </Box>
            </Button>
          )}
          <Drafts kind="qrCode" refreshes="qrCodes" path="/codes/new" nameOf={draftName} picture={draftPicture} />
          {(!isEmpty || isFiltered(filters)) && <CodeFilters filters={filters} order={order} onChange={change} />}
          {!isEmpty && <ViewButtons list="codes" columns={columns} />}
          {error !== null && <ErrorNotice error={error} onRetry={retry} />}
          {items === undefined && error === null && <Loading />}
          {isEmpty &&
            (isFiltered(filters) ? (
              <EmptyState
                icon={SearchOff}
                title={t.notFound}
                text={t.notFoundText}
                action={<Button onClick={clear}>{t.clear}</Button>}
              />
            ) : (
              <NoCodes inFolder={folder !== undefined} createButton={createButton} createPath={createPath} />
            ))}
          {items !== undefined && !isEmpty && (
            <>
              <SelectedCodes bulk={bulk} selection={selection} total={total} />
              <RowsInTime rows={items} isBack={isBack}>
                {(shown) => (
                  <Codes
                    codes={shown}
                    total={total}
                    columns={columns}
                    folders={flat}
                    selection={selection}
                    order={order}
                    onOrder={(next) => change({ sort: next })}
                  />
                )}
              </RowsInTime>
              <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
              {!isFiltered(filters) && selection.rows.size === 0 && may('qrCodes.export') && (
                <Stack direction="row" sx={{ mt: 1, justifyContent: 'flex-end' }}>
                  <ExportButton folder={hasFolders ? folder : undefined} />
                </Stack>
              )}
            </>
          )}
        </Box>
      </Box>
      {hasFolders && isPhone && (
        <Drawer open={isDrawerOpen} onClose={() => setDrawerOpen(false)}>
          <Stack sx={{ width: 300, maxWidth: '85vw', p: 1.5, pt: 2 }}>{panel}</Stack>
        </Drawer>
      )}
    </Page>
  )
}

const draftName = (values: Values): string => bodyOf(values).name

/** The server makes the link of a dynamic code. */
const draftPicture = (values: Values): ReactNode =>
  !values.isDynamic && <QrPicture content={contentOf(values)} style={values.style} alt={draftName(values)} width={96} />

interface CodesProps {
  codes: readonly QrCode[]
  total: number
  columns: readonly ListColumn<QrCode>[]
  folders: readonly Folder[]
  selection: Selection<QrCode>
  order: Order
  onOrder: (order: Order) => void
}

function Codes({ codes, total, columns, folders, selection, order, onOrder }: CodesProps) {
  const t = useTexts(words)
  return (
    <ListView
      list="codes"
      operation="qrCodes.list"
      rows={codes}
      total={total}
      columns={columns}
      pathOf={({ id }) => `/codes/${id}`}
      selection={selection}
      sort={order === 'own' ? undefined : order}
      onSort={(sort) => onOrder(sort as Order)}
      renderMenu={(code) => <CodeMenu code={code} onTrashed={() => selection.toggle(code, false)} />}
    >
      <Card>
        <List disablePadding aria-label={t.list}>
          {codes.map((code) => (
            <CodeRow
              key={code.id}
              code={code}
              folder={folders.find(({ node }) => node.id === code.categoryId)}
              isSelected={selection.rows.has(code.id)}
              onSelect={(isSelected) => selection.toggle(code, isSelected)}
            />
          ))}
        </List>
      </Card>
    </ListView>
  )
}

function OtherPages() {
  const t = useTexts(words)
  const may = useMay()
  const isPhone = useIsNarrow()
  const entries = [
    { to: '/codes/looks', label: t.look, icon: <Palette /> },
    { to: '/codes/statistics', label: t.statistics, icon: <BarChart /> },
    { to: '/codes/trash', label: t.trash, icon: <DeleteSweep /> },
    { to: '/codes/labels', label: t.labels, icon: <LabelOutlined /> },
    ...(may('qrCodes.createBatch') ? [{ to: '/codes/batch', label: t.batch, icon: <PlaylistAdd /> }] : []),
    ...(may('qrCodes.import') ? [{ to: '/codes/import', label: t.import, icon: <UploadFile /> }] : []),
  ]
  if (isPhone) return <MoreMenu label={t.more} entries={entries} />
  return entries.map(({ to, label, icon }) => (
    <Button key={to} component={Link} to={to} startIcon={icon}>
      {label}
    </Button>
  ))
}

interface NoCodesProps {
  inFolder: boolean
  createButton: ReactNode
  createPath: string
}

function NoCodes({ inFolder, createButton, createPath }: NoCodesProps) {
  const t = useTexts(words)
  const mayCreate = useMay()('qrCodes.create')
  if (!inFolder)
    return (
      <EmptyState icon={QrCode2} title={t.empty} text={mayCreate ? t.emptyText : t.emptyMember} action={createButton} />
    )
  return (
    <EmptyState
      icon={FolderOpen}
      title={t.emptyFolder}
      text={t.emptyFolderText}
      action={
        mayCreate && (
          <Button variant="outlined" component={Link} to={createPath}>
            {t.create}
          </Button>
        )
      }
    />
  )
}

interface Entry {
  to: string
  label: string
  icon: ReactNode
}

/** On phones, the links to the other pages are a menu. */
function MoreMenu({ label, entries }: { label: string; entries: readonly Entry[] }) {
  return (
    <IconMenu label={label} icon={<MoreHoriz />}>
      {entries.map((entry) => (
        <MenuEntry key={entry.to} icon={entry.icon} text={entry.label} to={entry.to} />
      ))}
    </IconMenu>
  )
}
