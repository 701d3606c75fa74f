"""Questions to the world: a class, a filter in the query language, its arguments, and the same in Python."""
import re

from world import byte_count, fold, follow, plain, within_box, within_circle, within_ring

QUESTIONS = []


def ask(name, text, matches, *arguments):
    QUESTIONS.append((name, text, arguments, matches))


def city(text, matches, *arguments):
    ask("City", text, matches, *arguments)


def country(text, matches, *arguments):
    ask("Country", text, matches, *arguments)


def continent(text, matches, *arguments):
    ask("Continent", text, matches, *arguments)


def average(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def least(values):
    return min(values, default=None)


def most(values):
    return max(values, default=None)


def above(value, bound):
    """An order comparison, which null never satisfies."""
    return value is not None and value > bound


def below(value, bound):
    return value is not None and value < bound


# Numbers and their literals.
city("TRUEPREDICATE", lambda c: True)
city("FALSEPREDICATE", lambda c: False)
city("population > 1000000", lambda c: c.population > 1_000_000)
city("population >= 1000000", lambda c: c.population >= 1_000_000)
city("population => 1000000", lambda c: c.population >= 1_000_000)
city("population < 16000", lambda c: c.population < 16_000)
city("population =< 16000", lambda c: c.population <= 16_000)
city("population <= 16000", lambda c: c.population <= 16_000)
city("population == 29774", lambda c: c.population == 29_774)
city("population = 029774", lambda c: c.population == 29_774)
city("population != 29774", lambda c: c.population != 29_774)
city("population <> 29774", lambda c: c.population != 29_774)
city("population == 0x744E", lambda c: c.population == 0x744E)
city("population > 1e6", lambda c: c.population > 1e6)
city("population == 29774.0", lambda c: c.population == 29_774)
city("population == 29774.5", lambda c: False)
city("population < 20000.5", lambda c: c.population < 20_000.5)
city("population > -5", lambda c: True)
city("population == '29774'", lambda c: c.population == 29_774)
city("5000000 < population", lambda c: c.population > 5_000_000)
city("population BETWEEN {20000, 21000}", lambda c: 20_000 <= c.population <= 21_000)
city("population BETWEEN {21000, 20000}", lambda c: False)
city("population BETWEEN $0", lambda c: 20_000 <= c.population <= 21_000, [20_000, 21_000])
city("population > $0 AND population < $1", lambda c: 100_000 < c.population < 200_000, 100_000, 200_000)
city("population > $001", lambda c: c.population > 500_000, 0, 500_000)
country("areaKm2 > 1000000.0", lambda c: c.areaKm2 > 1e6)
country("areaKm2 < 1.5e2", lambda c: c.areaKm2 < 150)
country("areaKm2 == 468", lambda c: c.areaKm2 == 468)
country("areaKm2 > .5 AND areaKm2 < 10.", lambda c: 0.5 < c.areaKm2 < 10)
country("areaKm2 < inf", lambda c: True)
country("areaKm2 == NaN", lambda c: False)
country("areaKm2 != nan", lambda c: True)
country("population > areaKm2", lambda c: c.population > c.areaKm2)
country("areaKm2 >= population", lambda c: c.areaKm2 >= c.population)

# AND, OR, NOT and their precedence.
city("population > 1000000 AND country.iso == 'CN'", lambda c: c.population > 1e6 and follow(c, "country", "iso") == "CN")
city("population > 1000000 && country.iso == 'CN'", lambda c: c.population > 1e6 and follow(c, "country", "iso") == "CN")
city("country.iso == 'FR' OR country.iso == 'BE'", lambda c: follow(c, "country", "iso") in ("FR", "BE"))
city("country.iso == 'FR' || country.iso == 'BE' && population > 100000",
     lambda c: follow(c, "country", "iso") == "FR" or follow(c, "country", "iso") == "BE" and c.population > 1e5)
city("(country.iso == 'FR' or country.iso == 'BE') and population > 100000",
     lambda c: follow(c, "country", "iso") in ("FR", "BE") and c.population > 1e5)
city("NOT country.iso == 'US'", lambda c: follow(c, "country", "iso") != "US")
city("!country.iso == 'US' && population > 1000000", lambda c: follow(c, "country", "iso") != "US" and c.population > 1e6)
city("not (country.iso == 'US' or population > 20000)",
     lambda c: not (follow(c, "country", "iso") == "US" or c.population > 20_000))
city("NOT NOT population > 20000", lambda c: c.population > 20_000)

# Strings.
city("name == 'Paris'", lambda c: c.name == "Paris")
city('name == "São Paulo"', lambda c: c.name == "São Paulo")
city("name ==[c] 'PARIS'", lambda c: fold(c.name) == "paris")
city("name == [c] 'zÜrich'", lambda c: fold(c.name) == "zürich")
city("name !=[c] 'PARIS'", lambda c: fold(c.name) != "paris")
city("name ==[d] 'Sao Paulo'", lambda c: plain(c.name) == "Sao Paulo")
city("name ==[cd] 'SAO PAULO'", lambda c: fold(plain(c.name)) == "sao paulo")
city("name BEGINSWITH 'San '", lambda c: c.name.startswith("San "))
city("name beginswith[c] 'san '", lambda c: fold(c.name).startswith("san "))
city("name BEGINSWITH[cd] 'sao'", lambda c: fold(plain(c.name)).startswith("sao"))
city("name ENDSWITH 'ville'", lambda c: c.name.endswith("ville"))
city("name ENDSWITH[c] 'VILLE'", lambda c: fold(c.name).endswith("ville"))
city("name CONTAINS 'burg'", lambda c: "burg" in c.name)
city("name CONTAINS[c] 'Burg'", lambda c: "burg" in fold(c.name))
city("name CONTAINS[d] 'ao'", lambda c: "ao" in plain(c.name))
city("name CONTAINS ''", lambda c: True)
city("name LIKE '*-sur-*'", lambda c: re.fullmatch(".*-sur-.*", c.name, re.S) is not None)
city("name LIKE 'K?ln'", lambda c: re.fullmatch("K.ln", c.name, re.S) is not None)
city("name LIKE[c] 'k?LN'", lambda c: re.fullmatch("k.ln", fold(c.name), re.S) is not None)
city("name LIKE '?????'", lambda c: len(c.name) == 5)
city("name LIKE '*'", lambda c: True)
city("name > 'Z'", lambda c: c.name.encode() > b"Z")
city("name < 'Ab'", lambda c: c.name.encode() < b"Ab")
city("name >= 'É'", lambda c: c.name.encode() >= "É".encode())
city("name.@count == 4", lambda c: byte_count(c.name) == 4)
city("name.@size > 30", lambda c: byte_count(c.name) > 30)
city("name MATCHES '[A-Z][a-z]+ (am|an der) .*'", lambda c: re.fullmatch("[A-Z][a-z]+ (am|an der) .*", c.name) is not None)
city("name MATCHES[c] 'saint-.*'", lambda c: re.fullmatch("saint-.*", c.name, re.I) is not None)
city("name == $0", lambda c: c.name == "'s-Hertogenbosch", "'s-Hertogenbosch")
city("name == '\\'s-Hertogenbosch'", lambda c: c.name == "'s-Hertogenbosch")
city("name == 'S\\u00e3o Paulo'", lambda c: c.name == "São Paulo")
city("timezone BEGINSWITH 'America/Argentina/'", lambda c: c.timezone.startswith("America/Argentina/"))
city("timezone CONTAINS '/' AND NOT timezone CONTAINS '_'", lambda c: "/" in c.timezone and "_" not in c.timezone)
city("name TEXT 'new york'", lambda c: {"new", "york"} <= set(re.findall(r"[a-z0-9]+", fold(plain(c.name)))))
city("name TEXT 'saint -louis'", lambda c: "saint" in (words := set(re.findall(r"[^\W_]+", fold(plain(c.name)).replace("'", "x")))) and "louis" not in words)
city("name TEXT 'sankt*'", lambda c: any(word.startswith("sankt") for word in re.findall(r"[a-z0-9]+", fold(plain(c.name)))))

# IN.
city("name IN {'Berlin', 'Hamburg', 'München', 'Munich'}", lambda c: c.name in ("Berlin", "Hamburg", "München", "Munich"))
city("name IN[c] {'BERLIN', 'hamburg'}", lambda c: fold(c.name) in ("berlin", "hamburg"))
city("name IN $0", lambda c: c.name in ("Springfield", "Lincoln"), ["Springfield", "Lincoln"])
city("country.iso IN {'AT', 'CH', 'DE'}", lambda c: follow(c, "country", "iso") in ("AT", "CH", "DE"))
city("NOT name IN {'Berlin'}", lambda c: c.name != "Berlin")
city("name IN {}", lambda c: False)
city("population IN {29774, 18146, '15001'}", lambda c: c.population in (29_774, 18_146, 15_001))
city("NONE {'Berlin', 'Paris'} == name", lambda c: c.name not in ("Berlin", "Paris"))
country("'de' IN languages", lambda c: "de" in c.languages)
country("'nl-BE' IN languages", lambda c: "nl-BE" in c.languages)

# Null.
city("admin1 == null", lambda c: c.admin1 is None)
city("admin1 == nil", lambda c: c.admin1 is None)
city("admin1 != NULL", lambda c: c.admin1 is not None)
city("country == null", lambda c: c.country is None)
country("capital == null", lambda c: c.capital is None)
country("capital != null AND currency == null", lambda c: c.capital is not None and c.currency is None)
country("capital != 'Paris'", lambda c: c.capital != "Paris")
country("capital <= null", lambda c: c.capital is None)
country("capital < null", lambda c: False)
country("capital BEGINSWITH null", lambda c: True)
country("continent == null", lambda c: c.continent is None)
country("continent.name == null", lambda c: follow(c, "continent", "name") is None)
city("country.capital == null", lambda c: follow(c, "country", "capital") is None)
city("country.continent.name != 'Asia'", lambda c: follow(c, "country", "continent", "name") != "Asia")
country("currency IN {'EUR', null}", lambda c: c.currency in ("EUR", None))

# Links.
city("country.continent.name == 'Europe'", lambda c: follow(c, "country", "continent", "name") == "Europe")
city("country.continent.code IN {'OC', 'AN'} AND population > 50000",
     lambda c: follow(c, "country", "continent", "code") in ("OC", "AN") and c.population > 50_000)
city("country == obj('Country', 'IS')", lambda c: follow(c, "country", "iso") == "IS")
city("country != obj('Country', 'IS')", lambda c: follow(c, "country", "iso") != "IS")
city("country == obj('Country', 'XX')", lambda c: False)
city("country IN {obj('Country', 'IS'), obj('Country', 'MT')}", lambda c: follow(c, "country", "iso") in ("IS", "MT"))
city("name == country.capital", lambda c: c.name == follow(c, "country", "capital"))
city("name ==[c] country.name", lambda c: c.country is not None and fold(c.name) == fold(c.country.name))
city("country.@count == 1", lambda c: c.country is not None)
city("population > country.population", lambda c: above(c.population, follow(c, "country", "population")) if c.country else False)
city("location.type == 'Point'", lambda c: follow(c, "location", "type") == "Point")
city("location.coordinates[1] > 65.0", lambda c: c.location is not None and c.location.coordinates[1] > 65)
city("location.coordinates[FIRST] < -150", lambda c: c.location is not None and c.location.coordinates[0] < -150)
city("location.coordinates[LAST] < -50", lambda c: c.location is not None and c.location.coordinates[-1] < -50)
city("location.coordinates[SIZE] == 2", lambda c: c.location is not None and len(c.location.coordinates) == 2)
city("location == null", lambda c: c.location is None)

# Collections and quantifiers.
country("ANY languages == 'fr'", lambda c: "fr" in c.languages)
country("languages == 'fr'", lambda c: "fr" in c.languages)
country("SOME languages BEGINSWITH 'en'", lambda c: any(one.startswith("en") for one in c.languages))
country("ALL languages BEGINSWITH 'en'", lambda c: all(one.startswith("en") for one in c.languages))
country("NONE languages BEGINSWITH 'en'", lambda c: not any(one.startswith("en") for one in c.languages))
country("languages.@count == 0", lambda c: not c.languages)
country("languages.@size > 5", lambda c: len(c.languages) > 5)
country("languages[0] == 'ar'", lambda c: bool(c.languages) and c.languages[0] == "ar")
country("languages[1] == 'en'", lambda c: len(c.languages) > 1 and c.languages[1] == "en")
country("languages[2] == null", lambda c: len(c.languages) < 3)
country("languages == {'de'}", lambda c: c.languages == ["de"])
country("languages == {'fr', 'nl'}", lambda c: c.languages == ["fr", "nl"])
country("ANY languages IN {'fr', 'fr-FR', 'fr-CH'}", lambda c: any(one in ("fr", "fr-FR", "fr-CH") for one in c.languages))
country("ALL {'de', 'fr'} IN ANY languages", lambda c: {"de", "fr"} <= set(c.languages))
country("ANY languages.length == 2", lambda c: any(len(one) == 2 for one in c.languages))
country("ALL languages.length == 2", lambda c: all(len(one) == 2 for one in c.languages))
city("alternateNames == {}", lambda c: not c.alternateNames)
city("alternateNames.@count > 100", lambda c: len(c.alternateNames) > 100)
city("ANY alternateNames ==[c] 'neustadt'", lambda c: any(fold(one) == "neustadt" for one in c.alternateNames))
city("ANY alternateNames == name", lambda c: c.name in c.alternateNames)
city("NONE alternateNames == name", lambda c: c.name not in c.alternateNames)
city("ANY alternateNames.length > 60", lambda c: any(byte_count(one) > 60 for one in c.alternateNames))
country("ANY neighbours.iso == 'DE'", lambda c: any(one.iso == "DE" for one in c.neighbours))
country("ALL neighbours.population > 10000000", lambda c: all(one.population > 1e7 for one in c.neighbours))
country("NONE neighbours.continent.code == 'AF'", lambda c: not any(follow(one, "continent", "code") == "AF" for one in c.neighbours))
country("neighbours.@count > 8", lambda c: len(c.neighbours) > 8)
country("ANY neighbours == obj('Country', 'FR')", lambda c: any(one.iso == "FR" for one in c.neighbours))
country("ANY neighbours.neighbours.iso == 'MC'", lambda c: any(two.iso == "MC" for one in c.neighbours for two in one.neighbours))
country("neighbours.neighbours.@count > 30", lambda c: sum(len(one.neighbours) for one in c.neighbours) > 30)
country("ANY neighbours.languages == 'ca'", lambda c: any("ca" in one.languages for one in c.neighbours))

# Inverse links.
country("cities.@count > 500", lambda c: len(c.cities) > 500)
country("cities.@count == 0", lambda c: not c.cities)
country("ANY cities.population > 10000000", lambda c: any(one.population > 1e7 for one in c.cities))
country("ANY cities.name == capital", lambda c: any(one.name == c.capital for one in c.cities))
country("cities.@count > 0 AND NONE cities.name == capital", lambda c: c.cities and all(one.name != c.capital for one in c.cities))
country("@links.City.country.@count > 500", lambda c: len(c.cities) > 500)
country("ANY @links.City.country.name == 'Springfield'", lambda c: any(one.name == "Springfield" for one in c.cities))
country("@links.Country.neighbours.@count > 8", lambda c: len(c.named_by) > 8)
country("@links.@count > 300", lambda c: len(c.cities) + len(c.named_by) > 300)
continent("countries.@count > 50", lambda c: len(c.countries) > 50)
continent("ANY countries.cities.population > 15000000", lambda c: any(two.population > 15e6 for one in c.countries for two in one.cities))
continent("countries.cities.@count > 5000", lambda c: sum(len(one.cities) for one in c.countries) > 5000)
city("country.continent.countries.@count > 50", lambda c: len(follow(c, "country", "continent", "countries") or []) > 50)
city("country.cities.@count == 1", lambda c: c.country is not None and len(c.country.cities) == 1)

# Aggregates.
country("cities.@max.population > 10000000", lambda c: above(most(one.population for one in c.cities), 1e7))
country("cities.@min.population > 15500", lambda c: above(least(one.population for one in c.cities), 15_500))
country("cities.@min.population == null", lambda c: not c.cities)
country("cities.@sum.population > 50000000", lambda c: sum(one.population for one in c.cities) > 5e7)
country("cities.@sum.population == 0", lambda c: sum(one.population for one in c.cities) == 0)
country("cities.@avg.population > 100000", lambda c: above(average(one.population for one in c.cities), 100_000))
country("cities.@avg.population == null", lambda c: not c.cities)
country("neighbours.@max.areaKm2 < areaKm2", lambda c: below(most(one.areaKm2 for one in c.neighbours), c.areaKm2))
country("neighbours.@sum.population > population", lambda c: sum(one.population for one in c.neighbours) > c.population)
city("location.coordinates.@max > 170", lambda c: c.location is not None and max(c.location.coordinates) > 170)
city("location.coordinates.@min < -150", lambda c: c.location is not None and min(c.location.coordinates) < -150)
city("location.coordinates.@sum < -150", lambda c: c.location is not None and sum(c.location.coordinates) < -150)

# Arithmetic.
city("population * 2 > 20000000", lambda c: c.population * 2 > 20_000_000)
city("population + 5 == 29779", lambda c: c.population == 29_774)
city("population - 15000 < 100", lambda c: c.population - 15_000 < 100)
city("population / 1000 == 29", lambda c: c.population // 1000 == 29)
country("population / areaKm2 > 1000", lambda c: (c.population / c.areaKm2 if c.areaKm2 else float("inf") if c.population else 0) > 1000)
country("(areaKm2 + 32.0) * 2 > 1000064", lambda c: (c.areaKm2 + 32) * 2 > 1_000_064)
country("population == (77000 + 6)", lambda c: c.population == 77_006)
country("cities.@sum.population * 2 > population", lambda c: sum(one.population for one in c.cities) * 2 > c.population)
country("cities.@count * 1000 + 15 > population", lambda c: len(c.cities) * 1000 + 15 > c.population)

# SUBQUERY.
country("SUBQUERY(cities, $c, $c.population > 5000000).@count > 1", lambda c: sum(one.population > 5e6 for one in c.cities) > 1)
country("SUBQUERY(cities, $c, $c.population > 1000000 AND $c.name BEGINSWITH 'S').@count == 0",
        lambda c: not any(one.population > 1e6 and one.name.startswith("S") for one in c.cities))
country("SUBQUERY(neighbours, $n, ANY $n.languages == 'fr').@count >= 3", lambda c: sum("fr" in one.languages for one in c.neighbours) >= 3)
continent("SUBQUERY(countries, $k, SUBQUERY($k.cities, $c, $c.population > 1000000).@count > 10).@count > 1",
          lambda c: sum(sum(two.population > 1e6 for two in one.cities) > 10 for one in c.countries) > 1)
country("SUBQUERY(@links.City.country, $c, $c.name == 'Springfield').@count > 3",
        lambda c: sum(one.name == "Springfield" for one in c.cities) > 3)
country("SUBQUERY(neighbours, $n, $n.population > 50000000).@count == neighbours.@count",
        lambda c: all(one.population > 5e7 for one in c.neighbours))

# Places on the globe.
city("location geoWithin geoCircle([2.35, 48.85], 0.01)", lambda c: within_circle(c, 2.35, 48.85, 0.01))
city("location geoWithin geoCircle([-74.0, 40.7], 0.02)", lambda c: within_circle(c, -74.0, 40.7, 0.02))
city("location geoWithin geoCircle([179.5, -17], 0.1)", lambda c: within_circle(c, 179.5, -17, 0.1))
city("location geoWithin geoBox([5.9, 45.8], [10.5, 47.8])", lambda c: within_box(c, (5.9, 45.8), (10.5, 47.8)))
city("location geoWithin geoBox([-10, 35], [5, 44])", lambda c: within_box(c, (-10, 35), (5, 44)))
city("location geoWithin geoPolygon({[0.0, -0.5], [30.5, -0.5], [30.5, 20.0], [0.0, -0.5]})",
     lambda c: within_ring(c, [(0, -0.5), (30.5, -0.5), (30.5, 20)]))
city("location geoWithin geoPolygon({[100.0, 20.0], [125.0, 20.0], [125.0, 45.0], [100.0, 45.0], [100.0, 20.0]}, "
     "{[110.0, 25.0], [120.0, 25.0], [120.0, 35.0], [110.0, 35.0], [110.0, 25.0]})",
     lambda c: within_box(c, (100, 20), (125, 45)) and not within_box(c, (110, 25), (120, 35)))
country("ANY cities.location geoWithin geoCircle([7.6, 47.56], 0.001)",
        lambda c: any(within_circle(one, 7.6, 47.56, 0.001) for one in c.cities))
country("cities.@count > 0 AND ALL cities.location geoWithin geoBox([-25, 34], [45, 72])",
        lambda c: c.cities and all(within_box(one, (-25, 34), (45, 72)) for one in c.cities))
