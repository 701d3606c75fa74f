"""Uses the client that openapi-python-client makes."""
import sys

from client import Client, models
from client.api.city import create_city, get_city, patch_city
from client.api.transactions import create_transaction

store = Client(base_url=sys.argv[1])

read = get_city.sync(1, client=store)
print("read", read.name, read.country, read.rating)

created = create_city.sync(
    client=store, body=models.CityNew(id=10, name="New", country="FR", rating=1.5))
print("created", created.name, created.country, created.rating)

changed = patch_city.sync(10, client=store, body=models.CityPatch(population=7, country="IS"))
print("changed", changed.population, changed.country)

done = create_transaction.sync(client=store, body=models.HoldfastTransaction(operations=[
    models.HoldfastOperation(
        op="put", class_="Country", id="XN", ref="land",
        value={"name": "Newland"}),
    models.HoldfastOperation(
        op="patch", class_="City", id=10,
        value={"country": {"$ref": "land"}})]))
print("transaction", ", ".join(f"{result.class_} {result.id}" for result in done.results))

expanded = get_city.sync(10, client=store, expand="country")
print("expanded", expanded.country.name)
