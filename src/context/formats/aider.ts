import { alwaysWhole, type RuleFormat } from './format.ts';
import { namesInYaml } from './named-files.ts';

export const aider: RuleFormat = {
  name: 'aider',
  tool: 'aider',
  places: [],
  named: [
    {
      in: 'every',
      settings: ['.aider.conf.yml'],
      // It can hold keys of services.
      sensitiveAs: '.aider.conf.yml',
      namesIn: namesInYaml(['read']),
      read: alwaysWhole,
    },
  ],
};
