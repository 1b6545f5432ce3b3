/** The fields that the form of an asset has, and their values. */

import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'

import { callWith } from '../../../api/client.ts'
import { useCall } from '../../../api/hooks.ts'
import { useAll } from '../../../api/pages.ts'
import type { MetaTemplate, MetaTemplateFields } from '../../../api/types.ts'
import { useMay, useOwner, useOwnerQuery } from '../../../session/session.ts'
import { useCategories } from '../places.ts'
import { type FieldSpec, specOfField, specOfValue } from './model.ts'

const OBJECT = { objectName: 'asset' }
const NONE: readonly never[] = []

/** Fields and values of an asset, those of the templates in force first. */
export function useAssetFields(assetId: number | undefined) {
  const may = useMay()
  const owned = useOwnerQuery()
  const { data, isLoading } = useCall(
    'metadata.values',
    { params: { ...OBJECT, entityId: assetId ?? 0 }, query: owned },
    { enabled: assetId !== undefined && may('metadata.values') },
  )
  return useMemo(
    () => ({
      isLoading,
      specs: (data?.items ?? NONE).map(specOfValue),
      values: Object.fromEntries((data?.items ?? NONE).map(({ fieldId, value }) => [fieldId, value])),
      missing: data?.missingRequired ?? (NONE as readonly number[]),
    }),
    [data, isLoading],
  )
}

/** All fields that the user sees in the workspace. */
export function useAllFields(enabled = true): readonly FieldSpec[] {
  const may = useMay()
  const owned = useOwnerQuery()
  const { data } = useAll(
    'metadata.fields',
    { params: OBJECT, query: owned },
    { enabled: enabled && may('metadata.fields') },
  )
  return useMemo(() => (data ?? NONE).map((field) => specOfField(field)), [data])
}

/** The templates of the workspace, GLOBAL ones included. */
export function useTemplates(enabled = true): readonly MetaTemplate[] {
  const owner = useOwner()
  const may = useMay()
  const own = useAll(
    'metadata.templates',
    { params: OBJECT },
    { enabled: enabled && owner === null && may('metadata.templates') },
  )
  const ofOrg = useAll(
    'metadata.orgTemplates',
    { params: { ...OBJECT, orgId: owner?.id ?? 0 } },
    { enabled: enabled && owner !== null && may('metadata.orgTemplates') },
  )
  return (owner === null ? own : ofOrg).data ?? NONE
}

/**
 * The fields of a new asset, or of one that is moved to another category: those of the templates of the category, or of the nearest one
 * above that has some, or of the default template; then all others.
 */
export function useFieldsOfCategory(categoryId: number | null, enabled: boolean): readonly FieldSpec[] {
  const owner = useOwner()
  const categories = useCategories()
  const templates = useTemplates(enabled)
  const all = useAllFields(enabled)

  const templateIds = useMemo(() => {
    const byId = new Map(categories.map(({ id, node }) => [id, node]))
    let category = categoryId === null ? undefined : byId.get(categoryId)
    while (category !== undefined && category.templateIds.length === 0)
      category = category.parentId === null ? undefined : byId.get(category.parentId)
    if (category !== undefined) {
      const { templateIds: ids, defaultTemplateId } = category
      return ids.toSorted((a, b) => Number(b === defaultTemplateId) - Number(a === defaultTemplateId))
    }
    const standard = templates.filter(({ isDefault }) => isDefault)
    const chosen = standard.find(({ scope }) => scope !== 'GLOBAL') ?? standard[0]
    return chosen === undefined ? [] : [chosen.id]
  }, [categories, categoryId, templates])

  const contents = useQueries({
    queries: templateIds.map((id) => {
      const operation = owner === null ? ('metadata.templateFields' as const) : ('metadata.orgTemplateFields' as const)
      const params: Record<string, number> = owner === null ? { id } : { id, orgId: owner.id }
      return {
        queryKey: [...operation.split('.'), { params }],
        queryFn: () => callWith(operation, { params }, {}) as Promise<MetaTemplateFields>,
        enabled,
      }
    }),
    combine: (results) => results.flatMap(({ data }) => data?.items ?? []),
  })

  return useMemo(() => {
    const required = new Set(contents.flatMap((item) => (item.required ? [item.fieldId] : [])))
    const specs = new Map<number, FieldSpec>()
    for (const { fieldId, field, group } of contents)
      if (!specs.has(fieldId))
        specs.set(fieldId, specOfField(field, { group, required: required.has(fieldId), inForce: true }))
    for (const spec of all) if (!specs.has(spec.fieldId)) specs.set(spec.fieldId, spec)
    return [...specs.values()]
  }, [contents, all])
}
