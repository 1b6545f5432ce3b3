/** The things that the user has opened last, for the command palette. Kept in this browser until the session ends, like answers of the server. */

import { useEffect } from 'react'
import { useLocation } from 'react-router'

import { findAnswer, keepAnswer } from '../browser/database.ts'
import { serverTime } from '../browser/server-time.ts'
import { currentSession } from './session.ts'

export const RECENT_KINDS = ['code', 'asset', 'activity', 'organization', 'contact', 'chat', 'stockTaking'] as const
export type RecentKind = (typeof RECENT_KINDS)[number]

export interface Recent {
  readonly kind: RecentKind
  /** Path below `/console`. */
  readonly to: string
  readonly name: string
}

const MOST = 10
/** In place of an operation and its input. */
const ID = 'recent'

/** The newest first. Empty if the browser refuses its database. */
export async function findRecent(userId: number): Promise<readonly Recent[]> {
  const kept = await findAnswer(userId, ID, '').catch(() => undefined)
  return (kept?.data ?? []) as readonly Recent[]
}

async function remember(userId: number, opened: Recent): Promise<void> {
  const others = (await findRecent(userId)).filter(({ to }) => to !== opened.to)
  const data = [opened, ...others].slice(0, MOST)
  await keepAnswer({ userId, id: ID, key: '', data, at: serverTime() })
}

/** The page shows this thing. */
export function useRecent(kind: RecentKind, name: string | undefined): void {
  const { pathname } = useLocation()
  useEffect(() => {
    const user = currentSession()?.user
    if (user === undefined || name === undefined) return
    void remember(user.id, { kind, to: pathname, name }).catch(() => undefined)
  }, [kind, name, pathname])
}
