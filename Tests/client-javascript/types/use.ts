/** A program that has to compile: it uses the types of `store.ts` by the client. */
import {Holdfast} from '../../../clients/javascript/holdfast.js';
import type {Classes, Every_type2 as Every, Int2 as Int, Person} from './store.js';

const db = new Holdfast<Classes>('http://127.0.0.1:8080');
const every = db.class('Every type');

export async function read(): Promise<string[]> {
  const found: Every = await every.get('7d7f9f5c-8f0a-4d3f-9d5b-0d5a3c0a1b2c', {expand: 'person'});
  const state: 'open' | 'in "work"' | 'done' = found.state;
  const level: 1 | 2 | -3 | null = found.level;
  const street: string | null | undefined = found.place?.street;
  const cost: string | undefined = found.map['train'];
  const narrow: number = found.int16;
  const whole: Int = found.int;
  // A link is a key, or the object that `expand` has put in its place.
  const person = found.person;
  const number: Int | null = person !== null && typeof person === 'object' ? person.number : person;
  // An inverse link is there if it was asked for.
  const people: Person[] = await db.class('Person').query({fields: 'number,lived.$owner'}).then(page => page.objects);
  const owners = people.flatMap(one => (one.lived ?? []).map(place => place.$owner?.$link.class ?? ''));
  return [state, String(level), street ?? '', cost ?? '', String(narrow), String(whole), String(number), ...owners];
}

export async function write(): Promise<void> {
  await every.create({string: 'a', state: 'open', person: 7, 'with-hyphen': true, mixed: {a: [1, null]}});
  await every.patch('7d7f9f5c-8f0a-4d3f-9d5b-0d5a3c0a1b2c', {level: null, list: ['b'], int64: '9007199254740993'});
  await db.class('Every_type').create({body: 'event'});
  const nothing: null = await every.create([{string: 'a'}], {minimal: true});
  const one: Every = await every.patch('7d7f9f5c-8f0a-4d3f-9d5b-0d5a3c0a1b2c', {level: 1});
  // @ts-expect-error The reply has no object.
  (await every.replace(one.id, {string: 'a'}, {minimal: true})).string;
  db.close();
  every.live({filter: 'bool == true'}, objects => objects.map(one => one.date.slice(0, 10)));
  // @ts-expect-error The value is not one of the enum's.
  await every.create({state: 'opened'});
  // @ts-expect-error The class lacks the property.
  await every.create({colour: 'red'});
  // @ts-expect-error A property that is not optional is not null.
  await every.create({string: null});
}
