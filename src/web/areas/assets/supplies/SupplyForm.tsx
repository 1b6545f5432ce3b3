/** Registers a supply or changes one: `/assets/supplies/new`, `/assets/supplies/:id/edit`. */

import { Box, TextField } from '@mui/material'
import { useNavigate, useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { Supply, SupplyKind } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwner, useOwnerQuery, useRowQuery } from '../../../session/session.ts'
import { CheckField, NumberField } from '../../../ui/fields.tsx'
import { Form } from '../../../ui/Form.tsx'
import { OwnedAnswer } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { FilesInput } from '../fields/FilesInput.tsx'
import { Section } from '../FormSections.tsx'
import { CategoryPicker, PeoplePicker } from '../inputs.tsx'
import { useColumn } from '../words.ts'
import { words as shared } from './supply-words.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'Add supply',
    edit: (name: string) => `Edit ${name}`,
    create: 'Register',
    basics: 'Basics',
    ordering: 'Ordering',
    taking: 'Handing out',
    created: 'The supply was registered.',
    saved: 'The supply was saved.',
    numberHelp: 'Leave it empty to get the next number.',
    kindHelp: 'It cannot change after the first movement.',
    unitHelp: 'For example: pcs, box, pack.',
    minimumHelp: 'Keepers are notified when there are fewer.',
    targetHelp: 'How many there should be after an order.',
    keepers: 'Keepers',
    keepersHelp: 'Empty: those who may hand out assets.',
    selfService: 'Members take some for themselves',
    selfServiceHelp: 'They scan the code on the supply and type how many.',
    maxPerTake: 'At most at once',
    photos: 'Photos',
  },
  zh: {
    ...common.zh,
    add: '登记物料',
    edit: (name: string) => `编辑 ${name}`,
    create: '登记',
    basics: '基本信息',
    ordering: '补货',
    taking: '领用',
    created: '物料已登记。',
    saved: '物料已保存。',
    numberHelp: '留空则自动编号。',
    kindHelp: '有出入库记录后不能更改。',
    unitHelp: '例如：件、盒、包。',
    minimumHelp: '低于此数量时通知管理员。',
    targetHelp: '补货后应有的数量。',
    keepers: '管理员',
    keepersHelp: '留空则通知可以借出资产的人员。',
    selfService: '成员可自助领用',
    selfServiceHelp: '成员扫描物料上的码并填写数量。',
    maxPerTake: '每次最多',
    photos: '照片',
  },
})

export default function SupplyForm() {
  const { id } = useParams()
  const byId = useRowQuery('supplies.get')
  const query = useCall('supplies.get', { params: { id: Number(id) }, query: byId }, { enabled: id !== undefined })
  if (id === undefined) return <Editor />
  return <OwnedAnswer query={query}>{(supply) => <Editor key={supply.id} supply={supply} />}</OwnedAnswer>
}

const filesOf = ({ photos }: Supply): string => photos.map(({ fileId }) => fileId).join()

/** @param before the same supply as it was read before: photos have another address each time */
const valuesOf = (supply: Supply | undefined, before = supply) => ({
  name: supply?.name ?? '',
  supplyNo: supply?.supplyNo ?? '',
  kind: supply?.kind ?? ('CONSUMABLE' as SupplyKind),
  categoryId: supply?.categoryId ?? null,
  unit: supply?.unit ?? '',
  price: supply?.price ?? '',
  supplier: supply?.supplier ?? '',
  remark: supply?.remark ?? '',
  photos: supply === undefined ? [] : (filesOf(supply) === filesOf(before!) ? before! : supply).photos,
  minimum: supply?.minimum ?? null,
  target: supply?.target ?? null,
  keeperIds: (supply?.keeperIds ?? []) as readonly number[],
  selfService: supply?.selfService ?? false,
  maxPerTake: (supply?.maxPerTake ?? 10) as number | null,
})

function Editor({ supply }: { supply?: Supply }) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const column = useColumn()
  const owner = useOwner()
  const owned = useOwnerQuery()
  const navigate = useNavigate()
  const form = useForm(supply === undefined ? 'supplies.create' : 'supplies.update', () => valuesOf(supply), {
    from: supply && { version: supply.version, values: (row: Supply) => valuesOf(row, supply) },
    done: supply === undefined ? t.created : t.saved,
    onDone: (saved: Supply) => void navigate(`/assets/supplies/${saved.id}`, { replace: true }),
    input: ({ supplyNo, photos, keeperIds, price, ...values }) => ({
      params: supply === undefined ? {} : { id: supply.id },
      query: owned,
      body: {
        ...values,
        ...(supplyNo !== '' && { supplyNo }),
        price: price || null,
        photos: photos.map(({ fileId }) => fileId),
        ...(owner !== null && { keeperIds: [...keeperIds] }),
      },
    }),
  })
  const back = supply === undefined ? '/assets/supplies' : `/assets/supplies/${supply.id}`
  const { selfService } = form.values
  return (
    <Page title={supply === undefined ? t.add : t.edit(supply.name)} back={back} width="form">
      <Form form={form} action={supply === undefined ? t.create : t.save} cancel={back}>
        <Section title={t.basics}>
          <TextField {...form.text('name')} autoFocus={supply === undefined} />
          <TextField
            {...form.text('supplyNo', { label: s.supplyNo, help: supply === undefined ? t.numberHelp : undefined })}
          />
          <TextField {...form.choice('kind', 'supplyKind', { label: s.kind, help: t.kindHelp })} />
          <TextField {...form.text('unit', { label: s.unit, help: t.unitHelp })} />
          <CategoryPicker {...form.pick('categoryId', { label: column('category') })} />
          <TextField {...form.text('remark')} multiline />
          <Box sx={{ gridColumn: '1 / -1' }}>
            <FilesInput
              label={t.photos}
              isPhotos
              hasCover
              max={2}
              value={form.values.photos}
              onChange={(change) => form.set((now) => ({ photos: change(now.photos) as typeof now.photos }))}
              error={form.problem('photos')}
            />
          </Box>
        </Section>
        <Section title={t.ordering}>
          <NumberField {...form.number('minimum', { label: s.minimum, help: t.minimumHelp })} />
          <NumberField {...form.number('target', { label: s.target, help: t.targetHelp })} />
          <TextField {...form.text('price', { label: s.price })} slotProps={{ htmlInput: { inputMode: 'decimal' } }} />
          <TextField {...form.text('supplier', { label: column('supplier') })} />
          {owner !== null && (
            <Box sx={{ gridColumn: '1 / -1' }}>
              <PeoplePicker {...form.pick('keeperIds', { label: t.keepers, help: t.keepersHelp })} />
            </Box>
          )}
        </Section>
        {owner !== null && (
          <Section title={t.taking}>
            <CheckField {...form.check('selfService', { label: t.selfService, help: t.selfServiceHelp })} />
            {selfService && <NumberField {...form.number('maxPerTake', { label: t.maxPerTake })} />}
          </Section>
        )}
      </Form>
    </Page>
  )
}
