/** Reads or writes a workbook with SheetJS, as its documentation shows it, and prints CPU time and memory: `sheetjs.ts read|write FILE ROWS`. */

import * as fs from 'node:fs'

import * as XLSX from '@e965/xlsx'

XLSX.set_fs(fs)

const [, , task, file, count] = process.argv
const idle = process.memoryUsage.rss()
const before = process.cpuUsage()
if (task === 'read') {
  const book = XLSX.readFile(file!, { cellDates: true })
  const rows = XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!)
  if (rows.length !== Number(count)) throw new Error(`${rows.length} rows instead of ${count}`)
} else {
  const rows = Array.from({ length: Number(count) }, (_, i) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (__, c) => [`Column ${c}`, c % 4 === 0 ? i * c : `text ${i} of ${c}`]),
    ),
  )
  const book = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(book, XLSX.utils.json_to_sheet(rows), 'Assets')
  XLSX.writeFile(book, file!, { compression: true })
}
const { user, system } = process.cpuUsage(before)
// The highest value since the start, in KB on Linux.
const memoryMb = (process.resourceUsage().maxRSS * 1024 - idle) / 1e6
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, memoryMb }))
