/** Stores whose methods a test replaces. */

import type { Store } from '#db/store.ts'

/** `store` with properties of the test in place of its own. A spread would lose the methods of its class. */
export function storeWith(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in own ? own : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
