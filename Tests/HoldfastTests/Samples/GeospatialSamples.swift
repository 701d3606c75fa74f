// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The samples are as the page has them.

import Holdfast
import Testing

/// supported-types 9.
private enum SupportedTypes9 {
    static let objectTypes: [ObjectBase.Type] = [Place.self, CustomGeoPoint.self]

    class CustomGeoPoint: EmbeddedObject {
        @Persisted private var type: String = "Point"
        @Persisted private var coordinates: List<Double>

        public var latitude: Double { return coordinates[1] }
        public var longitude: Double { return coordinates[0] }

        convenience init(_ latitude: Double, _ longitude: Double) {
            self.init()
            // Longitude comes first in the coordinates array of a GeoJson document
            coordinates.append(objectsIn: [longitude, latitude])
        }
    }

    class Place: Object {
        @Persisted var name: String
        @Persisted var location: CustomGeoPoint?

        convenience init(_ name: String, _ latitude: Double, _ longitude: Double) {
            self.init()
            self.name = name
            location = CustomGeoPoint(latitude, longitude)
        }
    }
}

@Suite("The samples of the page on supported types: geospatial data")
struct GeospatialSamples {
    @Test(
        "a point in private properties is stored, read, and found in a circle, a box and a polygon")
    func findsPoints() throws {
        typealias Sample = SupportedTypes9
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        try realm.write {
            realm.add([
                Sample.Place("Seattle", 47.609, -122.332),
                Sample.Place("Portland", 45.515, -122.678),
                Sample.Place("New York", 40.713, -74.006),
            ])
            realm.add(Sample.Place(value: ["name": "nowhere"]))
        }
        let places = realm.objects(Sample.Place.self)
        let seattle = try #require(places.filter("name == 'Seattle'").first?.location)
        #expect(seattle.latitude == 47.609 && seattle.longitude == -122.332)
        func names(_ region: String) -> [String] {
            places.filter("location geoWithin \(region)").sorted(byKeyPath: "name").map(\.name)
        }
        #expect(names("geoCircle([-122.3, 47.6], 0.005)") == ["Seattle"])
        #expect(names("geoBox([-123.0, 45.0], [-122.0, 48.0])") == ["Portland", "Seattle"])
        #expect(
            names("geoPolygon({[-75.0, 40.0], [-73.0, 40.0], [-74.0, 42.0], [-75.0, 40.0]})") == [
                "New York"
            ])
    }

    @Test("regions of the library are arguments of queries")
    func findsInRegions() throws {
        typealias Sample = SupportedTypes9
        let realm = try Realm.ofSample("\(Sample.self) regions", Sample.objectTypes)
        try realm.write {
            realm.add([
                Sample.Place("Seattle", 47.609, -122.332),
                Sample.Place("Portland", 45.515, -122.678),
            ])
        }
        func names(_ region: Any) -> [String] {
            realm.objects(Sample.Place.self).filter("location geoWithin $0", region).map(\.name)
                .sorted()
        }
        let near = try #require(Distance.kilometers(20))
        #expect(names(try #require(GeoCircle(center: (47.6, -122.3), radius: near))) == ["Seattle"])
        let box = try #require(GeoBox(bottomLeft: (45, -123), topRight: (48, -122)))
        #expect(names(box) == ["Portland", "Seattle"])
        let ring = [(47.0, -123.0), (48.0, -123.0), (48.0, -122.0), (47.0, -122.0), (47.0, -123.0)]
        #expect(names(try #require(GeoPolygon(outerRing: ring))) == ["Seattle"])
        let hole = [(47.5, -122.5), (47.7, -122.5), (47.7, -122.1), (47.5, -122.1), (47.5, -122.5)]
        #expect(names(try #require(GeoPolygon(outerRing: ring, holes: hole))).isEmpty)
    }

    @Test("points, distances and rings that do not exist are nil")
    func refusesRegions() throws {
        #expect(
            GeoPoint(latitude: 90.1, longitude: 0) == nil
                && GeoPoint(latitude: 0, longitude: -180.1) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 0, altitude: -1) == nil)
        #expect(GeoPoint(latitude: .nan, longitude: 0) == nil)
        #expect(Distance.kilometers(-1) == nil && Distance.radians(.nan) == nil)
        #expect(Distance.kilometers(6378.1)?.radians == 1)
        let origin = try #require(GeoPoint(latitude: 0, longitude: 0))
        #expect(GeoCircle(center: origin, radiusInRadians: -1) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (0, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 0), (1, 1), (0, 1)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (91, 0), (1, 1), (0, 0)]) == nil)
    }
}
