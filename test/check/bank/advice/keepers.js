// Apps that order one song and deliver it, and are killed on the way: `node keepers.js NAME FILE`, with the word `order` only the
// first time. FILE is what outlives them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { finalJob, order, orderSong, SONG } from './calls.js';

const [name, file, word] = process.argv.slice(2);
const world = { baseUrl: process.env.SVC_BASE_URL, apiKey: process.env.SVC_API_KEY };
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
const keep = (state) => writeFileSync(file, JSON.stringify(state));
const send = async (seed) => (await order(world, '/music/generations', { ...SONG, prompt: 'a lay', seed })).data[0].id;

const KEEPERS = {
  async forgets() {
    const state = {};
    if (word === 'order') state.song = await orderSong(world, 'a lay', 50);
    return state.song;
  },
  async ordersAgain() {
    const state = word === 'order' ? { seed: 52 } : read();
    keep(state);
    state.song ??= await send(state.seed);
    keep(state);
    return state.song;
  },
};

const song = await KEEPERS[name]();
console.log(song ? (await finalJob(world, song)).status : 'nothing to deliver');
