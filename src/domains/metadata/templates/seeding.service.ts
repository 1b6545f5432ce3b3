import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'

import { insertField } from '../fields/fields.store.ts'
import { BUILT_IN_OBJECTS, COLUMN_OBJECT, GLOBAL, STANDARD_FIELDS, STANDARD_TEMPLATE } from '../metadata.rules.ts'
import { insertObjects, objectNames } from '../objects/objects.store.ts'
import { insertTemplate, setFields } from './templates.store.ts'

/**
 * Inserts the built-in objects that the database lacks, and with the object of the fixed columns its fields and default template.
 * Objects are never deleted, so fields and templates that administrators have renamed or deleted are not inserted again.
 */
export async function seedMetadata(ctx: AppContext): Promise<void> {
  const known = new Set(await objectNames(ctx.db.read))
  if (BUILT_IN_OBJECTS.every(({ name }) => known.has(name))) return
  await ctx.db.write('metadata.seed', async (tx) => {
    const objects = BUILT_IN_OBJECTS.map(({ name, label, description }) => ({
      name,
      label: label.en,
      description: description.en,
      builtIn: true,
    }))
    const inserted = await insertObjects(tx, objects)
    if (inserted.some(({ name }) => name === COLUMN_OBJECT)) await seedStandardFields(tx)
  })
}

async function seedStandardFields(tx: Tx): Promise<void> {
  const common = { objectName: COLUMN_OBJECT, owner: GLOBAL, description: '' }
  const fieldIds: number[] = []
  for (const [sortOrder, { column, type, name, config }] of STANDARD_FIELDS.entries()) {
    const field = { ...common, key: column, name: name.en, type, entityColumn: column, config, sortOrder }
    fieldIds.push((await insertField(tx, field)).id)
  }
  const template = { ...common, name: STANDARD_TEMPLATE.en, isDefault: true, sourceId: null }
  const { id } = await insertTemplate(tx, template)
  await setFields(
    tx,
    id,
    fieldIds.map((fieldId) => ({ fieldId, group: '', required: false })),
  )
}
