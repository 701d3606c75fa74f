// Calls every operation by the client that openapi-generator makes for TypeScript: those of calls.json, on the service of the argument.
import * as client from "./client";

declare const process: { argv: string[] };
declare function require(name: string): any;

interface Call {
  id: string;
  parameters: string[];
  isStream: boolean;
  place: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  figures: string[];
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

const configuration = new client.Configuration({ basePath: process.argv[2] });
const apis: any[] = Object.entries(client)
  .filter(([name]) => name.endsWith("Api"))
  .map(([, type]) => new (type as any)(configuration));

async function call(operation: Call): Promise<void> {
  const api = apis.find((api) => operation.id + "Raw" in api);
  // The names of its arguments stand in the code that makes its request; the body is none of its parameters.
  const source = String(api[operation.id + "RequestOpts"]);
  const names = [...source.matchAll(/requestParameters\['(\w+)'\]/g)].map((found) => found[1]);
  const known = operation.parameters.map(folded);
  const stated: Record<string, unknown> = {};
  for (const [name, value] of Object.entries({ ...operation.place, ...operation.query })) {
    stated[names.find((one) => folded(one) === folded(name)) ?? name] = value;
  }
  const body = names.find((name) => !known.includes(folded(name))) ?? "body";
  if (operation.body !== null) {
    // A model has other names than JSON for what is a word of the language.
    const read = (client as any)[body[0].toUpperCase() + body.slice(1) + "FromJSON"];
    stated[body] = read ? read(operation.body) : operation.body;
  }
  const reply = await api[operation.id + "Raw"](stated);
  // A stream has no end.
  if (operation.isStream) await reply.raw.body.cancel();
  else {
    const stored = operation.figures.length > 0 ? await reply.raw.clone().json() : {};
    const value = await reply.value();
    for (const figure of operation.figures) {
      if (value[figure] === undefined || value[figure] !== stored[figure]) {
        throw new Error(`${figure} is ${value[figure]}, not ${stored[figure]}`);
      }
    }
  }
}

async function main(): Promise<void> {
  const operations: Call[] = JSON.parse(require("fs").readFileSync("calls.json", "utf8"));
  let count = 0;
  for (const operation of operations) {
    try {
      await call(operation);
      count += 1;
    } catch (error: any) {
      console.log(`${operation.id}: ${error} ${error.response ? await error.response.text() : ""}`);
    }
  }
  console.log("called", count);
}

main();
