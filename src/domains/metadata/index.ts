/** Metadata: fields that users, organizations and administrators define, templates of fields, and the values of things. */

import { domain } from '#domains/domain.ts'

import { purgeEntities, purgeOwner, purgeValuesJob } from './values/purging/service.ts'
import { mayReadValue } from './values/service.ts'

export const metadata = domain({
  name: 'metadata',
  endpoints: [],
  jobs: [purgeValuesJob],
  fileEntities: { META_VALUE: mayReadValue },
  on: {
    'qrCodes.purging': (_ctx, tx, { ids }) => purgeEntities(tx, 'qrCode', ids),
    'category.deleting': (_ctx, tx, { id }) => purgeEntities(tx, 'category', [id]),
    'org.dissolving': (_ctx, tx, { orgId }) => purgeOwner(tx, orgId),
    'user.deleting': (_ctx, tx, { userId }) => purgeOwner(tx, -userId),
  },
})

export { type InForce, type TemplateInForce, templatesInForce } from './bindings/store.ts'
export { type FieldRow, formulaUses, visibleFields } from './fields/store.ts'
export { isEnabled } from './objects/store.ts'
export { unknownTemplates } from './templates/store.ts'
export { type FieldFilter, needsSearch } from './values/filters/rules.ts'
export { computedMatch, fieldFilters } from './values/filters/service.ts'
export { whereFields } from './values/filters/store.ts'
export { AssetValue, NewValues } from './values/model.ts'
export { checkValues, planValues, type ValueInput, type ValuePlan } from './values/planning/service.ts'
export { valuesOf } from './values/reading/service.ts'
export { changeOwner, organizationOfEntity } from './values/service.ts'
