/** The locations of an organization as a tree. */

import { Add, Place, Print } from '@mui/icons-material'
import { Box, Button, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { LocationNode, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { MapLink } from '../../ui/MapLink.tsx'
import { Section } from '../../ui/parts.tsx'
import type { TreeActions } from '../../ui/tree/NodeMenu.tsx'
import { TreeEditor } from '../../ui/tree/TreeEditor.tsx'
import { LocationDialog, MAX_DEPTH } from './LocationDialog.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Locations',
    add: 'Add location',
    labels: 'Labels',
    empty: 'No locations yet',
    emptyText: 'Add buildings, rooms and shelves. Assets, codes and activities can then be placed in them.',
    below: 'Add a location inside',
    edit: 'Edit or move',
    deleteOf: (name: string) => `Delete “${name}”?`,
    deleteText: 'Only an empty location can be deleted: move what is in it first. This cannot be undone.',
    deleted: 'The location is deleted.',
  },
  zh: {
    ...common.zh,
    title: '位置',
    add: '添加位置',
    labels: '标签',
    empty: '还没有位置',
    emptyText: '可添加楼栋、房间和货架，之后可将资产、二维码和活动放到这些位置。',
    below: '添加下级位置',
    edit: '编辑或移动',
    deleteOf: (name: string) => `删除“${name}”？`,
    deleteText: '只能删除空的位置，请先移走其中的内容。此操作无法撤销。',
    deleted: '位置已删除。',
  },
})

/** The dialog that is open: of a new location inside another one (null: on the top level), or of an existing one. */
type Edited = { parentId: number | null } | LocationNode

export function Locations({ org }: { org: Organization }) {
  const t = useTexts(words)
  const may = useMay()
  const query = useCall('locations.tree', { params: { orgId: org.id } })
  const [edited, setEdited] = useState<Edited>()
  const [deleted, setDeleted] = useState<LocationNode>()
  const pin = useAction('locations.pin')
  const reorder = useAction('locations.reorder')
  const params = { orgId: org.id }
  const actions: TreeActions<LocationNode> = {
    maxDepth: MAX_DEPTH,
    names: { add: t.below, edit: t.edit },
    isOrdering: reorder.isPending,
    ...(may('locations.create', org) && { onAdd: ({ id }) => setEdited({ parentId: id }) }),
    ...(may('locations.update', org) && {
      onEdit: setEdited,
      onPin: ({ id }, pinned) => pin.mutate({ params: { ...params, locationId: id }, body: { pinned } }),
      onOrder: (ids) => reorder.mutate({ params, body: { ids } }),
    }),
    ...(may('locations.delete', org) && { onDelete: setDeleted }),
  }
  const add = may('locations.create', org) && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setEdited({ parentId: null })} data-create>
      {t.add}
    </Button>
  )
  const actionsOf = (
    <>
      {may('assets.labels', org) && (
        <Button component={Link} to={`/assets/labels?source=LOCATION&org=${org.id}`} startIcon={<Print />}>
          {t.labels}
        </Button>
      )}
      {add}
    </>
  )
  return (
    <Section title={t.title} actions={(query.data?.length ?? 0) > 0 && actionsOf}>
      <Answer query={query}>
        {(tree) => (
          <>
            {tree.length === 0 ? (
              <EmptyState icon={Place} title={t.empty} text={t.emptyText} action={add} />
            ) : (
              <TreeEditor label={t.title} tree={tree} {...actions}>
                {(location) => <Details location={location} />}
              </TreeEditor>
            )}
            {edited && (
              <LocationDialog
                org={org}
                tree={tree}
                parentId={edited.parentId}
                {...('id' in edited && { location: edited })}
                onClose={() => setEdited(undefined)}
              />
            )}
          </>
        )}
      </Answer>
      {deleted && <DeleteLocation org={org} location={deleted} onClose={() => setDeleted(undefined)} />}
    </Section>
  )
}

function Details({ location: { name, description, latitude, longitude } }: { location: LocationNode }) {
  return (
    <>
      <Box sx={{ overflowWrap: 'anywhere', fontWeight: 500 }}>{name}</Box>
      {description !== '' && (
        <Typography variant="body2" color="text.secondary" sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {description}
        </Typography>
      )}
      {latitude !== null && longitude !== null && (
        <Typography variant="body2">
          <MapLink latitude={latitude} longitude={longitude} name={name} />
        </Typography>
      )}
    </>
  )
}

function DeleteLocation({
  org,
  location,
  onClose,
}: {
  org: Organization
  location: LocationNode
  onClose: () => void
}) {
  const t = useTexts(words)
  return (
    <ActionDialog
      operation="locations.delete"
      input={{ params: { orgId: org.id, locationId: location.id } }}
      title={t.deleteOf(location.name)}
      text={t.deleteText}
      action={t.delete}
      done={t.deleted}
      onClose={onClose}
    />
  )
}
