"""The world sample as plain Python objects, read from the files; nothing here knows the product."""
import gzip
import json
import math
import unicodedata
from types import SimpleNamespace

# What the query language takes for the Earth: kilometres to radians.
EARTH_KILOMETRES = 6378.1


class World:
    """Continents, countries and cities with their links resolved, both ways."""

    def __init__(self, folder):
        self.continents = self._read(folder, "Continent")
        self.countries = self._read(folder, "Country")
        self.cities = self._read(folder, "City")
        by_code = {one.code: one for one in self.continents}
        by_iso = {one.iso: one for one in self.countries}
        for one in self.continents:
            one.countries = []
        for one in self.countries:
            one.cities, one.capital = [], getattr(one, "capital", None)
            one.currency = getattr(one, "currency", None)
            one.continent = by_code.get(getattr(one, "continent", None))
            one.neighbours = [by_iso[iso] for iso in sorted(set(one.neighbours))]
            if one.continent:
                one.continent.countries.append(one)
        for one in self.cities:
            one.admin1 = getattr(one, "admin1", None)
            one.country = by_iso.get(getattr(one, "country", None))
            one.location = getattr(one, "location", None)
            if one.country:
                one.country.cities.append(one)
        for one in self.countries:
            one.named_by = [other for other in self.countries if one in other.neighbours]

    @staticmethod
    def _read(folder, name):
        with gzip.open(folder / f"{name}.ndjson.gz", "rt", encoding="utf-8") as file:
            return [json.loads(line, object_hook=lambda members: SimpleNamespace(**members)) for line in file]

    def of(self, name):
        return {"Continent": self.continents, "Country": self.countries, "City": self.cities}[name]


def follow(one, *names):
    """What single links lead to; None where one is missing on the way."""
    for name in names:
        if one is None:
            return None
        one = getattr(one, name)
    return one


def fold(text):
    """Simple case folding (Unicode, CaseFolding.txt, C and S): one character to one."""
    def single(character):
        if character == "\u1e9e":
            return "\u00df"
        folded = character.casefold()
        return folded if len(folded) == 1 else character
    return "".join(map(single, text))


def plain(text):
    """Without combining accents."""
    return "".join(one for one in unicodedata.normalize("NFD", text) if unicodedata.category(one) != "Mn")


def byte_count(text):
    return len(text.encode())


def vector(longitude, latitude):
    """A point on the unit sphere."""
    east, north = math.radians(longitude), math.radians(latitude)
    return (math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def angle(a, b):
    """The angle between two points as seen from the centre, in radians."""
    c = cross(a, b)
    return math.atan2(math.sqrt(dot(c, c)), dot(a, b))


def within_circle(city, longitude, latitude, radians):
    if city.location is None:
        return False
    return angle(vector(*city.location.coordinates[:2]), vector(longitude, latitude)) <= radians


def within_ring(city, corners):
    """Whether a point lies within a ring whose edges are great circles: the sum of the angles under which it sees them."""
    if city.location is None:
        return False
    point = vector(*city.location.coordinates[:2])
    turn = 0.0
    ring = [vector(*corner) for corner in corners]
    # On the far side of the sphere the ring is seen under the same angles, the other way round.
    if dot(point, tuple(map(sum, zip(*ring)))) <= 0:
        return False
    for a, b in zip(ring, ring[1:] + ring[:1]):
        # Both ends seen from the point, in the plane that touches the sphere there.
        u = tuple(x - dot(a, point) * p for x, p in zip(a, point))
        v = tuple(x - dot(b, point) * p for x, p in zip(b, point))
        turn += math.atan2(dot(cross(u, v), point), dot(u, v))
    return abs(turn) > math.pi


def within_box(city, south_west, north_east):
    (west, south), (east, north) = south_west, north_east
    return within_ring(city, [(west, south), (east, south), (east, north), (west, north)])
