/** Borrows assets: first the time, then the things among those that are free. */

import { Add, Delete, EventAvailable } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Checkbox,
  FormControlLabel,
  IconButton,
  Stack,
  TextField,
  Tooltip,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { Asset } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery } from '../../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { NumberField } from '../../../ui/fields.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import { type Form as FormOf, useForm } from '../../../ui/use-form.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import { CategoryPicker } from '../inputs.tsx'
import { Cover } from '../parts.tsx'
import { useCategories, useNames } from '../places.ts'
import { bookableCategories } from './booking.ts'
import { OrganizationsOnly } from './parts.tsx'
import {
  FOR_ME,
  nextHours,
  TimeFields,
  useDoneWords,
  useRequestId,
  whomBody,
  WhomFields,
  type WhomValues,
  withNamedRefusals,
} from './ReservationDialogs.tsx'
import { REFRESHED, words as shared } from './words.ts'

const words = texts({
  en: {
    title: 'Borrow',
    when: 'When',
    free: 'Free at that time',
    byNumber: 'Any of a category',
    byNumberText: 'Any that are free, as many as you need.',
    one: 'A certain one',
    category: 'Category',
    choose: 'Choose the times first.',
    order: 'The end must be after the beginning.',
    freeNow: (n: string) => `${n} free`,
    inAll: (n: string) => `${n} in all`,
    howMany: (name: string) => `How many of ${name}`,
    add: 'Add',
    addOf: (name: string) => `Add ${name}`,
    nothing: 'No asset is free at that time',
    nothingText: 'Choose another time, or see in the calendar what is reserved.',
    calendar: 'Open the calendar',
    basket: 'Your reservation',
    none: 'Nothing is chosen yet.',
    remove: (name: string) => `Remove ${name}`,
    of: (n: number, name: string) => `${n} × ${name}`,
    purposeHelp: 'For example the class or the event.',
    reserve: 'Reserve',
  },
  zh: {
    title: '借用',
    when: '时间',
    free: '该时段空闲的物品',
    byNumber: '按数量',
    byNumberText: '同类物品若干件，任意空闲的即可。',
    one: '指定物品',
    category: '分类',
    choose: '请先选择时间。',
    order: '结束时间必须晚于开始时间。',
    freeNow: (n: string) => `空闲 ${n} 件`,
    inAll: (n: string) => `共 ${n}`,
    howMany: (name: string) => `${name}的数量`,
    add: '添加',
    addOf: (name: string) => `添加${name}`,
    nothing: '该时段没有空闲的资产',
    nothingText: '请选择其他时间，或在日历中查看预约情况。',
    calendar: '打开日历',
    basket: '你的预约',
    none: '尚未选择物品。',
    remove: (name: string) => `移除 ${name}`,
    of: (n: number, name: string) => `${n} × ${name}`,
    purposeHelp: '例如班级或活动。',
    reserve: '预约',
  },
})

export default function Borrow() {
  const t = useTexts(words)
  const owner = useOwner()
  return (
    <Page title={t.title} back="/reservations">
      {owner === null ? <OrganizationsOnly /> : <BorrowForm key={owner.id} orgId={owner.id} />}
    </Page>
  )
}

/** Something that is chosen: an asset, or a number of a category or supply. */
interface Chosen {
  readonly key: string
  readonly name: string
  readonly item:
    | { readonly assetId: number }
    | { readonly categoryId: number; readonly quantity: number }
    | { readonly supplyId: number; readonly quantity: number }
}

interface Values extends WhomValues {
  from: number | null
  to: number | null
  purpose: string
  items: readonly Chosen[]
}

function BorrowForm({ orgId }: { orgId: number }) {
  const t = useTexts(words)
  const names = useTexts(shared)
  const doneWords = useDoneWords()
  const navigate = useNavigate()
  const requestId = useRequestId()
  const form = useForm(
    'assetReservations.create',
    (): Values => ({ ...nextHours(), purpose: '', items: [], ...FOR_ME }),
    {
      paths: { whom: [] },
      refreshes: REFRESHED,
      onDone: (reservation) => {
        notify(doneWords(reservation), 'success')
        void navigate(`/reservations/${reservation.id}`, { replace: true })
      },
      input: (values) => {
        const body = {
          orgId,
          items: values.items.map(({ item }) => item),
          from: values.from!,
          to: values.to!,
          purpose: values.purpose,
          ...whomBody(values),
        }
        return { body: { ...body, requestId: requestId(body) } }
      },
    },
  )
  const { values } = form
  // One request for a time, and not for each key that is pressed in it.
  const from = useSettled(values.from)
  const to = useSettled(values.to)
  const { form: shown, refused } = withNamedRefusals(
    form,
    values.items.map(({ name }) => name),
  )
  return (
    <Form form={shown} action={t.reserve} cancel="/reservations" isDisabled={values.items.length === 0}>
      <Section title={t.when}>
        <Stack spacing={2}>
          <TimeFields form={form} />
        </Stack>
      </Section>
      <Section title={t.free}>
        {from === null || to === null ? (
          <Typography color="text.secondary">{t.choose}</Typography>
        ) : from >= to ? (
          <Alert severity="warning">{t.order}</Alert>
        ) : (
          <Free from={from} to={to} form={form} />
        )}
      </Section>
      <Section title={t.basket}>
        <Stack spacing={2}>
          <Basket form={form} />
          <TextField {...form.text('purpose', { label: names.purpose, help: t.purposeHelp })} />
          <WhomFields form={form} />
        </Stack>
      </Section>
      {refused}
    </Form>
  )
}

interface FreeProps {
  from: number
  to: number
  form: FormOf<Values>
}

/** The things that are free in the time: kinds with a number, and single assets. */
function Free({ from, to, form }: FreeProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const [categoryId, setCategory] = useState<number | null>(null)
  const { items: chosen } = form.values
  const list = usePages('assets.available', {
    query: { ...owned, from, to, ...(categoryId !== null && { categoryId }) },
  })
  const toggle = ({ id, name, assetNo }: Asset, isOn: boolean) =>
    form.set(({ items }) => ({
      items: isOn
        ? [...items, { key: `asset ${id}`, name: `${name} (${assetNo})`, item: { assetId: id } }]
        : items.filter(({ key }) => key !== `asset ${id}`),
    }))
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  if (list.total === 0 && categoryId === null)
    return (
      <>
        <Kinds from={from} to={to} form={form} />
        <EmptyState
          icon={EventAvailable}
          title={t.nothing}
          text={t.nothingText}
          action={
            <Button component={Link} to="/reservations/calendar" variant="outlined">
              {t.calendar}
            </Button>
          }
        />
      </>
    )
  return (
    <Stack spacing={2}>
      <Kinds from={from} to={to} form={form} />
      <Typography variant="h3">{t.one}</Typography>
      <CategoryPicker label={t.category} value={categoryId} onChange={setCategory} />
      {list.items.length === 0 && <Typography color="text.secondary">{t.nothing}</Typography>}
      <Box component="ul" aria-label={t.one} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {list.items.map((asset) => (
          <Stack component="li" key={asset.id} direction="row" spacing={1} sx={{ alignItems: 'center', py: 0.5 }}>
            <FormControlLabel
              sx={{ flex: 1, minWidth: 0, mr: 0, '& .MuiFormControlLabel-label': { minWidth: 0, flex: 1 } }}
              control={
                <Checkbox
                  checked={chosen.some(({ key }) => key === `asset ${asset.id}`)}
                  onChange={(_, isOn) => toggle(asset, isOn)}
                />
              }
              label={<FreeAsset asset={asset} />}
            />
          </Stack>
        ))}
      </Box>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </Stack>
  )
}

function FreeAsset({ asset: { name, assetNo, photos, locationId, brand, model } }: { asset: Asset }) {
  const names = useNames()
  return (
    <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center', minWidth: 0 }}>
      <Cover photos={photos} name={name} size={40} />
      <Box sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Typography>
          {name} ({assetNo})
        </Typography>
        <Typography variant="body2" color="text.secondary">
          {[[brand, model].filter(Boolean).join(' '), names.location(locationId)].filter(Boolean).join(' · ')}
        </Typography>
      </Box>
    </Stack>
  )
}

/** Kinds that are shown at first; each needs a request for its number. */
const KINDS = 8

/** Categories and supplies of which so many are reserved, whichever they are. */
function Kinds({ from, to, form }: FreeProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const may = useMay()
  const categories = bookableCategories(useCategories())
  const [shown, setShown] = useState(KINDS)
  const pools = usePages(
    'supplies.list',
    { query: { ...owned, kind: 'POOL', sort: 'name' } },
    { size: KINDS, enabled: may('supplies.list') },
  )
  if (categories.length === 0 && pools.total === 0) return null
  const add = (key: string, name: string, quantity: number, item: Chosen['item']) =>
    form.set(({ items }) => ({
      items: [...items.filter((one) => one.key !== key), { key, name: t.of(quantity, name), item }],
    }))
  return (
    <Box>
      <Typography variant="h3">{t.byNumber}</Typography>
      <Typography variant="body2" color="text.secondary">
        {t.byNumberText}
      </Typography>
      <Box component="ul" aria-label={t.byNumber} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {categories.slice(0, shown).map(({ id, path }) => (
          <Category
            key={id}
            id={id}
            name={path}
            from={from}
            to={to}
            onAdd={(quantity) => add(`category ${id}`, path, quantity, { categoryId: id, quantity })}
          />
        ))}
        {pools.items?.map(({ id, name, unit, stock, lent }) => (
          <NumberRow
            key={`supply ${id}`}
            name={name}
            text={t.inAll(`${number(stock + lent)} ${unit}`)}
            onAdd={(quantity) => add(`supply ${id}`, name, quantity, { supplyId: id, quantity })}
          />
        ))}
      </Box>
      <MoreButton
        shown={Math.min(shown, categories.length) + (pools.items?.length ?? 0)}
        total={categories.length + pools.total}
        onMore={() => {
          setShown(shown + KINDS)
          if ((pools.items?.length ?? 0) < pools.total) pools.more()
        }}
        isLoading={pools.isLoading}
      />
    </Box>
  )
}

interface CategoryProps extends Pick<FreeProps, 'from' | 'to'> {
  id: number
  name: string
  onAdd: (quantity: number) => void
}

function Category({ id, name, from, to, onAdd }: CategoryProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const { data } = useCall(
    'assets.available',
    { query: { ...owned, from, to, categoryId: id, size: 1 } },
    { keepPrevious: true },
  )
  const free = data?.total
  return (
    <NumberRow name={name} text={free === undefined ? '' : t.freeNow(number(free))} isOff={free === 0} onAdd={onAdd} />
  )
}

interface NumberRowProps {
  name: string
  text: string
  isOff?: boolean
  onAdd: (quantity: number) => void
}

function NumberRow({ name, text, isOff = false, onAdd }: NumberRowProps) {
  const t = useTexts(words)
  const [quantity, setQuantity] = useState<number | null>(1)
  const isGood = quantity !== null && Number.isInteger(quantity) && quantity >= 1 && !isOff
  const add = () => isGood && onAdd(quantity)
  return (
    <Stack
      component="li"
      direction="row"
      useFlexGap
      spacing={1}
      sx={{ flexWrap: 'wrap', alignItems: 'center', py: 1, borderBottom: 1, borderColor: 'divider' }}
    >
      <Box sx={{ flex: '1 1 160px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Typography>{name}</Typography>
        <Typography variant="body2" color="text.secondary">
          {text}
        </Typography>
      </Box>
      <NumberField
        name={`quantity ${name}`}
        label=""
        value={quantity}
        onChange={setQuantity}
        error={undefined}
        help={undefined}
        required={false}
        size="small"
        sx={{ width: 80 }}
        slotProps={{ htmlInput: { inputMode: 'numeric', 'aria-label': t.howMany(name) } }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // It would send the reservation.
          event.preventDefault()
          add()
        }}
      />
      <Button variant="outlined" startIcon={<Add />} disabled={!isGood} aria-label={t.addOf(name)} onClick={add}>
        {t.add}
      </Button>
    </Stack>
  )
}

function Basket({ form }: { form: FormOf<Values> }) {
  const t = useTexts(words)
  const { items } = form.values
  if (items.length === 0) return <Typography color="text.secondary">{t.none}</Typography>
  return (
    <Box component="ul" aria-label={t.basket} sx={{ p: 0, m: 0, listStyle: 'none' }}>
      {items.map(({ key, name }) => (
        <Stack component="li" key={key} direction="row" spacing={1} sx={{ alignItems: 'center' }}>
          <Typography sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>{name}</Typography>
          <Tooltip title={t.remove(name)}>
            <IconButton
              aria-label={t.remove(name)}
              onClick={() => form.set((now) => ({ items: now.items.filter((one) => one.key !== key) }))}
            >
              <Delete fontSize="small" />
            </IconButton>
          </Tooltip>
        </Stack>
      ))}
    </Box>
  )
}
