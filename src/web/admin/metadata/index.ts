/** Fields and templates that administrators define for everybody, and the object types that can have them. */

import { Category, DynamicForm, ViewList } from '@mui/icons-material'
import { lazy } from 'react'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

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
  resources: [
    {
      name: 'admin/fields',
      label: { en: 'fields', zh: '字段' },
      operations: { list: 'metadata.allFields', delete: 'metadata.deleteAnyField' },
      list: lazy(() => import('./FieldList.tsx')),
    },
    {
      name: 'admin/templates',
      label: { en: 'templates', zh: '模板' },
      operations: { list: 'metadata.allTemplates', delete: 'metadata.deleteAnyTemplate' },
      list: lazy(() => import('./TemplateList.tsx')),
    },
    {
      name: 'admin/objects',
      label: { en: 'object types', zh: '对象类型' },
      operations: { list: 'metadata.allObjects' },
      key: 'name',
      list: lazy(() => import('./ObjectList.tsx')),
    },
  ],
})
