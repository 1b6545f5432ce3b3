/** The refusals of operations on a tree (lib/tree.ts), in the words of the things that it holds. */

import type { TreeProblem } from '#lib/tree.ts'

import { badRequest, notFound } from './errors.ts'
import { invalid } from './validate.ts'

interface Words {
  readonly one: string
  readonly many: string
  readonly zh: string
  readonly maxDepth: number
}

export function treeRefusals({ one, many, zh, maxDepth }: Words) {
  const capitalized = many[0]!.toUpperCase() + many.slice(1)
  const refusals: Record<TreeProblem, (where: string) => Error> = {
    NODE_NOT_FOUND: notFound,
    PARENT_NOT_FOUND: (where) =>
      invalid(`${where}.parentId`, `refers to a ${one} that does not exist`, `上级${zh}不存在`),
    INSIDE_ITSELF: () =>
      badRequest(`A ${one} cannot be moved into itself or below itself`, `不能将${zh}移动到自身或其下级中`),
    TOO_DEEP: () =>
      badRequest(`${capitalized} can be nested at most ${maxDepth} levels deep`, `${zh}最多嵌套 ${maxDepth} 级`),
    NOT_SIBLINGS: () =>
      badRequest(`Only ${many} of one parent can be reordered together`, `只能对同一上级下的${zh}排序`),
    NEITHER_IDS_NOR_ITEMS: () => badRequest('Give either ids or items', '请提供 ids 或 items 之一'),
    DUPLICATE_IDS: () => badRequest(`A ${one} is listed twice`, `${zh}重复`),
  }
  return {
    /** The 404 or 400 of a problem. */
    of: (problem: TreeProblem): Error => refusals[problem]('body'),
    /** `where` is the first part of the path of a bad field. @throws the refusal, if there is a problem */
    check(problem: TreeProblem | undefined, where = 'body'): void {
      if (problem !== undefined) throw refusals[problem](where)
    },
  }
}
