/** Metadata: fields that users, organizations and administrators define, templates of fields, and the values of things. */

import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { MINUTE } from '#platform/clock.ts'

import { bindingEndpoints, fieldListEndpoint } from './bindings/bindings.endpoints.ts'
import { reportFormulasJob } from './fields/broken.service.ts'
import { raiseVersionsJob } from './fields/changes.service.ts'
import { fieldAdminEndpoints } from './fields/fields.admin.endpoints.ts'
import { fieldEndpoints } from './fields/fields.endpoints.ts'
import { objectAdminEndpoints } from './objects/objects.admin.endpoints.ts'
import { objectEndpoints } from './objects/objects.endpoints.ts'
import { metadataAreas } from './own-data.store.ts'
import { purgeRemovedOwners } from './owners.service.ts'
import { hasMetadata, insertRemovedOwner } from './owners.store.ts'
import { seedMetadata } from './templates/seeding.service.ts'
import { templateAdminEndpoints } from './templates/templates.admin.endpoints.ts'
import { templateEndpoints } from './templates/templates.endpoints.ts'
import { purgeEntities, purgeOwner, purgeValuesJob } from './values/purging.service.ts'
import { valueEndpoints } from './values/values.endpoints.ts'
import { forgetFiles, mayReadValue } from './values/values.service.ts'

export const metadata = domain({
  name: 'metadata',
  endpoints: [
    ...objectEndpoints,
    ...objectAdminEndpoints,
    fieldListEndpoint,
    ...fieldEndpoints,
    ...fieldAdminEndpoints,
    ...bindingEndpoints,
    ...templateEndpoints,
    ...templateAdminEndpoints,
    ...valueEndpoints,
  ],
  jobs: [
    purgeValuesJob,
    raiseVersionsJob,
    reportFormulasJob,
    { name: 'metadata.purgeRemovedOwners', every: MINUTE, run: purgeRemovedOwners },
  ],
  fileEntities: { META_VALUE: mayReadValue },
  on: {
    async 'files.deleted'(ctx, tx, { files }) {
      const lost = lostBy(files, 'META_VALUE')
      if (lost) await forgetFiles(ctx, tx, lost)
    },
    'qrCodes.purging': (_ctx, tx, { ids }) => purgeEntities(tx, 'qrCode', ids),
    'activity.purging': (_ctx, tx, { id }) => purgeEntities(tx, 'activity', [id]),
    'category.deleting': (_ctx, tx, { id }) => purgeEntities(tx, 'category', [id]),
    async 'org.dissolving'(_ctx, tx, { orgId }) {
      await purgeOwner(tx, orgId)
      await insertRemovedOwner(tx, orgId)
    },
    async 'user.deleting'(_ctx, tx, { userId }) {
      await purgeOwner(tx, -userId)
      await insertRemovedOwner(tx, -userId)
    },
  },
  dataAreas: metadataAreas,
  userContent: hasMetadata,
  seed: seedMetadata,
})
export { type InForce, type TemplateInForce, templatesInForce } from './bindings/bindings.store.ts'
export { type FieldRow, formulaUses, visibleFields } from './fields/fields.store.ts'
export { isEnabled } from './objects/objects.store.ts'
export { unknownTemplates } from './templates/templates.store.ts'
export { fromText, toText } from './types/types.rules.ts'
export { type FieldFilter, needsSearch } from './values/filters.rules.ts'
export { computedMatch, fieldFilters } from './values/filters.service.ts'
export { meetsAtMost, whereFields } from './values/filters.store.ts'
export { AssetValue, NewValues } from './values/values.model.ts'
export { applyAll, checkValues, planValues, type ValueInput, type ValuePlan } from './values/planning.service.ts'
export type { EntityValues, FieldSet } from './values/reading.rules.ts'
export {
  computeValues,
  fieldsFor,
  fieldSet,
  readValues,
  refSource,
  seesValues,
  shownValues,
  valuesIn,
  valuesOf,
} from './values/reading.service.ts'
export { changeOwner, organizationOfEntity } from './values/values.service.ts'
