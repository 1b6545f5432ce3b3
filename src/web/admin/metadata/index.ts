/** Fields and templates that administrators define for everybody, and the object types that can have them. */

import { Category, DynamicForm, ViewList } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

export const adminMetadata = area({
  menu: [
    {
      group: 'content',
      to: '/admin/fields',
      label: things.field.many,
      icon: DynamicForm,
      needs: 'metadata.allFields',
      order: 60,
    },
    {
      group: 'content',
      to: '/admin/templates',
      label: things.template.many,
      icon: ViewList,
      needs: 'metadata.allTemplates',
      order: 61,
    },
    {
      group: 'content',
      to: '/admin/objects',
      label: things.objectType.many,
      icon: Category,
      needs: 'metadata.allObjects',
      order: 62,
    },
  ],
  pages: [
    { path: '/admin/fields', component: part(() => import('./FieldList.tsx')), needs: 'metadata.allFields' },
    { path: '/admin/templates', component: part(() => import('./TemplateList.tsx')), needs: 'metadata.allTemplates' },
    { path: '/admin/objects', component: part(() => import('./ObjectList.tsx')), needs: 'metadata.allObjects' },
  ],
})
