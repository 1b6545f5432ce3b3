/** Creates or changes a field of any scope. */

import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import type { MetaField } from '../../api/types.ts'
import { FieldForm as Form } from '../../areas/assets/fields/FieldDialog.tsx'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ObjectInput, type Scoped, ScopeInput } from './shared.tsx'

const words = texts({
  en: { created: 'The field is created.', saved: 'The field is changed.' },
  zh: { created: '字段已创建。', saved: '字段已更新。' },
})

export function FieldForm({ field, onClose }: { field: MetaField | undefined; onClose: () => void }) {
  const t = useTexts(words)
  const [objectName, setObjectName] = useState(field?.objectName ?? 'asset')
  const [scope, setScope] = useState<Scoped>(field ?? { scope: 'GLOBAL', orgId: null, userId: null })
  const settings = {
    quiet: true,
    refreshes: ['metadata', 'operationLog'],
    onDone: onClose,
  }
  const create = useAction('metadata.createAnyField', { ...settings, done: t.created })
  const update = useAction('metadata.updateAnyField', { ...settings, done: t.saved })
  const { error, isPending } = field === undefined ? create : update
  const { data } = useAll('metadata.allFields', { query: { objectName } }, { enabled: useMay()('metadata.allFields') })
  const siblings = data?.filter(
    (one) =>
      one.id !== field?.id && (one.scope === 'GLOBAL' || (one.orgId === scope.orgId && one.userId === scope.userId)),
  )
  return (
    <Form
      field={field}
      siblings={siblings ?? []}
      error={error}
      isBusy={isPending}
      onSubmit={(body) => {
        if (field !== undefined) update.mutate({ params: { id: field.id }, body })
        else create.mutate({ body: { ...body, objectName, ...scope } })
      }}
      onClose={onClose}
    >
      {field === undefined && (
        <>
          <ObjectInput value={objectName} onChange={setObjectName} />
          <ScopeInput value={scope} onChange={setScope} problem={(path) => error?.problem(path)} />
        </>
      )}
    </Form>
  )
}
