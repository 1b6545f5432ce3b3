/** The list of participants, for managers: searching, filtering, sorting, and what can be done with one of them or with many. */

import { Add, EventAvailable, MailOutlined, UploadFile } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Divider, LinearProgress, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { Activity, ParticipantFilter } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { EmptyState, ErrorNotice, Loading } from '../../../ui/Answer.tsx'
import { ExportMenu } from '../../../ui/ExportMenu.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { MenuButton, MenuEntry } from '../../../ui/MenuButton.tsx'
import { Nothing, part } from '../../../ui/part.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { SIZES, withParameters } from '../../../ui/table/address.ts'
import type { Labelled } from '../../../ui/table/columns.tsx'
import { TableContext } from '../../../ui/table/context.ts'
import { Pager } from '../../../ui/table/Pager.tsx'
import { Cards, Grid } from '../../../ui/table/Rows.tsx'
import { type Selection, useSelection } from '../../../ui/table/selection.ts'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { useRights } from '../rights.ts'
import { activityWords } from '../words.ts'
import { Chips } from './Chips.tsx'
import { type Row, rowOf, useColumns } from './columns.tsx'
import { type Chosen, EVERYBODY, filterOf } from './filters.ts'
import { type Action, participantWords } from './words.ts'

const AddDialog = part(() => import('./AddDialog.tsx'), Nothing)
const BatchDialog = part(() => import('./BatchDialog.tsx'), Nothing)
const Person = part(() => import('./Person.tsx'), Nothing)

const words = texts({
  en: {
    summary: (confirmed: string, capacity: string | null, waiting: string) =>
      `${confirmed}${capacity === null ? '' : ` of ${capacity}`} registered, ${waiting} waiting`,
    add: 'Add',
    import: 'Import',
    withNotes: 'with notes',
    sort: 'Sort by',
    sorts: {
      '-createdAt': 'Newest first',
      createdAt: 'Oldest first',
      name: 'Name',
      status: 'Status',
      position: 'Place on the waiting list',
    },
    change: 'Change status',
    write: 'Write',
    all: (n: number) => (n === 1 ? '1 person' : `${number(n)} people`),
    selected: (n: number) => `${number(n)} selected`,
    unselect: 'Unselect',
    empty: 'No registrations yet',
    emptyText:
      'Share the link or the code of the activity. People who open it can register while registration is open.',
  },
  zh: {
    summary: (confirmed: string, capacity: string | null, waiting: string) =>
      `已报名 ${confirmed}${capacity === null ? '' : ` / ${capacity}`}，候补 ${waiting}`,
    add: '添加',
    import: '导入',
    withNotes: '含备注',
    sort: '排序',
    sorts: {
      '-createdAt': '最新在前',
      createdAt: '最早在前',
      name: '姓名',
      status: '状态',
      position: '候补位次',
    },
    change: '更改状态',
    write: '发消息',
    all: (n: number) => `共 ${number(n)} 人`,
    selected: (n: number) => `已选 ${number(n)} 人`,
    unselect: '取消选择',
    empty: '还没有人报名',
    emptyText: '把活动链接或二维码发给大家，报名开放期间即可报名。',
  },
})

const FIRST_SORT = '-createdAt'
type Sort = keyof typeof words.en.sorts

export function Participants({ activity }: { activity: Activity }) {
  const [search, setSearch] = useSearchParams()
  const personId = Number(search.get('person')) || undefined
  const close = () => setSearch((now) => withParameters(now.toString(), { person: null }), { replace: true })
  return (
    <Stack spacing={2}>
      <List activity={activity} />
      {personId !== undefined && <Person key={personId} activity={activity} id={personId} onClose={close} />}
    </Stack>
  )
}

/** One page of the list as it is searched, filtered and sorted. */
function usePage(activity: Activity) {
  const [chosen, setChosen] = useState(EVERYBODY)
  const [sort, setSort] = useState<string>(FIRST_SORT)
  const [page, setPage] = useState(1)
  const [size, setSize] = useState<number>(SIZES[0])
  const filter = filterOf(chosen)
  const query = { ...filter, ...(sort !== FIRST_SORT && { sort: sort as Sort }) }
  const params = { id: activity.id }
  const answer = useCall('registrations.list', { params, query: { ...query, page, size } }, { keepPrevious: true })
  const rows = answer.data?.items.map(rowOf)
  const total = answer.data?.total ?? 0
  const selection = useSelection<Row>({ operation: 'registrations.list', query, shown: rows, total, keyOf })
  // Rows of the last page may be gone, or answer another filter.
  const last = answer.data === undefined || answer.isPlaceholderData ? page : Math.max(1, Math.ceil(total / size))
  if (page > last) setPage(last)
  const fromFirst =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setPage(1)
    }
  return {
    answer,
    rows,
    total,
    selection,
    filter,
    query,
    params,
    chosen,
    sort,
    page,
    size,
    setPage,
    setSort: fromFirst(setSort),
    setSize: fromFirst(setSize),
    choose: fromFirst((part: Partial<Chosen>) => setChosen((now) => ({ ...now, ...part }))),
  }
}

const keyOf = ({ id }: Row) => id

function List({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const isPhone = useIsPhone()
  const columns = useColumns(activity)
  const { pathname, search } = useLocation()
  const { answer, rows, total, selection, filter, query, params, choose, chosen, ...page } = usePage(activity)
  const can = useRights(activity)
  const { stats, registration } = activity
  const isBlank = total === 0 && rows !== undefined && !answer.isPlaceholderData && Object.keys(filter).length === 0
  const context = { operation: 'registrations.list', rows, total, keyOf, query: {}, selection } as const
  const Shown = isPhone ? Cards<Row> : Grid<Row>
  const menu = (
    <ExportMenu
      operation="registrations.list"
      input={{ params, query }}
      name="participants"
      {...(can('registrations.update') && { also: { text: t.withNotes, query: { notes: true } } })}
    />
  )
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 2 }}>
          <Typography sx={{ flex: 1, minWidth: 200 }}>
            {stats !== null &&
              t.summary(
                number(stats.registrations.confirmed),
                registration?.capacity == null ? null : number(registration.capacity),
                number(stats.registrations.waiting),
              )}
          </Typography>
          {!isBlank && menu}
          <Entering activity={activity} />
        </Stack>
        {isBlank ? (
          <EmptyState icon={EventAvailable} title={t.empty} text={t.emptyText} />
        ) : (
          <Stack spacing={1}>
            <Stack direction="row" spacing={1}>
              <SearchField
                label={shared.search}
                sx={{ flex: 1 }}
                value={chosen.keyword}
                onSearch={(keyword) => choose({ keyword })}
              />
              {isPhone && (
                <ChoiceField
                  label={t.sort}
                  value={page.sort}
                  onChange={page.setSort}
                  choices={Object.entries(t.sorts).map(([id, name]) => ({ id, name }))}
                  sx={{ width: 140 }}
                />
              )}
            </Stack>
            <Chips activity={activity} value={chosen} onChange={choose} />
            <Divider />
            <ForMany activity={activity} filter={filter} total={total} selection={selection} />
          </Stack>
        )}
      </CardContent>
      {answer.error !== null && rows === undefined && (
        <ErrorNotice error={answer.error} onRetry={() => void answer.refetch()} />
      )}
      {answer.isPending && <Loading />}
      {rows !== undefined && !isBlank && (
        <TableContext value={context as never}>
          {answer.isPlaceholderData && <LinearProgress aria-label={shared.search} />}
          <Box sx={{ overflowX: 'auto', borderTop: 1, borderColor: 'divider' }}>
            {rows.length === 0 ? (
              <Typography color="text.secondary" sx={{ p: 2 }}>
                {shared.notFound}
              </Typography>
            ) : (
              <Shown
                rows={rows}
                columns={columns as readonly Labelled<Row>[]}
                pathOf={({ id }) => pathname + withParameters(search, { person: id })}
                hasBulk
                sort={page.sort}
                onSort={page.setSort}
              />
            )}
          </Box>
          {total > 0 && (
            <Pager
              page={page.page}
              size={page.size}
              total={total}
              onPage={page.setPage}
              onSize={page.setSize}
              isPhone={isPhone}
            />
          )}
        </TableContext>
      )}
    </Card>
  )
}

/** The buttons that enter people. */
function Entering({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const can = useRights(activity)
  const [isAdding, setAdding] = useState(false)
  if (activity.status !== 'ACTIVE') return null
  return (
    <>
      {can('registrations.add') && (
        <Button variant="contained" startIcon={<Add />} onClick={() => setAdding(true)} data-create>
          {t.add}
        </Button>
      )}
      {can('registrations.import') && (
        <Button startIcon={<UploadFile />} component={Link} to={`/activities/${activity.id}/registrations/import`}>
          {t.import}
        </Button>
      )}
      {isAdding && <AddDialog activity={activity} onClose={() => setAdding(false)} />}
    </>
  )
}

interface ForManyProps {
  activity: Activity
  filter: ParticipantFilter
  total: number
  selection: Selection<Row>
}

/** Actions on the selected people, or on all that the list shows if none is selected. */
function ForMany({ activity, filter, total, selection }: ForManyProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const can = useRights(activity)
  const navigate = useNavigate()
  const [action, setAction] = useState<Action>()
  const n = selection.rows.size
  const meant: ParticipantFilter = n > 0 ? { ids: [...selection.rows.keys()].map(Number) } : filter
  const unselect = () => selection.set([])
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center', minHeight: 44 }}>
      <Typography component="output" color="text.secondary" sx={{ flex: 1, whiteSpace: 'nowrap' }}>
        {n > 0 ? t.selected(n) : t.all(total)}
      </Typography>
      {n > 0 && <Button onClick={unselect}>{t.unselect}</Button>}
      {can('registrations.batch') && activity.status === 'ACTIVE' && (
        <MenuButton label={t.change}>
          {(Object.keys(shared.actions) as Action[]).map((one) => (
            <MenuEntry key={one} text={shared.actions[one]} onClick={() => setAction(one)} />
          ))}
        </MenuButton>
      )}
      {can('activityMessages.create') && activity.status !== 'DRAFT' && (
        <Button
          startIcon={<MailOutlined />}
          onClick={() =>
            void navigate(`/activities/${activity.id}/messages/new`, {
              state: { filter: meant, count: n > 0 ? n : undefined },
            })
          }
        >
          {t.write}
        </Button>
      )}
      {action !== undefined && (
        <BatchDialog
          activity={activity}
          action={action}
          filter={meant}
          onDone={unselect}
          onClose={() => setAction(undefined)}
        />
      )}
    </Stack>
  )
}
