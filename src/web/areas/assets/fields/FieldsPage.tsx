/** Fields and templates of the workspace: the data that users record about assets, codes, activities and organizations. */

import { Stack, Tab, Tabs } from '@mui/material'
import { useSearchParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay } from '../../../session/session.ts'
import { ChoiceField } from '../../../ui/fields.tsx'
import { Page } from '../../../ui/Page.tsx'
import { AssetTabs } from '../parts.tsx'
import { FieldList } from './FieldList.tsx'
import { TemplateList } from './TemplateList.tsx'

const words = texts({
  en: {
    title: 'Fields and templates',
    fields: 'Fields',
    templates: 'Templates',
    object: 'Of',
    parts: 'Fields or templates',
  },
  zh: { title: '字段和模板', fields: '字段', templates: '模板', object: '对象', parts: '字段或模板' },
})

export default function FieldsPage() {
  const t = useTexts(words)
  const may = useMay()
  const [params, setParams] = useSearchParams()
  const part = params.get('part') ?? 'fields'
  const objectName = params.get('object') ?? 'asset'
  const { data } = useCall('metadata.objects', { query: { size: 100 } }, { enabled: may('metadata.objects') })
  const objects = (data?.items ?? []).filter(({ enabled }) => enabled)
  const set = (name: string, value: string) =>
    setParams(
      (now) => {
        now.set(name, value)
        return now
      },
      { replace: true },
    )
  return (
    <Page title={t.title}>
      <AssetTabs />
      <Stack direction="row" useFlexGap spacing={2} sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 2 }}>
        <Tabs value={part} onChange={(_, next: string) => set('part', next)} aria-label={t.parts} sx={{ flex: 1 }}>
          <Tab value="fields" label={t.fields} id="part-fields" aria-controls="part" />
          <Tab value="templates" label={t.templates} id="part-templates" aria-controls="part" />
        </Tabs>
        {objects.length > 1 && (
          <ChoiceField
            label={t.object}
            value={objects.some(({ name }) => name === objectName) ? objectName : ''}
            choices={objects.map(({ name, label }) => ({ id: name, name: label }))}
            onChange={(name) => set('object', name)}
          />
        )}
      </Stack>
      <div role="tabpanel" id="part" aria-labelledby={`part-${part}`}>
        {part === 'fields' ? <FieldList objectName={objectName} /> : <TemplateList objectName={objectName} />}
      </div>
    </Page>
  )
}
