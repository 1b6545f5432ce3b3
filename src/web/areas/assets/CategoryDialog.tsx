/** Creates an asset category or changes one: name, colour, field templates, who sees it, how members reserve its assets. */

import { CheckCircle, Folder } from '@mui/icons-material'
import { Box, Radio, RadioGroup, TextField } from '@mui/material'

import type { AssetCategoryNode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, ChoiceField, NumberField } from '../../ui/fields.tsx'
import { PlacesPicker } from '../../ui/tree/PlacePicker.tsx'
import { type Form, useForm } from '../../ui/use-form.tsx'
import { useTemplates } from './fields/useFields.ts'
import { PeoplePicker } from './inputs.tsx'

const words = texts({
  en: {
    ...common.en,
    add: 'New category',
    color: 'Colour',
    colors: {
      '': 'No colour',
      '#0b6b57': 'Green',
      '#2a62b8': 'Blue',
      '#6a4bb0': 'Violet',
      '#a4262c': 'Red',
      '#b06a00': 'Orange',
      '#53605b': 'Grey',
    },
    templates: 'Field templates',
    templatesHelp:
      'Its assets have the fields of these templates. Without any, those of the category above or the standard ones.',
    standard: 'First template',
    shared: 'All members see it',
    method: 'Depreciation',
    asAbove: 'As the category above',
    methods: { STRAIGHT_LINE: 'Straight line', DECLINING: 'Declining balance' },
    months: 'Useful life in months',
    yearlyPercent: 'Percent a year',
    residualPercent: 'Residual value in percent',
    countEveryMonths: 'Count every … months',
    countHelp: 'Closing a stock-taking sets the next count. Empty: as the category above.',
    bookable: 'Reservations by members',
    bookings: { YES: 'Members may reserve', NO: 'Not bookable' },
    approval: 'Approval',
    approvals: { KEEPER: 'A keeper approves each reservation', NONE: 'No approval needed' },
    maxDays: 'Longest in days',
    aheadDays: 'At most days ahead',
    leadHours: 'Hours of notice',
    leadHelp: 'Between the request and the beginning.',
    noShowHours: 'Hours until it is free again',
    noShowHelp: 'After the beginning, if nobody picks it up.',
    keepers: 'Who is asked',
    keepersHelp: 'Empty: everybody who may hand assets out.',
    created: 'The category was created.',
    saved: 'The category was saved.',
  },
  zh: {
    ...common.zh,
    add: '新建分类',
    color: '颜色',
    colors: {
      '': '无颜色',
      '#0b6b57': '绿色',
      '#2a62b8': '蓝色',
      '#6a4bb0': '紫色',
      '#a4262c': '红色',
      '#b06a00': '橙色',
      '#53605b': '灰色',
    },
    templates: '字段模板',
    templatesHelp: '该分类的资产使用这些模板的字段。不选则沿用上级分类或标准模板。',
    standard: '首选模板',
    shared: '所有成员可见',
    method: '折旧方法',
    asAbove: '同上级分类',
    methods: { STRAIGHT_LINE: '直线法', DECLINING: '余额递减法' },
    months: '使用年限（月）',
    yearlyPercent: '年折旧率（%）',
    residualPercent: '残值率（%）',
    countEveryMonths: '盘点间隔（月）',
    countHelp: '结束盘点时据此设置下次盘点日期。留空则同上级分类。',
    bookable: '成员预约',
    bookings: { YES: '成员可预约', NO: '不可预约' },
    approval: '审批',
    approvals: { KEEPER: '每次预约由管理员审批', NONE: '无需审批' },
    maxDays: '最长天数',
    aheadDays: '最多提前天数',
    leadHours: '至少提前小时数',
    leadHelp: '从提交到开始的时间。',
    noShowHours: '多少小时后释放',
    noShowHelp: '开始后无人领取时。',
    keepers: '审批人',
    keepersHelp: '留空则通知所有可借出资产的人。',
    created: '分类已新建。',
    saved: '分类已保存。',
  },
})

const COLORS = ['', '#0b6b57', '#2a62b8', '#6a4bb0', '#a4262c', '#b06a00', '#53605b'] as const

const valuesOf = (category: Omit<AssetCategoryNode, 'children'> | undefined) => ({
  name: category?.name ?? '',
  color: category?.color ?? '',
  templateIds: (category?.templateIds ?? []) as readonly number[],
  defaultTemplateId: category?.defaultTemplateId ?? null,
  shared: category?.shared ?? true,
  method: category?.depreciation?.method ?? null,
  months: category?.depreciation?.months ?? null,
  yearlyPercent: category?.depreciation?.yearlyPercent ?? null,
  residualPercent: category?.depreciation?.residualPercent ?? null,
  countEveryMonths: category?.countEveryMonths ?? null,
  bookable: (category?.booking == null ? null : category.booking.bookable ? 'YES' : 'NO') as 'YES' | 'NO' | null,
  approval: category?.booking?.approval ?? ('KEEPER' as const),
  maxDays: (category?.booking?.maxDays ?? 14) as number | null,
  leadHours: (category?.booking?.leadHours ?? 0) as number | null,
  aheadDays: (category?.booking?.aheadDays ?? 90) as number | null,
  noShowHours: (category?.booking?.noShowHours ?? 24) as number | null,
  keeperIds: (category?.booking?.keeperIds ?? []) as readonly number[],
})

type Values = ReturnType<typeof valuesOf>

function depreciationOf({
  method,
  months,
  yearlyPercent,
  residualPercent,
}: Pick<Values, 'method' | 'months' | 'yearlyPercent' | 'residualPercent'>) {
  if (method === null) return null
  const isLine = method === 'STRAIGHT_LINE'
  return {
    method,
    months: isLine ? months : null,
    yearlyPercent: isLine ? null : yearlyPercent,
    residualPercent: residualPercent ?? 0,
  }
}

const BOOKING = ['approval', 'maxDays', 'leadHours', 'aheadDays', 'noShowHours', 'keeperIds'] as const

/** Empty numbers get the defaults of the server. */
function bookingOf({ bookable, keeperIds, ...values }: Pick<Values, 'bookable' | (typeof BOOKING)[number]>) {
  if (bookable === null) return null
  const given = Object.fromEntries(
    BOOKING.filter((name) => name !== 'keeperIds').flatMap((name) =>
      values[name] === null ? [] : [[name, values[name]]],
    ),
  )
  return { bookable: bookable === 'YES', keeperIds: [...keeperIds], ...given }
}

interface CategoryDialogProps {
  /** Undefined: a new one. */
  category?: AssetCategoryNode
  /** The category above a new one. */
  parentId: number | null
  onClose: () => void
}

export function CategoryDialog({ category, parentId, onClose }: CategoryDialogProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const may = useMay()
  const templates = useTemplates()
  const nameOf = (id: number) => templates.find((template) => template.id === id)?.name ?? ''
  const form = useForm(
    category === undefined ? 'assetCategories.create' : 'assetCategories.update',
    () => valuesOf(category),
    {
      from: category && { version: category.version, values: valuesOf },
      names: { templateIds: nameOf, defaultTemplateId: nameOf },
      done: category === undefined ? t.created : t.saved,
      paths: {
        color: [],
        // It is required within `depreciation` only.
        method: [],
        months: 'depreciation.months',
        yearlyPercent: 'depreciation.yearlyPercent',
        residualPercent: 'depreciation.residualPercent',
        bookable: 'booking.bookable',
        ...Object.fromEntries(BOOKING.map((name) => [name, `booking.${name}`])),
      },
      onDone: onClose,
      input: ({ name, color, templateIds, defaultTemplateId, shared, ...values }) => ({
        params: category === undefined ? {} : { id: category.id },
        query: ownerQuery(),
        body: {
          name,
          color: color || null,
          templateIds: [...templateIds],
          ...(templateIds.length > 0 && {
            defaultTemplateId: templateIds.find((id) => id === defaultTemplateId) ?? templateIds[0]!,
          }),
          ...(workspace !== null && { shared }),
          depreciation: depreciationOf(values),
          countEveryMonths: values.countEveryMonths,
          ...(workspace !== null && { booking: bookingOf(values) }),
          ...(category === undefined && { parentId }),
        },
      }),
    },
  )
  const { color, templateIds, defaultTemplateId } = form.values
  const standard = form.pick('defaultTemplateId', { label: t.standard })
  return (
    <FormDialog
      form={form}
      title={category === undefined ? t.add : category.name}
      action={category === undefined ? t.create : t.save}
      onClose={onClose}
    >
      <TextField {...form.text('name')} autoFocus />
      <RadioGroup row aria-label={t.color} value={color} onChange={(_, value) => form.set({ color: value })}>
        {[...COLORS, ...(color in t.colors ? [] : [color])].map((one) => (
          <Radio
            key={one}
            value={one}
            icon={<Folder sx={{ color: one === '' ? 'text.disabled' : one }} />}
            checkedIcon={<CheckCircle sx={{ color: one === '' ? 'text.secondary' : one }} />}
            slotProps={{ input: { 'aria-label': (t.colors as Readonly<Record<string, string>>)[one] ?? one } }}
          />
        ))}
      </RadioGroup>
      {may('metadata.fields') && templates.length > 0 && (
        <PlacesPicker
          {...form.pick('templateIds', { label: t.templates, help: t.templatesHelp })}
          places={templates.map(({ id, name }) => ({ id, path: name }))}
        />
      )}
      {templateIds.length > 1 && (
        <ChoiceField
          {...standard}
          value={defaultTemplateId ?? templateIds[0]!}
          choices={templates.filter(({ id }) => templateIds.includes(id))}
        />
      )}
      <ChoiceField
        {...form.pick('method', { label: t.method })}
        none={t.asAbove}
        choices={Object.entries(t.methods).map(([id, name]) => ({ id, name }))}
      />
      {form.values.method === 'STRAIGHT_LINE' && (
        <NumberField {...form.number('months', { label: t.months })} required />
      )}
      {form.values.method === 'DECLINING' && (
        <NumberField {...form.number('yearlyPercent', { label: t.yearlyPercent })} required />
      )}
      {form.values.method !== null && <NumberField {...form.number('residualPercent', { label: t.residualPercent })} />}
      <NumberField {...form.number('countEveryMonths', { label: t.countEveryMonths, help: t.countHelp })} />
      {workspace !== null && <BookingFields form={form} />}
      {workspace !== null && <CheckField {...form.check('shared', { label: t.shared })} isBox />}
    </FormDialog>
  )
}

/** How members reserve the assets of the category. */
function BookingFields({ form }: { form: Form<Values> }) {
  const t = useTexts(words)
  return (
    <>
      <ChoiceField
        {...form.pick('bookable', { label: t.bookable })}
        none={t.asAbove}
        choices={Object.entries(t.bookings).map(([id, name]) => ({ id, name }))}
      />
      {form.values.bookable === 'YES' && (
        <>
          <TextField {...form.choice('approval', t.approvals, { label: t.approval })} />
          <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
            <NumberField {...form.number('maxDays', { label: t.maxDays })} />
            <NumberField {...form.number('aheadDays', { label: t.aheadDays })} />
            <NumberField {...form.number('leadHours', { label: t.leadHours, help: t.leadHelp })} />
            <NumberField {...form.number('noShowHours', { label: t.noShowHours, help: t.noShowHelp })} />
          </Box>
          <PeoplePicker {...form.pick('keeperIds', { label: t.keepers, help: t.keepersHelp })} />
        </>
      )}
    </>
  )
}
