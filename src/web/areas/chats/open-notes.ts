import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'

/** Opens the notes of the user, which are made if there are none. */
export function useOpenNotes() {
  const navigate = useNavigate()
  return useAction('chats.openNotes', {
    refreshes: ['conversations.list'],
    onDone: ({ id }) => void navigate(`/chats/${id}`),
  })
}
