import { expect, it } from 'vitest';
import { expectError, fileForm } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world();

async function upload(account: TestAccount, name: string): Promise<string> {
  return (await account.post('/storage/objects', fileForm('a', name))).body.id;
}

it('lists objects of one account or of all with name and owner, in pages', async () => {
  const [ann, bob] = [await here.account(), await here.account()];
  const ids = [await upload(ann, 'a.txt'), await upload(bob, 'b.txt'), await upload(ann, 'c.txt')];
  const listed = async (query: string) => {
    const { body } = await here.control('GET', `/objects${query}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await listed('')).toEqual(ids.toReversed());
  expect(await listed(`?account_id=${ann.id}`)).toEqual([ids[2], ids[0]]);
  expect(await listed(`?limit=1&after=${ids[2]}`)).toEqual([ids[1]]);
  const { body } = await here.control('GET', `/objects/${ids[1]}`);
  expect(body).toMatchObject({ name: 'b.txt', account_id: bob.id, bytes: 1 });
  expect((await here.call('GET', body.url)).bytes.toString()).toBe('a');
});

it('knows no object that is not there', async () => {
  expectError(await here.control('GET', '/objects/obj_none'), 404, 'not_found');
  expectError(await here.control('GET', '/objects?after=obj_none'), 400, 'invalid_request', 'after');
});
