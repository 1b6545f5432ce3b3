/** The errors of imports. */

import { badRequest } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'
import { NO_RESULT, NOT_DECODED } from '#lib/spreadsheets/sheet.ts'

const text = (en: string, zh: string): Localized => ({ en, zh })

export const noNameColumn = () =>
  badRequest(
    'The sheet has no column for the name, which new assets need: choose which of its columns is the name',
    '表格缺少名称列，无法新增资产，请选择哪一列是名称',
  )
export const noNumberColumn = () =>
  badRequest(
    'The sheet has no column for the asset number, by which assets are updated: choose which of its columns is the number',
    '表格缺少资产编号列，无法更新资产，请选择哪一列是资产编号',
  )
export const tooLateToUndo = () =>
  badRequest(
    'An import can be undone for 24 hours, and if it changed at most 20,000 rows',
    '导入只能在 24 小时内撤销，且修改不超过 20,000 行',
  )
export const noHeaderThere = () => invalid('body.headerRow', 'names a row without content', '所指定的行没有内容')
export const onlyForCsv = () => invalid('body.encoding', 'is possible for CSV only', '仅适用于 CSV')
export const noSuchCategory = (path: string) => invalid(path, 'refers to a category that does not exist', '分类不存在')
export const noSuchMapping = () =>
  invalid('body.mappingId', 'refers to a saved mapping that does not exist', '保存的映射不存在')
export const mappingNameTaken = () => invalid('body.name', 'is the name of another saved mapping', '已有同名的映射')
const noResult = text(
  'is a formula without a stored result: open the file in a spreadsheet program and save it',
  '公式没有保存结果，请用表格软件打开文件并保存后再导入',
)
const notDecoded = text('has bytes that the encoding does not have', '包含所选编码无法表示的字节')
export const formulaEmpty = text(
  'is a formula without a stored result and was read as empty',
  '公式没有保存结果，已按空单元格处理',
)
export const orderUnknown = text(
  'can be read in two ways: choose the order of day and month',
  '日月顺序不明确，请选择日期顺序',
)
export const notMonths = text('must be a number of months from 1 to 1200', '须为 1 到 1200 之间的月数')
export const monthsWithoutPurchase = (months: number) =>
  text(`has a warranty of ${months} months but no day of purchase`, `保修期为 ${months} 个月，但没有购买日期`)
export const serialKnown = text('is the serial number of an existing asset', '已有资产使用该序列号')
export const repeatedSerial = (row: number) =>
  text(`is also the serial number of row ${row}`, `与第 ${row} 行的序列号重复`)
export const custodianEmpty = text('is not a member and was read as empty', '不是成员，已按空单元格处理')
export const custodianInRemark = text('is not a member and was added to the remark', '不是成员，已写入备注')
export const sumRow = text('is a row of sums and was skipped', '合计行，已跳过')
export const cellError = (error: string): Localized =>
  error === NO_RESULT
    ? noResult
    : error === NOT_DECODED
      ? notDecoded
      : text(`contains the error ${error}`, `单元格包含错误 ${error}`)
export const nameNeeded = text('is required for a new asset', '新增资产时不能为空')
export const supplyNameNeeded = text('is required for a new supply', '新增物料时不能为空')
export const nameColumnNeeded = text(
  'A new asset needs a name: choose which of the columns is the name',
  '新增资产需要名称，请选择哪一列是名称',
)
export const notAStatus = text(
  'must be In use, Idle, In repair, Lost or Scrapped',
  '须为：在用、闲置、维修中、丢失、报废',
)
export const notADayOrAmbiguous = text(
  'must be a day that exists, such as 2026-03-08; for texts such as 3/4/2026 choose the order of day and month',
  '须为有效日期，例如 2026-03-08；对于 3/4/2026 之类的文本，请指定日月顺序',
)
export const unknownCategory = text(
  'is not the path of a category: create it first, or let the import create missing categories',
  '分类不存在，请先新建，或选择自动新建缺少的分类',
)
export const unknownLocation = text(
  'is not the whole path of a location, such as Main building / Room 201: add it to the organization first',
  '位置不存在，请填写完整路径，例如“主楼 / 201 室”，或先在组织中添加',
)
export const noLocations = text(
  'exists only for assets of an organization: ignore the column, or import into an organization',
  '仅组织资产可以设置位置，请忽略此列，或切换到组织后再导入',
)
export const ambiguousPath = text('is the path of several', '有多个同名路径')
export const unknownPerson = text(
  'must be the username, the e-mail address or the unique nickname of a member',
  '须为成员的用户名、邮箱或唯一的昵称',
)
export const unknownRef = text('refers to nothing that exists', '引用的对象不存在')
export const repeatedNumber = (row: number) => text(`is also the number of row ${row}`, `与第 ${row} 行的编号重复`)
export const numberKnown = text('is the number of an existing asset', '资产编号已存在')
export const numberUnknown = text('is not the number of an asset', '没有该编号的资产')
export const cannotChangeScrapped = text(
  'cannot change to or from Scrapped in an import',
  '导入时不能改为报废，也不能从报废改为其他状态',
)
export const badCategoryPath = text(
  'must be a path of at most 5 names of at most 100 characters',
  '路径最多 5 级，每级名称最多 100 个字符',
)
export const badLocationPath = text(
  'must be a path of at most 8 names of at most 100 characters',
  '路径最多 8 级，每级名称最多 100 个字符',
)
export const tooManyLocations = (most: number) =>
  text(
    `would be one location too many: at most ${most} more can be created`,
    `位置数量超过上限，最多还能新建 ${most} 个`,
  )
export const notPieces = text('must be a whole number from 1 to 1000', '须为 1 到 1000 之间的整数')
export const tooManyPieces = (most: number) =>
  text(`would make more than ${most} assets of this file`, `会使此文件产生超过 ${most} 项资产`)
export const isOneAsset = text(
  'is a quantity, but the row is read as one asset: choose one asset for each piece if you want several',
  '为数量，但该行按一项资产读取；如需多项资产，请选择每件生成一项资产',
)
export const pieceWithoutSerial = text(
  'is given to the first piece only: a serial number belongs to one asset',
  '仅用于第一件：一个序列号只属于一项资产',
)
export const quantityOfKnown = text(
  'is not split: the row updates one asset, which exists already',
  '未拆分：该行更新一项已有资产',
)
