import { describe, expect, test } from 'bun:test'

import { fitsBelow, orderItems, pathsOf, treeOf } from '#lib/tree.ts'

const node = (id: number, parentId: number | null) => ({ id, parentId, name: `n${id}` })

/** `1(3(4),2)`, by id. */
const shape = (nodes: ReturnType<typeof treeOf>): string =>
  nodes.map((n) => `${n.id}${n.children.length > 0 ? `(${shape(n.children)})` : ''}`).join(',')

describe('treeOf', () => {
  test('treeOf nests children below their parent and keeps the order of the list', () => {
    expect(shape(treeOf([node(3, 1), node(1, null), node(2, 1), node(4, 3), node(5, null)]))).toBe('1(3(4),2),5')
  })

  test('treeOf puts a node whose parent is missing on the top level', () => {
    expect(shape(treeOf([node(2, 99), node(3, 2)]))).toBe('2(3)')
  })

  test('treeOf keeps every field and does not change its input', () => {
    const given = [node(1, null), node(2, 1)]
    expect(treeOf(given)).toEqual([{ ...node(1, null), children: [{ ...node(2, 1), children: [] }] }])
    expect(given).toEqual([node(1, null), node(2, 1)])
  })

  test('treeOf of an empty list is empty', () => {
    expect(treeOf([])).toEqual([])
  })
})

describe('fitsBelow', () => {
  const cases: [name: string, path: number[], branch: { id?: number; height: number }, result: string | undefined][] = [
    ['a new node on the top level', [], { height: 1 }, undefined],
    ['a branch of all five levels on the top level', [], { id: 1, height: 5 }, undefined],
    ['a branch of six levels on the top level', [], { id: 1, height: 6 }, 'TOO_DEEP'],
    ['a new node on the fifth level', [4, 3, 2, 1], { height: 1 }, undefined],
    ['a new node on the sixth level', [5, 4, 3, 2, 1], { height: 1 }, 'TOO_DEEP'],
    ['a branch of two levels below the third level', [3, 2, 1], { id: 9, height: 2 }, undefined],
    ['a branch of two levels below the fourth level', [4, 3, 2, 1], { id: 9, height: 2 }, 'TOO_DEEP'],
    ['a node below itself', [1], { id: 1, height: 1 }, 'INSIDE_ITSELF'],
    ['a node below its grandchild', [3, 2, 1], { id: 1, height: 3 }, 'INSIDE_ITSELF'],
    ['a node below its own parent, where it is already', [1], { id: 2, height: 1 }, undefined],
  ]
  for (const [name, path, branch, result] of cases)
    test(`fitsBelow with a limit of five levels answers ${result ?? 'no problem'} for ${name}`, () => {
      expect(fitsBelow(path, branch, 5)).toBe(result as never)
    })
})

test('pathsOf joins the names from the top level, and begins a path at a node whose parent is missing', () => {
  const node = (id: number, parentId: number | null, name: string) => ({ id, parentId, name })
  const paths = pathsOf([node(3, 2, 'C'), node(1, null, 'A'), node(2, 1, 'B / b'), node(5, 4, 'E')])
  expect(Object.fromEntries(paths)).toEqual({ 1: 'A', 2: 'A / B / b', 3: 'A / B / b / C', 5: 'E' })
})

describe('orderItems', () => {
  test('orderItems numbers ids from 1 in the order of the list', () => {
    expect(orderItems({ ids: [7, 3, 5] })).toEqual([
      { id: 7, sortOrder: 1 },
      { id: 3, sortOrder: 2 },
      { id: 5, sortOrder: 3 },
    ])
  })

  test('orderItems takes items as they are', () => {
    const items = [
      { id: 7, sortOrder: -2 },
      { id: 3, sortOrder: 9 },
    ]
    expect(orderItems({ items })).toEqual(items)
  })

  test('orderItems refuses both, neither, and an id that is listed twice', () => {
    const item = { id: 1, sortOrder: 1 }
    expect(orderItems({})).toBe('NEITHER_IDS_NOR_ITEMS')
    expect(orderItems({ ids: [1], items: [item] })).toBe('NEITHER_IDS_NOR_ITEMS')
    expect(orderItems({ ids: [1, 2, 1] })).toBe('DUPLICATE_IDS')
    expect(orderItems({ items: [item, { id: 1, sortOrder: 2 }] })).toBe('DUPLICATE_IDS')
  })
})
