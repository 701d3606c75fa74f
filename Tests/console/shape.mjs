/** The checks of the schema: each change with its steps in words before it is made. */
import {check, equal, until} from '../support/checks.mjs';

/** The changes of a class: the button, what its form states, the steps in words, and what the page shows then. */
const CHANGES = [
  ['a property is added', 'Add a property', [['fill', 'Name', 'motto']], "Adds the property 'Part.motto'.", 'motto'],
  ['an index is made, with its cost first', 'Change name', [['shows', 'One entry for each of 2 objects'], ['fill', 'Index', 'true']],
    "Builds an index of 'Part.name'. 2 objects are read.", '2 entries, of the value and 8 bytes'],
  ['a type is changed', 'Change size', [['fill', 'Type', 'string']], "Converts the values of 'Part.size' to the new type.", 'size'],
  ['a property is renamed', 'Change size', [['fill', 'Name', 'extent']], "Renames the property 'size' to 'Part.extent'.", 'extent'],
  ['a property is removed, with its values', 'Remove extent', [],
    "Removes the property 'Part.extent' and its values. 2 objects lose their values.", 'motto'],
  ['a class is renamed', 'Change the class', [['fill', 'Name', 'Piece']], "Renames the class 'Part' to 'Piece'.", 'Piece'],
  ['a class is removed', 'Remove the class', [], "Removes the class 'Piece'.", 'Revision']];

export async function checkShape(page, service) {
  await service.set('PUT', '/v1/schema/classes/Part', {primaryKey: 'id', properties: {id: 'int', name: 'string', size: 'int'}});
  await service.set('POST', '/v1/classes/Part/objects', [{id: 1, name: 'a', size: 3}, {id: 2, name: 'b', size: 4}]);
  await page.go('#/schema/Part');
  for (const [sentence, button, steps, words, shown] of CHANGES) {
    await check(`${sentence}, after its steps in words`, async () => {
      const isRemoval = button.startsWith('Remove');
      await page.do(['press', button], ...steps, ...isRemoval ? [] : [['press', 'Preview the change']],
        ['shows', 'Steps of the change'], ['shows', words]);
      if (button === 'Add a property') await page.look('migration');
      if (isRemoval) await page.do(['look', 'removal'], ['fill', 'The values above may be lost', true]);
      await page.do(['press', 'Make the change'], ['shows', 'The schema is changed.'], ['shows', shown],
        ['press', 'Close the notice']);
    });
  }
  await check('the schema has the changes', async () => {
    const {classes} = await service.set('GET', '/v1/schema');
    equal(classes.filter(({name}) => ['Part', 'Piece'].includes(name)), [], 'the removed class');
  });
  await check('the classes are drawn with their links', () => page.do(
    ['go', '#/schema?as=drawing'], ['shows', 'The classes and their links as a list'], ['look', 'drawing']));
}
