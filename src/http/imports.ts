/** The common parts of imports of spreadsheets: their places, the reading of the file, and its refusals. */

import { type AppContext, perContext } from '#context'
import { type UnreadableReason, UnreadableSheet } from '#lib/spreadsheets/sheet.ts'
import type { ReadRequest, ReadSheet } from '#platform/spreadsheets/port.ts'

import { type AppError, badRequest, type FieldProblem, limited, unsupportedType } from './errors.ts'
import type { ReceivedFile } from './form.ts'
import { Places } from './places.ts'

/** Imports that run or wait. Each keeps its file in the staging folder. */
const MAX_OPEN = 100
/** Of a file, by which the number of its rows is estimated until it is read. */
export const BYTES_PER_ROW = 64
/** Errors in an answer. */
export const MAX_ERRORS = 1000

/** A user has one import at a time, of any kind. */
export const importPlaces = perContext((ctx) => new Places(ctx, { own: importRunning, others: othersImport }, MAX_OPEN))

/** Writes the rows of a file to `output`. Returns the number of rows with content. @throws AppError 400 or 415 */
export const readRows = async (...given: Parameters<typeof readTable>): Promise<number> =>
  (await readTable(...given)).rows

/** The same, with what else the file says. */
export async function readTable(
  ctx: AppContext,
  file: ReceivedFile,
  output: string,
  request: ReadRequest,
): Promise<ReadSheet> {
  try {
    return await ctx.sheets.read(file.path, output, request)
  } catch (error) {
    throw error instanceof UnreadableSheet ? unreadable(error.reason, request) : error
  }
}

export const noFile = () => badRequest('Send the spreadsheet in the field file', '请在 file 字段中上传表格')
export const noHeader = () => badRequest('The sheet has no header row', '表格没有标题行')
export const tooManyRows = (rows: number) => badRequest(`The sheet has more than ${rows} rows`, `表格超过 ${rows} 行`)
export const repeatedColumn = (header: string) =>
  badRequest(
    `Two columns of the sheet have the same meaning: ${header.slice(0, 100)}`,
    `表格中有重复的列：${header.slice(0, 100)}`,
  )
export const rowsHaveErrors = (count: number, details: readonly FieldProblem[]) =>
  badRequest(
    `Nothing was imported, because the file has ${count === 1 ? 'an error' : `${count} errors`}`,
    `未导入任何数据：文件中有 ${count} 处错误`,
    { details },
  )
const importRunning = limited('Your last import is still running', '你的上一次导入尚未完成', 10)
const othersImport = limited('Other imports are running, try again later', '正在进行其他导入，请稍后再试', 10)

const REFUSALS: Readonly<Record<Exclude<UnreadableReason, 'too-many-rows' | 'too-many-columns'>, AppError>> = {
  unknown: unsupportedType('The file is neither an .xlsx workbook nor CSV', '文件既不是 .xlsx 工作簿，也不是 CSV'),
  'old-excel': unsupportedType(
    'The workbook is in the old format .xls, or has a password: save it as .xlsx without one',
    '该文件为旧版 .xls 格式或设有密码，请另存为无密码的 .xlsx 文件',
  ),
  'binary-workbook': unsupportedType(
    'The workbook is in the format .xlsb: save it as .xlsx',
    '该文件为 .xlsb 格式，请另存为 .xlsx',
  ),
  'other-workbook': unsupportedType(
    'The file is not an .xlsx workbook: save it as .xlsx',
    '该文件不是 .xlsx 工作簿，请另存为 .xlsx',
  ),
  'unknown-encoding': unsupportedType(
    'The text is in an encoding that cannot be recognized: save it as UTF-8',
    '无法识别文本编码，请另存为 UTF-8',
  ),
  damaged: badRequest('The file is damaged or incomplete', '文件已损坏或不完整'),
  'too-large': badRequest('The file contains more than any sheet of this size can need', '文件内容过大'),
  'no-such-sheet': badRequest('The workbook has no such sheet', '工作簿中没有该工作表'),
}

function unreadable(reason: UnreadableReason, { limits }: ReadRequest): AppError {
  if (reason === 'too-many-rows') return tooManyRows(limits.rows - 1)
  if (reason === 'too-many-columns')
    return badRequest(`The sheet has more than ${limits.columns} columns`, `表格超过 ${limits.columns} 列`)
  return REFUSALS[reason]
}
