/** Words of supplies that several of their pages show. */

import { texts } from '../../../i18n/words.ts'

export const words = texts({
  en: {
    supplyNo: 'Number',
    kind: 'Kind',
    unit: 'Unit',
    stock: 'Stock',
    lent: 'Lent',
    minimum: 'Minimum',
    target: 'Stock after an order',
    price: 'Price of one',
    low: 'Low',
    lentOut: (n: string) => `${n} lent`,
    quantity: 'Quantity',
    noPlace: 'No place',
    location: 'Location',
  },
  zh: {
    supplyNo: '编号',
    kind: '类型',
    unit: '单位',
    stock: '库存',
    lent: '借出',
    minimum: '最低库存',
    target: '补货目标',
    price: '单价',
    low: '不足',
    lentOut: (n: string) => `借出 ${n}`,
    quantity: '数量',
    noPlace: '未指定位置',
    location: '位置',
  },
})
