/** Registers an asset or changes one: `/assets/new`, `/assets/:id/edit`. The fields are those of the templates of its category. */

import { Box, Button } from '@mui/material'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Asset } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { createOrKeep, type DraftEntry } from '../../session/drafts.ts'
import { useOwnerQuery, useRowQuery } from '../../session/session.ts'
import { NumberField } from '../../ui/fields.tsx'
import { Form } from '../../ui/Form.tsx'
import { OwnedAnswer } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { type Form as FormOf, useForm } from '../../ui/use-form.tsx'
import { FieldInput } from './fields/FieldInput.tsx'
import { changedValues, type FieldSpec, grouped, type Values } from './fields/model.ts'
import { useAssetFields, useFieldsOfCategory } from './fields/useFields.ts'
import { Basics, type Draft, Grid, More, PublicFields, Section } from './FormSections.tsx'
import { useLabel } from './LabelField.tsx'
import { LabelsButton } from './parts.tsx'
import { useNames } from './places.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'Add asset',
    edit: (name: string) => `Edit ${name}`,
    details: 'Details',
    more: 'More fields',
    position: 'Position',
    public: 'Public page',
    create: 'Register',
    another: 'Register and add another',
    saved: 'The asset was saved.',
    created: 'The asset was registered.',
  },
  zh: {
    ...common.zh,
    add: '登记资产',
    edit: (name: string) => `编辑 ${name}`,
    details: '详细信息',
    more: '更多字段',
    position: '经纬度',
    public: '公开页面',
    create: '登记',
    another: '登记并继续添加',
    saved: '资产已保存。',
    created: '资产已登记。',
  },
})

export default function AssetForm() {
  const { id } = useParams()
  const byId = useRowQuery('assets.get')
  const query = useCall('assets.get', { params: { id: Number(id) }, query: byId }, { enabled: id !== undefined })
  if (id === undefined) return <NewAsset />
  return <OwnedAnswer query={query}>{(asset) => <ExistingAsset key={asset.id} asset={asset} />}</OwnedAnswer>
}

/** A fresh form after "Register and add another", which keeps category and place. The labels of all are offered together. */
function NewAsset() {
  // A scan that found nothing leads here with the number of its label.
  const [params] = useSearchParams()
  const { draft } = (useLocation().state ?? {}) as { draft?: DraftEntry<Draft> }
  const [start, setStart] = useState<{
    readonly row: number
    readonly added: readonly number[]
    readonly draft?: Draft
  }>({
    row: 0,
    added: [],
    ...(draft && { draft: draft.body.values }),
  })
  return (
    <Editor
      key={start.row}
      replaced={start.row === 0 ? draft : undefined}
      added={start.added}
      label={start.row === 0 ? params.get('label') : null}
      first={start.draft ?? { ...EMPTY, assetNo: params.get('assetNo') ?? '' }}
      onAnother={(id, { categoryId, locationId, custodianId, status }) =>
        setStart(({ added, row }) => ({
          added: id === undefined ? added : [...added, id],
          row: row + 1,
          draft: { ...EMPTY, categoryId, locationId, custodianId, status },
        }))
      }
    />
  )
}

function ExistingAsset({ asset }: { asset: Asset }) {
  const { isLoading } = useAssetFields(asset.id)
  if (isLoading) return null
  return <Editor asset={asset} first={draftOf(asset)} />
}

const EMPTY: Draft = {
  name: '',
  assetNo: '',
  categoryId: null,
  status: 'IN_USE',
  locationId: null,
  nextCountOn: '',
  custodianId: null,
  bookable: 'CATEGORY',
  photos: [],
  latitude: null,
  longitude: null,
  publicFields: [],
  edited: {},
}

const filesOf = ({ photos }: Asset): string => photos.map(({ fileId }) => fileId).join()

/** @param before the same asset as it was read before: photos have another address each time */
const draftOf = (asset: Asset, before = asset): Draft => ({
  name: asset.name,
  assetNo: asset.assetNo,
  categoryId: asset.categoryId,
  status: asset.status,
  locationId: asset.locationId,
  nextCountOn: asset.nextCountOn ?? '',
  custodianId: asset.custodianId,
  bookable: asset.bookable === null ? 'CATEGORY' : asset.bookable ? 'YES' : 'NO',
  photos: (filesOf(asset) === filesOf(before) ? before : asset).photos,
  latitude: asset.latitude,
  longitude: asset.longitude,
  publicFields: asset.publicFields,
  edited: {},
  stored: asset.values ?? [],
})

const bodyOf = ({ assetNo, photos, publicFields, ...draft }: Draft) => ({
  name: draft.name,
  ...(assetNo !== '' && { assetNo }),
  categoryId: draft.categoryId,
  status: draft.status,
  locationId: draft.locationId,
  nextCountOn: draft.nextCountOn || null,
  custodianId: draft.custodianId,
  bookable: draft.bookable === 'CATEGORY' ? null : draft.bookable === 'YES',
  photos: photos.map(({ fileId }) => fileId),
  latitude: draft.latitude,
  longitude: draft.longitude,
  publicFields: [...publicFields],
})

const NONE: readonly number[] = []

interface EditorProps {
  asset?: Asset
  /** The slug of a label that the asset gets. */
  label?: string | null
  first: Draft
  /** Registered before in a row. */
  added?: readonly number[]
  /** Without an id it waits for a connection. */
  onAnother?: (id: number | undefined, draft: Draft) => void
  /** A refused one, which the new asset replaces. */
  replaced?: DraftEntry | undefined
}

/** The fields of the form, and the values that differ from those that are stored. */
function useSpecs(asset: Asset | undefined, { categoryId, edited }: Draft) {
  const stored = useAssetFields(asset?.id)
  const inSameCategory = asset !== undefined && categoryId === asset.categoryId
  const ofCategory = useFieldsOfCategory(categoryId, !inSameCategory)
  const specs = (inSameCategory ? stored.specs : ofCategory).filter((spec) => spec.writable || asset !== undefined)
  const defaults: Values =
    asset === undefined
      ? Object.fromEntries(
          specs.flatMap(({ fieldId, config }) => (config.default === undefined ? [] : [[fieldId, config.default]])),
        )
      : stored.values
  const values: Values = { ...defaults, ...edited }
  return { specs, values, changes: changedValues(specs, asset === undefined ? {} : stored.values, values) }
}

function Editor({ asset, label = null, first, added = NONE, onAnother, replaced }: EditorProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const navigate = useNavigate()
  const names = useNames()
  const isAnother = useRef(false)
  const { field: labelField, bind } = useLabel(label)
  const form: FormOf<Draft> = useForm(asset === undefined ? 'assets.create' : 'assets.update', first, {
    ...(asset === undefined
      ? {
          // The operation is `assets.create`, and a draft has no answer.
          send: async (input: object, _id: unknown, _headers: unknown, draft: Draft) =>
            (await createOrKeep('asset', input as { body: object }, draft, replaced)) as Asset,
        }
      : { done: t.saved }),
    from: asset && { version: asset.version, values: (row: Asset) => draftOf(row, asset) },
    names: { categoryId: names.category, locationId: names.location, custodianId: names.person },
    refreshes: ['assets', 'assetCategories', ...(asset === undefined ? [] : ['metadata'])],
    onDone(saved: Asset | undefined) {
      void bind(saved?.id)
      if (asset === undefined && saved !== undefined) notify(t.created, 'success')
      if (isAnother.current) onAnother?.(saved?.id, form.values)
      else if (saved === undefined) void navigate('/assets', { replace: true })
      else
        void navigate(`/assets/${saved.id}`, {
          replace: true,
          ...(asset === undefined && { state: { added: [...added, saved.id] } }),
        })
    },
    input: (draft) => ({
      params: asset === undefined ? {} : { id: asset.id },
      query: owned,
      body: { ...bodyOf(draft), ...(changes.length > 0 && { values: changes }) },
    }),
  })
  const { specs, values, changes } = useSpecs(asset, form.values)
  const submit = (another: boolean) => (event?: FormEvent) => {
    isAnother.current = another
    form.submit(event)
  }
  const problemOf = (spec: FieldSpec) => {
    const at = changes.findIndex(({ fieldId }) => fieldId === spec.fieldId)
    const { details = [] } = form.error ?? {}
    return details.find(({ path }) => path.startsWith(`body.values.${at}.`) || path === `body.${spec.column}`)?.message
  }
  const field = (spec: FieldSpec) => (
    <Box key={spec.fieldId} sx={{ gridColumn: WIDE.has(spec.type) ? '1 / -1' : 'auto', minWidth: 0 }}>
      <FieldInput
        spec={spec}
        value={values[spec.fieldId]}
        onChange={(change) =>
          form.set(({ edited }) => ({
            edited: { ...edited, [spec.fieldId]: change(edited[spec.fieldId] ?? values[spec.fieldId]) },
          }))
        }
        error={problemOf(spec)}
        disabled={!spec.writable}
      />
    </Box>
  )
  const others = specs.filter((spec) => !spec.inForce)
  const back = asset === undefined ? '/assets' : `/assets/${asset.id}`
  const another = asset === undefined && (
    // Not of the type "submit", so that Enter does not press it.
    <Button
      variant="outlined"
      disabled={form.isBusy}
      onClick={({ currentTarget }) => currentTarget.form?.reportValidity() && submit(true)()}
    >
      {t.another}
    </Button>
  )
  return (
    <Page
      title={asset === undefined ? t.add : t.edit(asset.name)}
      back={back}
      actions={added.length > 0 && <LabelsButton ids={added} />}
      width="form"
    >
      <Form
        form={{ ...form, submit: submit(false) }}
        action={asset === undefined ? t.create : t.save}
        cancel={back}
        other={another}
      >
        <Basics asset={asset} form={form} label={labelField} />
        {grouped(specs.filter((spec) => spec.inForce)).map(([group, fields]) => (
          <Section key={group} title={group || t.details}>
            {fields.map(field)}
          </Section>
        ))}
        {others.length > 0 && (
          <More title={t.more} isOpen={false} hasProblem={others.some((spec) => problemOf(spec) !== undefined)}>
            <Grid>{others.map(field)}</Grid>
          </More>
        )}
        <More
          title={t.position}
          isOpen={form.values.latitude !== null}
          hasProblem={(form.problem('latitude') ?? form.problem('longitude')) !== undefined}
        >
          <Grid>
            <NumberField {...form.number('latitude')} />
            <NumberField {...form.number('longitude')} />
          </Grid>
        </More>
        <More title={t.public} isOpen={false}>
          <PublicFields
            specs={specs}
            value={form.values.publicFields}
            onChange={(publicFields) => form.set({ publicFields })}
          />
        </More>
      </Form>
    </Page>
  )
}

/** Types that need the whole width. */
const WIDE: ReadonlySet<string> = new Set(['TEXTAREA', 'GEO', 'PHOTO', 'ATTACHMENT', 'CHECKBOX', 'RADIO'])
