import { describe, expect, test } from 'bun:test'

import { safeFileName, uniqueFileNames } from '#lib/file-name.ts'
import { csvCell, csvRow } from '#lib/spreadsheets/csv-writer.ts'
import { escapeHtml, plainName } from '#lib/text.ts'

import { growth, MAX_GROWTH } from './fastest.ts'

test('escapeHtml makes text safe in elements and quoted attributes', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;你好</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;你好&lt;/a&gt;',
  )
})

describe('plainName', () => {
  test.each([
    ['www.evil.example', 'www.\u2060evil.\u2060example'],
    ['https://evil.example', 'https evil.\u2060example'],
    ['two\r\nlines\u202e', 'two  lines '],
    ['Ann’s iPhone 15.2', 'Ann’s iPhone 15.2'],
    ['张三丰', '张三丰'],
  ])('makes the name %j harmless', (name, plain) => expect(plainName(name)).toBe(plain))

  test('shortens long names without breaking a character', () => {
    expect(plainName('x'.repeat(1000))).toHaveLength(60)
    expect(plainName('😀'.repeat(1000)).isWellFormed()).toBe(true)
  })
})

describe('CSV', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['a;b', '"a;b"'],
    [' pad', '" pad"'],
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://evil","x")', `"'=HYPERLINK(""http://evil"",""x"")"`],
    ['+8613800138000', "'+8613800138000"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['\n=1', `"'\n=1"`],
    ['1=1', '1=1'],
    ['a@b.cn', 'a@b.cn'],
    ['你好，😀', '你好，😀'],
    [-1.5, '-1.5'],
    [true, 'true'],
    [Temporal.PlainDateTime.from('2026-03-08T17:30:05.999'), '2026-03-08 17:30:05'],
    [null, ''],
  ] as const)('the CSV cell of %j is %j', (value, cell) => expect(csvCell(value)).toBe(cell))

  test('a CSV row ends with CR LF', () => expect(csvRow(['a', null, 3, 'b,c'])).toBe('a,,3,"b,c"\r\n'))
})

describe('file names', () => {
  test.each([
    ['menu', 'menu'],
    ['菜单 – 春季 😀', '菜单 – 春季 😀'],
    ['../../etc/passwd', '__.._etc_passwd'],
    ['..', 'unnamed'],
    ['.', 'unnamed'],
    ['.htaccess', '_htaccess'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
    ['C:\\Windows', 'C__Windows'],
    ['  pad  ', 'pad'],
    ['trailing. . ', 'trailing'],
    ['', 'unnamed'],
    ['///', 'unnamed'],
    ['\0\n', 'unnamed'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['com1', '_com1'],
    ['LPT¹', '_LPT¹'],
    ['console', 'console'],
    ['com10', 'com10'],
    ['=cmd()', '_=cmd()'],
    [' -rf', '_-rf'],
    ['+1', '_+1'],
    ['@x', '_@x'],
    ['photo\u202egnp.exe', 'photo_gnp.exe'],
    ['a\ud83db', 'a\ufffdb'],
    ['e\u0301', '\u00e9'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('the name %j becomes the file name %j', (name, safe) => expect(safeFileName(name)).toBe(safe))

  test('a long file name is cut between characters and does not end with a dot or space', () => {
    const bytes = (text: string): number => Buffer.byteLength(text)
    expect(safeFileName('a'.repeat(500))).toBe('a'.repeat(200))
    expect(safeFileName('字'.repeat(500))).toBe('字'.repeat(66))
    expect(safeFileName('a' + '😀'.repeat(500))).toBe('a' + '😀'.repeat(49))
    expect(safeFileName('abc . . x', 'none', 6)).toBe('abc')
    expect(safeFileName('con', 'none', 3)).toBe('_co')
    for (let most = 1; most < 30; most++)
      expect(bytes(safeFileName('con.é字😀'.repeat(5), 'x', most))).toBeLessThanOrEqual(most)
  })

  test('no two file names of an archive are equal on a system that ignores case', () => {
    const nameFor = uniqueFileNames('.png')
    const given = [
      'Menu',
      'menu',
      'MENU',
      'menu (2)',
      'straße',
      'STRASSE',
      'é',
      'e\u0301',
      '',
      '/',
      'a/b',
      'a:b',
      'Menu',
    ]
    const names = given.map(nameFor)
    expect(names.slice(0, 4)).toEqual(['Menu.png', 'menu (2).png', 'MENU (3).png', 'menu (2) (2).png'])
    expect(new Set(names.map((name) => name.toUpperCase().toLowerCase())).size).toBe(given.length)
  })

  test('ten thousand equal names get different ones, in a time that grows no faster than their number', () => {
    const names = (count: number): Set<string> => {
      const nameFor = uniqueFileNames('.png')
      return new Set(Array.from({ length: count }, () => nameFor('same')))
    }
    expect(names(10_000).size).toBe(10_000)
    expect(growth(names, 10_000)).toBeLessThan(MAX_GROWTH)
  })
})
