/** The value of a key, which is set to `initial` if there is none. */
export function getOrSet<Key, Value>(map: Map<Key, Value>, key: Key, initial: Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  map.set(key, initial)
  return initial
}
