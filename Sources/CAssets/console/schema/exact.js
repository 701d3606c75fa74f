/** The schema with integers beyond 2^53 as texts, in defaults and enums. */
import {forgetSchema, loadSchema} from '../frame/schema.js';
import {download} from '../frame/transfer.js';
import {withTexts} from '../frame/json.js';

/** Reads the schema anew. */
export async function loadExactSchema() {
  forgetSchema();
  const [schema, blob] = await Promise.all([loadSchema(), download('/v1/schema', {accept: 'application/json'})]);
  const text = await blob.text();
  const exact = withTexts(text);
  if (exact === text) return schema;
  schema.document = JSON.parse(exact);
  for (const found of schema.classes) {
    const definition = schema.document.classes.find(({name}) => name === found.name);
    if (!definition) continue;
    found.definition = definition;
    for (const property of found.properties) Object.assign(property, definition.properties[property.name]);
  }
  return schema;
}
