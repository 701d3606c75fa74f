import Foundation
import Holdfast
import Testing

private final class Spot: EmbeddedObject {
    @Persisted private var type = "Point"
    @Persisted private var coordinates: List<Double>
    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}
private final class Place: Object {
    @Persisted var location: Spot?
}

@Suite("Regions of the Earth")
struct GeoTests {
    private static func places() throws -> Results<Place> {
        let realm = try Realm.ofSample("\(UUID())", [Place.self, Spot.self])
        try realm.write {
            for (latitude, longitude) in [(1.0, 1.0), (5.0, 5.0)] {
                let place = Place()
                place.location = Spot(latitude, longitude)
                realm.add(place)
            }
        }
        return realm.objects(Place.self)
    }

    private static let ring = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0), (0.0, 0.0)]
    private static let hole = [(4.0, 4.0), (4.0, 6.0), (6.0, 6.0), (6.0, 4.0), (4.0, 4.0)]

    @Test("are made of points or of latitudes and longitudes, holes one by one or in an array")
    func forms() throws {
        let outer = try Self.ring.map { try #require(GeoPoint(latitude: $0.0, longitude: $0.1)) }
        let inner = try Self.hole.map { try #require(GeoPoint(latitude: $0.0, longitude: $0.1)) }
        let polygons = [
            GeoPolygon(outerRing: outer, holes: [inner]),
            GeoPolygon(outerRing: outer, holes: inner),
            GeoPolygon(outerRing: Self.ring, holes: [Self.hole]),
            GeoPolygon(outerRing: Self.ring, holes: Self.hole),
        ]
        for polygon in polygons {
            #expect(polygon == polygons[0] && polygon?.holes.count == 1)
        }
        #expect(GeoPolygon(outerRing: outer)?.holes.isEmpty == true)
        let center = try #require(GeoPoint(latitude: 1, longitude: 2))
        #expect(
            GeoCircle(center: (1, 2), radiusInRadians: 0.5)
                == GeoCircle(center: center, radiusInRadians: 0.5))
        let distance = try #require(Distance.radians(0.5))
        #expect(GeoCircle(center: center, radius: distance).radiusInRadians == 0.5)
        #expect(
            GeoBox(bottomLeft: (0, 0), topRight: (1, 2))?.topRight == center)
    }

    @Test("have distances of several units")
    func distances() throws {
        let kilometre = try #require(Distance.kilometers(1))
        #expect(abs(kilometre.asMiles() - 0.621371) < 1e-6)
        #expect(abs((Distance.miles(1)?.asKilometers() ?? 0) - 1.609344) < 1e-9)
        #expect(Distance.degrees(180)?.radians == .pi && Distance.radians(.pi)?.asDegrees() == 180)
        for make in [Distance.kilometers, Distance.miles, Distance.degrees, Distance.radians] {
            #expect(make(-1) == nil && make(.nan) == nil && make(0) != nil)
        }
    }

    @Test("that do not exist are nil")
    func missing() {
        #expect(GeoPoint(latitude: -90.5, longitude: 0) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 180.5) == nil)
        #expect(GeoPoint(latitude: 0, longitude: .nan) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 0, altitude: .nan) == nil)
        #expect(GeoPoint(latitude: 90, longitude: -180, altitude: 0) != nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: .nan) == nil)
        #expect(GeoCircle(center: (91, 0), radiusInRadians: 1) == nil)
        #expect(GeoBox(bottomLeft: (0, 0), topRight: (0, 181)) == nil)
        #expect(GeoPolygon(outerRing: Array(Self.ring.dropLast())) == nil)
        #expect(GeoPolygon(outerRing: Array(Self.ring.prefix(2)) + [Self.ring[0]]) == nil)
        #expect(GeoPolygon(outerRing: Self.ring, holes: Array(Self.hole.dropLast())) == nil)
    }

    @Test("leave out their holes")
    func holes() throws {
        let places = try Self.places()
        let whole = try #require(GeoPolygon(outerRing: Self.ring))
        let holed = try #require(GeoPolygon(outerRing: Self.ring, holes: Self.hole))
        #expect(places.filter("location geoWithin $0", whole).count == 2)
        #expect(places.filter("location geoWithin $0", holed).count == 1)
    }

    @Test("whose rings cross are a fault of the query, which names the region")
    func crossing() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let places = try GeoTests.places()
            let crossing = [(0.0, 0.0), (10.0, 10.0), (0.0, 10.0), (10.0, 0.0), (0.0, 0.0)]
            let polygon = try #require(GeoPolygon(outerRing: crossing))
            _ = places.filter("location geoWithin $0", polygon).count
        }
        let told = end.message.range(
            of: "Invalid region in GEOWITHIN query for parameter '.*': Ring 0 is not valid",
            options: .regularExpression)
        #expect(told != nil)
    }
}
