/**
 * Pages about one row. Their addresses mean the same in every workspace: names, choices and permissions are those of the owner of the
 * row, and a bar says whose it is if that is not the workspace.
 */

import { Groups, Person } from '@mui/icons-material'
import { Alert, Button } from '@mui/material'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useContext } from 'react'
import { useSearchParams } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { chooseWorkspace, type Owner, OwnerContext, useOwner, useSession } from '../session/session.ts'
import { PageAnswer } from './NotFound.tsx'

const words = texts({
  en: {
    ofOrg: (name: string) => `This belongs to ${name}.`,
    own: 'This is your own.',
    work: 'Work here',
    personal: 'Switch to Personal',
  },
  zh: {
    ofOrg: (name: string) => `此内容属于“${name}”。`,
    own: '此内容属于你个人。',
    work: '切换到此组织',
    personal: '切换到个人',
  },
})

export interface OwnedProps {
  /** The organization that owns the row; null: the user. Undefined until the row was read. */
  orgId: number | null | undefined
  children: ReactNode
}

export function Owned({ orgId, children }: OwnedProps) {
  const { orgs } = useSession()
  // The session has at most 100 organizations. The server decides about the others.
  const other: Owner = { id: orgId ?? 0, name: '', status: 'ACTIVE', permissions: [] }
  const owner = orgId == null ? orgId : (orgs.find(({ id }) => id === orgId) ?? other)
  return <OwnerContext value={owner}>{children}</OwnerContext>
}

/** Draws `children` with the row that a query answers, as a page about its owner. */
export function OwnedAnswer<Row extends { readonly orgId: number | null }>({
  query,
  children,
}: {
  query: UseQueryResult<Row, Error>
  children: (row: Row) => ReactNode
}) {
  return <PageAnswer query={query}>{(row) => <Owned orgId={row.orgId}>{children(row)}</Owned>}</PageAnswer>
}

/** Below the title of a page about a row that does not belong to the workspace. */
export function OwnerBar({ onSwitch }: { onSwitch?: () => void }) {
  const t = useTexts(words)
  const { orgs, workspace } = useSession()
  const isOwned = useContext(OwnerContext) !== undefined
  const owner = useOwner()
  if (!isOwned || owner?.id === workspace?.id || owner?.name === '') return null
  return (
    <Alert
      role="note"
      severity="info"
      icon={owner === null ? <Person /> : <Groups />}
      sx={{ mb: 2, py: 0, alignItems: 'center', overflowWrap: 'anywhere', displayPrint: 'none' }}
      action={
        <Button
          color="inherit"
          size="small"
          onClick={() => {
            // The page stays as it is: everything on it is read by its owner.
            chooseWorkspace(orgs.find(({ id }) => id === owner?.id) ?? null)
            onSwitch?.()
          }}
        >
          {owner === null ? t.personal : t.work}
        </Button>
      }
    >
      {owner === null ? t.own : t.ofOrg(owner.name)}
    </Alert>
  )
}

/** The owner in an address (`?org=3`) of a page about several rows, or of rows that the interface reads by their owner. */
export function useAddressOwner(): number | null {
  const [search] = useSearchParams()
  return Number(search.get('org')) || null
}

/** Adds the owner to an address that has a query. */
export function useOwnedPath(): (path: string) => string {
  const owner = useOwner()
  return (path) => (owner === null ? path : `${path}&org=${owner.id}`)
}
