/** The locations of an organization as a tree. */

import {
  Add,
  ArrowDownward,
  ArrowUpward,
  Delete,
  Edit,
  MoreVert,
  Place,
  PushPin,
  PushPinOutlined,
  SubdirectoryArrowRight,
} from '@mui/icons-material'
import {
  Box,
  Button,
  IconButton,
  Link as MuiLink,
  ListItemIcon,
  ListItemText,
  Menu,
  MenuItem,
  Typography,
} from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import type { LocationNode, Organization } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row } from '../../ui/Rows.tsx'
import { LocationDialog } from './LocationDialog.tsx'

const words = texts({
  en: {
    title: 'Locations',
    add: 'Add location',
    empty: 'No locations yet',
    emptyText: 'Add buildings, rooms and shelves. Assets, codes and activities can then be placed in them.',
    more: (name: string) => `Actions for ${name}`,
    below: 'Add a location inside',
    edit: 'Edit or move',
    pin: 'Pin to the top',
    unpin: 'Unpin',
    up: 'Move up',
    down: 'Move down',
    delete: 'Delete',
    deleteOf: (name: string) => `Delete “${name}”?`,
    deleteText: 'Only an empty location can be deleted: move what is in it first. This cannot be undone.',
    deleted: 'The location is deleted.',
    map: (position: string) => `${position} on the map`,
    pinned: 'Pinned',
  },
  zh: {
    title: '位置',
    add: '添加位置',
    empty: '还没有位置',
    emptyText: '可添加楼栋、房间和货架，之后可将资产、二维码和活动放到这些位置。',
    more: (name: string) => `对${name}的操作`,
    below: '添加下级位置',
    edit: '编辑或移动',
    pin: '置顶',
    unpin: '取消置顶',
    up: '上移',
    down: '下移',
    delete: '删除',
    deleteOf: (name: string) => `删除“${name}”？`,
    deleteText: '只能删除空的位置，请先移走其中的内容。此操作无法撤销。',
    deleted: '位置已删除。',
    map: (position: string) => `在地图上查看 ${position}`,
    pinned: '已置顶',
  },
})

/** The dialog that is open: of a new location inside another one (null: on the top level), or of an existing one. */
type Edited = { parentId: number | null } | LocationNode

export function Locations({ org }: { org: Organization }) {
  const t = useTexts(words)
  const may = useMay()
  const query = useCall('locations.tree', { params: { orgId: org.id } })
  const [edited, setEdited] = useState<Edited>()
  const add = may('locations.create', org) && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setEdited({ parentId: null })} data-create>
      {t.add}
    </Button>
  )
  return (
    <Section title={t.title} actions={(query.data?.length ?? 0) > 0 && add}>
      <Answer query={query}>
        {(tree) => (
          <>
            {tree.length === 0 ? (
              <EmptyState icon={Place} title={t.empty} text={t.emptyText} action={add} />
            ) : (
              <Level org={org} nodes={tree} depth={0} onEdit={setEdited} />
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
    </Section>
  )
}

interface LevelProps {
  org: Organization
  nodes: readonly LocationNode[]
  depth: number
  onEdit: (edited: Edited) => void
}

function Level({ org, nodes, depth, onEdit }: LevelProps) {
  const t = useTexts(words)
  return (
    <Box
      component="ul"
      {...(depth === 0 && { 'aria-label': t.title })}
      sx={{
        listStyle: 'none',
        m: 0,
        p: 0,
        ...(depth > 0 && { ml: { xs: 1, sm: 2 }, pl: { xs: 1, sm: 2 }, borderLeft: 2, borderColor: 'divider' }),
      }}
    >
      {nodes.map((node, index) => (
        <Box component="li" key={node.id}>
          <Node org={org} node={node} siblings={nodes} index={index} onEdit={onEdit} />
          {node.children.length > 0 && <Level org={org} nodes={node.children} depth={depth + 1} onEdit={onEdit} />}
        </Box>
      ))}
    </Box>
  )
}

interface NodeProps {
  org: Organization
  node: LocationNode
  siblings: readonly LocationNode[]
  index: number
  onEdit: (edited: Edited) => void
}

function Node({ org, node, siblings, index, onEdit }: NodeProps) {
  const t = useTexts(words)
  const may = useMay()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const pin = useAction('locations.pin')
  const reorder = useAction('locations.reorder')
  const remove = useAction('locations.delete', { done: t.deleted, quiet: true, onDone: () => setDeleting(false) })
  const params = { orgId: org.id, locationId: node.id }
  const mayUpdate = may('locations.update', org)
  const close = (then: () => void) => () => {
    setAnchor(null)
    then()
  }
  /** Pinned locations are always first, so only those of the same kind change places. */
  const canSwap = (other: number) => siblings[other]?.pinned === node.pinned
  const swap = (other: number) => {
    const ids = siblings.map(({ id }) => id)
    ids[index] = siblings[other]!.id
    ids[other] = node.id
    reorder.mutate({ params: { orgId: org.id }, body: { ids } })
  }
  const { latitude, longitude } = node
  const entries = [
    may('locations.create', org) &&
      entry(
        'below',
        t.below,
        <SubdirectoryArrowRight fontSize="small" />,
        close(() => onEdit({ parentId: node.id })),
      ),
    mayUpdate &&
      entry(
        'edit',
        t.edit,
        <Edit fontSize="small" />,
        close(() => onEdit(node)),
      ),
    mayUpdate &&
      entry(
        'pin',
        node.pinned ? t.unpin : t.pin,
        <PushPinOutlined fontSize="small" />,
        close(() => pin.mutate({ params, body: { pinned: !node.pinned } })),
      ),
    mayUpdate &&
      canSwap(index - 1) &&
      entry(
        'up',
        t.up,
        <ArrowUpward fontSize="small" />,
        close(() => swap(index - 1)),
      ),
    mayUpdate &&
      canSwap(index + 1) &&
      entry(
        'down',
        t.down,
        <ArrowDownward fontSize="small" />,
        close(() => swap(index + 1)),
      ),
    may('locations.delete', org) &&
      entry(
        'delete',
        t.delete,
        <Delete fontSize="small" color="error" />,
        close(() => setDeleting(true)),
      ),
  ].filter((shown) => shown !== false)
  return (
    <Box sx={{ py: 0.75 }}>
      <Row
        title={
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, fontWeight: 500 }}>
            {node.name}
            {node.pinned && <PushPin fontSize="small" color="primary" titleAccess={t.pinned} />}
          </Box>
        }
        details={
          (node.description !== '' || latitude !== null) && (
            <>
              {node.description !== '' && <Box sx={{ whiteSpace: 'pre-line' }}>{node.description}</Box>}
              {latitude !== null && longitude !== null && (
                <MuiLink
                  href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=18/${latitude}/${longitude}`}
                  target="_blank"
                  rel="noopener noreferrer"
                >
                  {t.map(`${latitude.toFixed(5)}, ${longitude.toFixed(5)}`)}
                </MuiLink>
              )}
            </>
          )
        }
        actions={
          entries.length > 0 && (
            <IconButton
              aria-label={t.more(node.name)}
              aria-haspopup="menu"
              onClick={(event) => setAnchor(event.currentTarget)}
              sx={{ width: 44, height: 44 }}
            >
              <MoreVert />
            </IconButton>
          )
        }
      />
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {entries}
      </Menu>
      <ConfirmDialog
        isOpen={isDeleting}
        title={t.deleteOf(node.name)}
        text={<Typography>{t.deleteText}</Typography>}
        action={t.delete}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ params })}
        onClose={() => {
          setDeleting(false)
          remove.reset()
        }}
      />
    </Box>
  )
}

const entry = (key: string, text: string, icon: ReactNode, onClick: () => void) => (
  <MenuItem key={key} onClick={onClick}>
    <ListItemIcon>{icon}</ListItemIcon>
    <ListItemText>{text}</ListItemText>
  </MenuItem>
)
