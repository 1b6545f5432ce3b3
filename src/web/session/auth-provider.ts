/** Gives react-admin the signed-in user and the permissions. The rules are those of the endpoint records. */

import type { AuthProvider } from 'react-admin'

import type { Table } from '../api/data-provider.ts'
import { ApiError } from '../api/errors.ts'
import { forget, isLapsed } from '../api/tokens.ts'
import { currentSession, may, restoreSession, signOut } from './session.ts'

/** react-admin's names of actions, and the operations that they need. */
const OPERATION_OF: Readonly<Record<string, 'list' | 'get' | 'create' | 'update' | 'delete'>> = {
  list: 'list',
  export: 'list',
  show: 'get',
  create: 'create',
  clone: 'create',
  edit: 'update',
  delete: 'delete',
}

export function createAuthProvider(tables: readonly Table[]): AuthProvider {
  const byName = new Map(tables.map((table) => [table.name, table]))
  return {
    // The sign-in pages call the operations themselves.
    login: () => Promise.resolve({}),
    async logout() {
      if (currentSession() !== undefined) await signOut()
      return '/login'
    },
    async checkAuth() {
      if ((await restoreSession()) === undefined) throw Object.assign(new Error('signed out'), { message: false })
    },
    checkError(error: unknown) {
      if (error instanceof ApiError && error.status === 401) {
        // Its pages stay, and the user is asked to sign in again.
        if (isLapsed()) return Promise.resolve()
        forget()
        return Promise.reject(Object.assign(new Error(error.text), { message: false }))
      }
      return Promise.resolve()
    },
    async getIdentity() {
      const session = await restoreSession()
      if (session === undefined) throw new Error('signed out')
      const { id, nickname, username, avatarUrl } = session.user
      return {
        id,
        fullName: nickname || username || String(id),
        ...(avatarUrl !== null && { avatar: avatarUrl }),
      }
    },
    getPermissions: () => Promise.resolve(currentSession()?.platform),
    canAccess({ resource, action }) {
      const kind = OPERATION_OF[action]
      const operation = kind && byName.get(resource)?.operations[kind]
      return Promise.resolve(operation !== undefined && may(operation))
    },
  }
}
