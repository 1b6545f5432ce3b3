import { invalid } from '#http/validate.ts'

export const notYet = () =>
  invalid('body.entityType', 'cannot be shared: this server keeps no albums', '暂不支持共享相册照片')
