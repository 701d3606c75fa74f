/** Words for the parts of a schema and for the steps of its changes. */
import {grouped} from '../frame/elements.js';

const count = (number, one = 'object', many = `${one}s`) => `${grouped(number)} ${number === 1 ? one : many}`;

/** A type in the shorthand that requests take, such as `int?`, `Person<>` or `string{}`. */
export function shorthand({type, class: name, optional, element}) {
  const one = part => `${part.type === 'object' ? part.class : part.type}${part.optional ? '?' : ''}`;
  const ends = {list: '[]', set: '<>', map: '{}'};
  return ends[type] ? `${one(element)}${ends[type]}` : one({type, class: name, optional});
}

const valueText = value => typeof value === 'string' ? value : JSON.stringify(value);

const indexNames = {true: 'index', fulltext: 'index of words', geo: 'index of points'};

/** The names of a property's traits beside its type. */
export function traits(property, definition) {
  return [
    definition.primaryKey === property.name && 'primary key',
    property.indexed && indexNames[property.indexed],
    property.unique && 'unique',
    property.required && 'has to be stated',
    property.default !== undefined && property.default !== null && `default ${valueText(property.default)}`,
    property.enum && `one of ${property.enum.map(valueText).join(', ')}`,
    property.onDelete && property.onDelete !== 'nullify' && `on delete: ${property.onDelete}`,
    property.mapTo && `also named ${property.mapTo}`,
    property.type === 'linkingObjects' && 'computed from links',
  ].filter(Boolean);
}

/** The number of entries that the service writes for a property beside the objects; null for a property without an index. */
export function indexCost(property, {definition, count: objects}) {
  const isLink = [property, property.element].some(part => part?.type === 'object') && !property.isEmbedded;
  if (property.type === 'linkingObjects') return null;
  const many = objects === undefined ? 'one per object' : count(objects, 'entry', 'entries');
  if (definition.primaryKey === property.name) return `${many} (key)`;
  if (property.indexed === 'fulltext') return 'one per different word of each object';
  if (property.indexed === 'geo') return `at most ${many}`;
  if (property.indexed || property.unique) return `${many}, of the value and 8 bytes`;
  return isLink ? property.type === 'object' ? `at most ${many} (inverse links)` : 'one per link (inverse links)' : null;
}

const steps = {
  setSchemaVersion: () => 'Sets the number of the schema that Swift programs choose.',
  addClass: ({named}) => `Adds the class ${named}.`,
  dropClass: ({named}) => `Removes the class ${named}.`,
  renameClass: ({named, from}) => `Renames the class '${from}' to ${named}.`,
  changeKind: ({named}) => `Changes the kind of ${named}.`,
  changePrimaryKey: ({named, property}) => `Changes the primary key of ${named}${property ? ` to '${property}'` : ''}.`,
  addProperty: ({path}) => `Adds the property ${path}.`,
  dropProperty: ({path}) => `Removes the property ${path} and its values.`,
  renameProperty: ({path, from}) => `Renames the property '${from}' to ${path}.`,
  changeType: ({path}) => `Converts the values of ${path} to the new type.`,
  makeOptional: ({path}) => `Allows null in ${path}.`,
  makeRequired: ({path}) => `Allows no null in ${path} any more.`,
  changeEnum: ({path}) => `Changes the values that ${path} may have.`,
  changeDefault: ({path}) => `Changes the default of ${path}.`,
  addIndex: ({path}) => `Builds an index of ${path}.`,
  dropIndex: ({path}) => `Removes the index of ${path}.`,
  addUnique: ({path}) => `Makes ${path} unique, and checks that no two objects share a value.`,
  dropUnique: ({path}) => `Lets objects share values of ${path}.`,
  addRequired: ({path}) => `New objects have to state ${path}.`,
  dropRequired: ({path}) => `New objects need not state ${path} any more.`,
  changeOnDelete: ({path}) => `Changes the delete rule of ${path}.`,
  changeMapTo: ({path}) => `Changes the second name of ${path}.`,
  dropLinks: ({path, named}) => `Sets links in mixed values of ${path || named} to null.`,
};

/** The steps in which each object is read or written. */
const readingSteps = new Set(['changeType', 'makeRequired', 'changeEnum', 'addIndex', 'addUnique', 'changePrimaryKey']);

/** A step of a migration as a sentence. */
export function stepText({op, class: name = '', property, from, objects, lossy}) {
  const path = property ? `'${name}.${property}'` : '';
  const text = steps[op]?.({named: `'${name}'`, property, path, from}) ?? `${op} ${path || name}.`;
  if (lossy) return `${text} ${count(objects)} ${objects === 1 ? 'loses its value' : 'lose their values'}.`;
  return objects > 0 && readingSteps.has(op) ? `${text} ${count(objects)} ${objects === 1 ? 'is' : 'are'} read.` : text;
}
