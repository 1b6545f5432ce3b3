/** Photos that are being added to the album of the workspace, two at a time. */

import { useRef, useState } from 'react'

import { upload } from '../../api/client.ts'
import { useRefresh } from '../../api/hooks.ts'
import { tokenUser } from '../../api/tokens.ts'
import { ownerQuery } from '../../session/session.ts'

export interface Upload {
  readonly id: number
  readonly file: File
  readonly state: 'waiting' | 'sending' | 'done' | 'failed'
  /** The fraction that was sent, 0 to 1. The server converts the picture afterwards. */
  readonly sent: number
  readonly error?: unknown
}

export interface Uploads {
  readonly list: readonly Upload[]
  readonly add: (files: readonly File[]) => void
  readonly retry: (id: number) => void
  /** Removes uploads that are done or have failed from the list. */
  readonly clear: () => void
}

/** More would not be faster: the server works on two pictures at a time. */
const AT_ONCE = 2

export function useUploads(): Uploads {
  const refresh = useRefresh()
  const [list, setList] = useState<readonly Upload[]>([])
  const waiting = useRef<{ id: number; file: File; owner: { orgId?: number }; userId: number | undefined }[]>([])
  const running = useRef(0)
  const lastId = useRef(0)

  const change = (id: number, part: Partial<Upload>) =>
    setList((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)))

  const start = async () => {
    const next = waiting.current.shift()
    if (next === undefined) return
    // Photos of a user who has signed out are not added to the album of the next one.
    if (next.userId !== tokenUser()) return await start()
    running.current++
    change(next.id, { state: 'sending', sent: 0 })
    const form = new FormData()
    if (next.owner.orgId !== undefined) form.set('orgId', String(next.owner.orgId))
    form.set('file', next.file)
    try {
      await upload('album.add', { query: next.owner, form, onProgress: (sent) => change(next.id, { sent }) })
      change(next.id, { state: 'done', sent: 1 })
    } catch (error) {
      change(next.id, { state: 'failed', error })
    }
    running.current--
    if (waiting.current.length > 0) void start()
    else if (running.current === 0) await refresh('album', 'profile.quotas')
  }
  const enqueue = (id: number, file: File) => {
    // The workspace may change while photos wait.
    waiting.current.push({ id, file, owner: ownerQuery(), userId: tokenUser() })
    if (running.current < AT_ONCE) void start()
  }
  return {
    list,
    add: (files) => {
      const added = files.map((file) => ({ id: ++lastId.current, file, state: 'waiting' as const, sent: 0 }))
      setList((all) => [...all.filter(({ state }) => state !== 'done'), ...added])
      for (const { id, file } of added) enqueue(id, file)
    },
    retry: (id) => {
      const found = list.find((one) => one.id === id)
      if (found === undefined) return
      change(id, { state: 'waiting', sent: 0, error: undefined })
      enqueue(id, found.file)
    },
    clear: () => setList((all) => all.filter(({ state }) => state === 'sending' || state === 'waiting')),
  }
}
