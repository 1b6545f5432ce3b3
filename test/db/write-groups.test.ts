import { expect, test } from 'bun:test'

import { type Ended, type QueuedWrite, WriteGroups } from '#db/engine/write-groups.ts'

interface Write extends QueuedWrite {
  readonly name: string
}

/** Groups that end when the test ends them. */
class Groups {
  readonly #ends = new Map<string, (ended: Ended<Write>) => void>()
  readonly #groups: WriteGroups<Write>

  constructor(max: number, lanes: number, longMs?: number) {
    const run = (group: readonly Write[]) =>
      new Promise<Ended<Write>>((end) => this.#ends.set(group.map(({ name }) => name).join(' '), end))
    this.#groups = new WriteGroups<Write>(max, lanes, run, longMs)
  }

  add(names: string, options: Partial<Omit<Write, 'name'>> = {}): Write[] {
    const writes = names
      .split(' ')
      .map((name) => ({ name, inOrder: undefined, isOneStatement: false, isAlone: false, ...options }))
    for (const write of writes) this.#groups.add(write)
    return writes
  }

  async end(group: string, ended: Ended<Write> = { again: [], isConflict: false }): Promise<void> {
    const end = this.#ends.get(group)!
    this.#ends.delete(group)
    end(ended)
    await new Promise((next) => setImmediate(next))
  }

  get running(): string[] {
    return [...this.#ends.keys()]
  }
}

test('writes start at once while there are lanes, and each free lane takes its share of those that wait', async () => {
  const groups = new Groups(8, 2)
  groups.add('a b c d e f g')
  expect(groups.running).toEqual(['a', 'b'])
  await groups.end('b')
  expect(groups.running).toEqual(['a', 'c d e'])
  await groups.end('a')
  expect(groups.running).toEqual(['c d e', 'f'])
  await groups.end('f')
  expect(groups.running).toEqual(['c d e', 'g'])
})

test('a conflict halves the lanes, and its writes run again before those that wait', async () => {
  const groups = new Groups(8, 2)
  const [a] = groups.add('a b')
  groups.add('c d')
  await groups.end('a', { again: [a!], isConflict: true })
  expect(groups.running).toEqual(['b'])
  await groups.end('b')
  expect(groups.running).toEqual(['a c d'])
})

test('about 20 successes give a lane back', async () => {
  const groups = new Groups(8, 2)
  groups.add('a')
  await groups.end('a', { again: [], isConflict: true })
  for (let i = 0; i < 9; i++) {
    groups.add('x y')
    expect(groups.running).toEqual(['x'])
    await groups.end('x')
    await groups.end('y')
  }
  for (const name of ['x', 'y']) {
    groups.add(name)
    await groups.end(name)
  }
  groups.add('x y')
  expect(groups.running).toEqual(['x', 'y'])
})

test('a group that takes long does not keep the others waiting, but the maximum holds for it too', async () => {
  const groups = new Groups(2, 1, 20)
  groups.add('slow b c')
  expect(groups.running).toEqual(['slow'])
  while (groups.running.length === 1) await Bun.sleep(5)
  expect(groups.running).toEqual(['slow', 'b c'])
  groups.add('d')
  await Bun.sleep(60)
  expect(groups.running).toEqual(['slow', 'b c'])
  await groups.end('b c')
  expect(groups.running).toEqual(['slow', 'd'])
})

test('writes in the order of a table form groups of their own, one at a time', async () => {
  const groups = new Groups(8, 3)
  groups.add('a b c', { inOrder: 'numbers' })
  groups.add('d')
  expect(groups.running).toEqual(['a', 'd'])
  groups.add('e', { inOrder: 'others' })
  expect(groups.running).toEqual(['a', 'd', 'e'])
  await groups.end('a')
  expect(groups.running).toEqual(['d', 'e', 'b c'])
})

test('writes of one statement form groups of their own', async () => {
  const groups = new Groups(8, 1)
  groups.add('a')
  groups.add('b', { isOneStatement: true })
  groups.add('c')
  groups.add('d', { isOneStatement: true })
  await groups.end('a')
  expect(groups.running).toEqual(['b d'])
  await groups.end('b d')
  expect(groups.running).toEqual(['c'])
})

test('a write that is alone shares its group with no other', async () => {
  const groups = new Groups(8, 1)
  groups.add('a')
  groups.add('b', { isAlone: true })
  groups.add('c d')
  await groups.end('a')
  expect(groups.running).toEqual(['b'])
  await groups.end('b')
  expect(groups.running).toEqual(['c d'])
})

test('a group has at most 64 writes', async () => {
  const groups = new Groups(8, 1)
  groups.add('first')
  groups.add(Array.from({ length: 100 }, (_, i) => String(i)).join(' '))
  await groups.end('first')
  expect(groups.running.map((group) => group.split(' ').length)).toEqual([64])
})
