/** Creates or changes a field of any scope. */

import { useAll } from '../../api/pages.ts'
import type { MetaField } from '../../api/types.ts'
import { bodyOfField, FieldForm as Form, valuesOfField } from '../../areas/assets/fields/FieldDialog.tsx'
import type { FieldValues } from '../../areas/assets/fields/model.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { useForm } from '../../ui/use-form.tsx'
import { ObjectInput, type Scoped, ScopeInput } from './shared.tsx'

const words = texts({
  en: { created: 'The field is created.', saved: 'The field is changed.' },
  zh: { created: '字段已创建。', saved: '字段已更新。' },
})

const valuesOf = (field: MetaField | undefined): FieldValues & Scoped & { objectName: string } => ({
  ...valuesOfField(field),
  objectName: field?.objectName ?? 'asset',
  scope: field?.scope ?? 'GLOBAL',
  orgId: field?.orgId ?? null,
  userId: field?.userId ?? null,
})

export function FieldForm({ field, onClose }: { field: MetaField | undefined; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    field === undefined ? 'metadata.createAnyField' : 'metadata.updateAnyField',
    () => valuesOf(field),
    {
      from: field && { version: field.version, values: valuesOf },
      done: field === undefined ? t.created : t.saved,
      refreshes: ['metadata', 'operationLog'],
      onDone: onClose,
      input: ({ objectName, scope, orgId, userId, ...values }) => ({
        params: field === undefined ? {} : { id: field.id },
        body: { ...bodyOfField(values), ...(field === undefined && { objectName, scope, orgId, userId }) },
      }),
    },
  )
  const { objectName, scope, orgId, userId } = form.values
  const { data } = useAll('metadata.allFields', { query: { objectName } }, { enabled: useMay()('metadata.allFields') })
  const siblings = data?.filter(
    (one) => one.id !== field?.id && (one.scope === 'GLOBAL' || (one.orgId === orgId && one.userId === userId)),
  )
  return (
    <Form form={form} field={field} siblings={siblings ?? []} onClose={onClose}>
      {field === undefined && (
        <>
          <ObjectInput value={objectName} onChange={(name) => form.set({ objectName: name })} />
          <ScopeInput value={{ scope, orgId, userId }} onChange={form.set} problem={form.problem} />
        </>
      )}
    </Form>
  )
}
