/** The messages of a conversation in a component. */

import { useEffect, useState, useSyncExternalStore } from 'react'

import { useLive } from '../../session/live.ts'
import { type MessageState, MessageStore } from './message-store.ts'
import { onSent } from './outbox.ts'

export type Messages = MessageState & Pick<MessageStore, 'loadOlder' | 'fillGap' | 'replace' | 'remove' | 'clear'>

/** `wanted`: this message and those around it are read too, however old it is. */
export function useMessages(conversationId: number, wanted: number | undefined): Messages {
  // The component has the id of the conversation as its key.
  const [store] = useState(() => new MessageStore(conversationId))
  const state = useSyncExternalStore(store.subscribe, store.read)
  useEffect(() => {
    void store.load()
    return () => store.close()
  }, [store])
  const { hasMore, gap } = state
  const oldest = state.items?.[0]?.id
  useEffect(() => {
    if (wanted !== undefined) store.show(wanted)
  }, [store, wanted, oldest, hasMore, gap])
  useLive('hello', store.onHello)
  useLive('message', store.onMessage)
  useLive('message.updated', store.onUpdated)
  useLive('message.recalled', store.onRecalled)
  useLive('message.read', store.onRead)
  useEffect(() => onSent(store.put), [store])
  const { loadOlder, fillGap, replace, remove, clear } = store
  return { ...state, loadOlder, fillGap, replace, remove, clear }
}
