/** Metadata: fields that users, organizations and administrators define, templates of fields, and the values of things. */

import { domain } from '#domains/domain.ts'

export const metadata = domain({
  name: 'metadata',
  endpoints: [],
})

export { type InForce, type TemplateInForce, templatesInForce } from './bindings/store.ts'
export { type FieldRow, formulaUses, visibleFields } from './fields/store.ts'
export { isEnabled } from './objects/store.ts'
export { unknownTemplates } from './templates/store.ts'
