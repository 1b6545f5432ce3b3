import { afterAll, beforeAll } from 'bun:test'

import type { Person } from './people.ts'
import { type ServerOptions, startServer, type TestServer } from './server.ts'

interface Options<Name extends string> extends ServerOptions {
  /** Users to register, by username. */
  people?: readonly Name[]
}

type World<Name extends string> = Record<Name, Person> & {
  server: TestServer
  /** The first administrator. */
  admin: Person
}

/**
 * Starts a server before the tests of the file (or of the enclosing `describe`) and stops it after them.
 *
 *     const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })
 *
 * All of them stand in for objects that exist once `beforeAll` has run.
 */
export function useServer<const Name extends string = never>(options: Options<Name> = {}): World<Name> {
  const world: Record<string, object> = {}
  beforeAll(async () => {
    const server = await startServer(options)
    world['server'] = server
    for (const name of options.people ?? []) world[name] = await server.person(name)
    if (!options.noAdmin) world['admin'] = await server.admin()
  })
  afterAll(() => (world['server'] as TestServer | undefined)?.stop())
  const names = ['server', 'admin', ...(options.people ?? [])]
  return Object.fromEntries(names.map((name) => [name, standInFor(() => world[name], name)])) as World<Name>
}

function standInFor(find: () => object | undefined, name: string): object {
  const found = () => {
    const object = find()
    if (object === undefined) throw new Error(`${name} was used before beforeAll had run`)
    return object
  }
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(found(), key) as unknown,
      set: (_, key, value) => Reflect.set(found(), key, value),
      has: (_, key) => Reflect.has(found(), key),
      ownKeys: () => Reflect.ownKeys(found()),
      getOwnPropertyDescriptor: (_, key) => {
        const descriptor = Reflect.getOwnPropertyDescriptor(found(), key)
        return descriptor && { ...descriptor, configurable: true }
      },
    },
  )
}
