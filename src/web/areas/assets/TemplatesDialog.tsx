/** Binds field templates to one asset, in addition to those of its category. */

import { Typography } from '@mui/material'

import { call } from '../../api/client.ts'
import { useCall, useRefresh } from '../../api/hooks.ts'
import type { Asset, MetaTemplatesInForce } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwner } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { PlacesPicker } from '../../ui/tree/PlacePicker.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useTemplates } from './fields/useFields.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Field templates',
    help: 'The form of this asset has the fields of these templates. Values that were entered stay.',
    bound: 'Only for this asset',
    ofCategory: (names: string) => `From its category: ${names}`,
    standard: (names: string) => `Used while no other is chosen: ${names}`,
    none: 'There is no template that could be chosen. Create one under Fields → Templates.',
  },
  zh: {
    ...common.zh,
    title: '字段模板',
    help: '该资产的表单包含这些模板的字段。已填写的值会保留。',
    bound: '仅用于该资产',
    ofCategory: (names: string) => `来自分类：${names}`,
    standard: (names: string) => `未选择其他模板时使用：${names}`,
    none: '没有可选的模板，请先在“字段”的“模板”中新建。',
  },
})

export function useMayBind(): boolean {
  const owner = useOwner()
  const may = useMay()
  return owner === null
    ? may('metadata.bind') && may('metadata.bindings')
    : may('metadata.orgBind') && may('metadata.orgBindings')
}

interface TemplatesDialogProps {
  asset: Asset
  onClose: () => void
}

export function TemplatesDialog({ asset, onClose }: TemplatesDialogProps) {
  const t = useTexts(words)
  const owner = useOwner()
  const orgId = owner?.id ?? 0
  const params = { objectName: 'asset', entityId: asset.id }
  const own = useCall('metadata.bindings', { params }, { enabled: owner === null })
  const ofOrg = useCall('metadata.orgBindings', { params: { ...params, orgId } }, { enabled: owner !== null })
  const query = owner === null ? own : ofOrg
  if (query.data === undefined)
    return (
      <NoticeDialog title={t.title} onClose={onClose}>
        <Answer query={query}>{() => null}</Answer>
      </NoticeDialog>
    )
  return <TemplatesForm asset={asset} inForce={query.data.items} onClose={onClose} />
}

interface TemplatesFormProps extends TemplatesDialogProps {
  inForce: MetaTemplatesInForce['items']
}

function TemplatesForm({ asset, inForce, onClose }: TemplatesFormProps) {
  const t = useTexts(words)
  const owner = useOwner()
  const refresh = useRefresh()
  const templates = useTemplates()
  const before = inForce.filter(({ source }) => source === 'ENTITY').map(({ templateId }) => templateId)
  const namesOf = (wanted: 'CATEGORY' | 'DEFAULT') =>
    list(inForce.filter(({ source }) => source === wanted).map(({ name }) => name))
  const [ofCategory, standard] = [namesOf('CATEGORY'), namesOf('DEFAULT')]
  const params = { objectName: 'asset', entityId: asset.id }

  const form = useForm(
    'metadata.bindings',
    { templateIds: before as readonly number[] },
    {
      onDone: onClose,
      input: () => ({ params }),
      send: () => save().finally(() => refresh('metadata')),
    },
  )
  const { templateIds: chosen } = form.values
  const save = async (): Promise<MetaTemplatesInForce> => {
    const added = chosen.filter((id) => !before.includes(id))
    const removed = before.filter((id) => !chosen.includes(id))
    // Without ids the default template would be bound.
    if (added.length > 0) {
      const body = { templateIds: added }
      if (owner === null) await call('metadata.bind', { params, body })
      else await call('metadata.orgBind', { params: { ...params, orgId: owner.id }, body })
    }
    for (const templateId of removed)
      if (owner === null) await call('metadata.unbind', { params: { ...params, templateId } })
      else await call('metadata.orgUnbind', { params: { ...params, orgId: owner.id, templateId } })
    return { items: inForce }
  }
  return (
    <FormDialog form={form} title={t.title} action={t.save} onClose={onClose}>
      <Typography color="text.secondary">{templates.length === 0 ? t.none : t.help}</Typography>
      {templates.length > 0 && (
        <PlacesPicker
          {...form.pick('templateIds', { label: t.bound })}
          places={templates.map(({ id, name }) => ({ id, path: name }))}
        />
      )}
      {ofCategory !== '' && <Typography variant="body2">{t.ofCategory(ofCategory)}</Typography>}
      {standard !== '' && chosen.length === 0 && <Typography variant="body2">{t.standard(standard)}</Typography>}
    </FormDialog>
  )
}
