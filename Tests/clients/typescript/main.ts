// Uses the client that openapi-generator makes for TypeScript.
import { CityApi, CityCountry, Configuration, TransactionsApi } from './client';

declare const process: { argv: string[]; exitCode: number };

/** The text of a link that was not expanded is its key. */
function key(link: CityCountry | null | undefined): string {
    return typeof link === 'string' ? link : JSON.stringify(link);
}

async function main(): Promise<void> {
    const configuration = new Configuration({ basePath: process.argv[2] });
    const cities = new CityApi(configuration);

    const read = await cities.getCity({ id: 1 });
    console.log('read', read.name, key(read.country), read.rating);

    const created = await cities.createCity({
        createCityRequest: { id: 10, name: 'New', country: 'FR', rating: 1.5 },
    });
    if (created == null || !('id' in created)) throw new Error('the reply is not the city');
    console.log('created', created.name, key(created.country), created.rating);

    const changed = await cities.patchCity({ id: 10, cityPatch: { population: 7, country: 'IS' } });
    console.log('changed', changed?.population, key(changed?.country));

    const done = await new TransactionsApi(configuration).createTransaction({
        holdfastTransaction: {
            operations: [
                { op: 'put', _class: 'Country', id: 'XN', ref: 'land', value: { name: 'Newland' } },
                { op: 'patch', _class: 'City', id: 10, value: { country: { $ref: 'land' } } },
            ],
        },
    });
    console.log('transaction', done.results.map((result) => `${result._class} ${result.id}`).join(', '));

    const expanded = await cities.getCity({ id: 10, expand: 'country' });
    const country = expanded.country;
    if (country == null || typeof country === 'string') throw new Error('the link is not expanded');
    console.log('expanded', country.name);
}

main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
