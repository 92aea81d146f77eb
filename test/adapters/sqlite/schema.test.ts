import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrations } from '../../../src/adapters/sqlite/schema.ts';

/** Of each migration. Databases of users have gone through them: lines are added here, and none is changed. */
const released = [
  'af696065fb5cadf49a91f4e7c38e973fb0bf0a4e5faa522e5eecf613df105c99',
  'a52d2189dd1809cb14f5c85a92b456e5721d41ad60f03408d7268f3fceb2b7fc',
  '0516a0771fc43f16af7149d3b5d05c5bb8ef1d4f75a634f720e9cb2a5f8b409c',
  '3a2aab564872b1b9e68a19128b649c91f91471afb83725d2198969cc8051b656',
  'f70eac8527244dc02912b646a2fb7eb4be511d3c2ee8bad23e1a7572c6295132',
  '0856c02bb6f93ed23e7fa31e3d2a2bb0270e35d5eebd99278afa50e8eee6cce3',
  'f2ba70586eae30962b4cc2a68767678c6fd35718265614e759a839d22d032df8',
  '08faf1d33a448c60ba4a795eaa5c1b16e34c8d17ee5b2b47e53344edf20d4800',
  '60ac4b9ebed4296264b4e8bb9740fb7a898947618aa91d13d58613f52242c27c',
  '197ef4290e25172531d22f9972cd9141006aa8eb5c1f49e76c7c5933d2491662',
  'd88490491b9177bf267b53e8f89db571f4334cde4a31d14e367c550400674a58',
  'db516a6096a0b09c99be562e2f7d126221799402d3bc54e2b7a5ab144240f6e2',
];

it('PK-03 no migration is changed afterwards: databases that have gone through it would be taken for damaged', () => {
  expect(migrations.map((migration) => createHash('sha256').update(migration).digest('hex'))).toEqual(released);
});
