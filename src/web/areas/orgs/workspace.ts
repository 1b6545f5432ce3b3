/** Changes between the workspaces of the user and of organizations, and what follows when the user enters or leaves one. */

import { useQueryClient } from '@tanstack/react-query'

import type { Organization } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { chooseWorkspace, useSession } from '../../session/session.ts'

const words = texts({
  en: {
    switched: (name: string) =>
      `You now work for “${name}”: codes, assets and activities are those of the organization.`,
  },
  zh: { switched: (name: string) => `已切换到“${name}”：二维码、资产和活动均为该组织的内容。` },
})

/** Shows the things of the organization from now on. */
export function useSwitch(): (org: Organization) => void {
  const t = useTexts(words)
  const client = useQueryClient()
  return (org) => {
    chooseWorkspace(org)
    // Pages about organizations show the same in each workspace.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'orgs' })
    notify(t.switched(org.name), 'success')
  }
}

export const useIsWorkspace = (orgId: number): boolean => useSession().workspace?.id === orgId
