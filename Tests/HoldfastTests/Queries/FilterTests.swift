import Foundation
import Holdfast
import Testing

@Suite("Conditions in text")
struct FilterTests {
    typealias Item = QueryModels.Item

    private func ids(_ results: Results<Item>) -> [Int] { Array(results.map(\.id)) }

    @Test("take arguments by number, and one after the other as in a predicate's format")
    func arguments() throws {
        let items = try QueryModels.filled().objects(Item.self)
        #expect(ids(items.filter("int == $0 OR int == $1", 1, 3)) == [1, 3])
        #expect(ids(items.filter("int == %@ OR int == %@", 1, 3)) == [1, 3])
        #expect(ids(items.filter("int == %d OR double == %f", 1, 1.5)) == [1, 3])
        #expect(ids(items.filter("int == %ld OR int == %lu OR int == %i", 1, 2, 4)) == [1, 2, 4])
        #expect(ids(items.filter("%K == %@", "part.name", "gear")) == [3])
        #expect(ids(items.filter("%K == %@ AND %K > 0", "string", "apple", "int")) == [1])
        // Within quotes a percent sign is a percent sign.
        #expect(ids(items.filter("string == '%@' OR string == \"%d\" OR int == %@", 2)) == [2])
        #expect(ids(items.filter("string == 'it\\'s %@' OR int == %@", 2)) == [2])
        #expect(ids(items.filter("string BEGINSWITH[c] %@", "CAF")) == [3])
        #expect(throws: InvalidQuery.self) { try items.filter(validating: "int %% 2 == 1") }
    }

    @Test("take sequences, enums, mapped values, objects and nulls as arguments")
    func kinds() throws {
        let realm = try QueryModels.filled()
        let items = realm.objects(Item.self)
        #expect(ids(items.filter("int IN %@", [1, 2])) == [1, 2])
        #expect(ids(items.filter("int IN $0", Set([3]))) == [3])
        #expect(ids(items.filter("int IN %@", 2...3)) == [2, 3])
        #expect(ids(items.filter("ANY ints IN %@", [5])) == [3])
        let list = try #require(items.first?.ints)
        #expect(ids(items.filter("int IN %@", list)) == [1, 2, 3])
        #expect(ids(items.filter("level == %@", QueryModels.Level.mid)) == [2])
        #expect(ids(items.filter("temperature > %@", QueryModels.Celsius(20))) == [3, 4])
        #expect(ids(items.filter("optInt == %@", NSNull())) == [3])
        #expect(ids(items.filter("optInt == %@", Int?.none as Any)) == [3])
        #expect(ids(items.filter("optInt == %@", Int?.some(4) as Any)) == [2])
        #expect(ids(items.filter("mixed == %@", AnyRealmValue.string("five"))) == [2])
        #expect(ids(items.filter("date == %@", Date(timeIntervalSince1970: 2000))) == [2])
        let part = try #require(realm.object(ofType: QueryModels.Part.self, forPrimaryKey: 3))
        #expect(ids(items.filter("part == %@", part)) == [3])
        #expect(ids(items.filter("ANY parts == %@", part)) == [3, 4])
        #expect(ids(items.filter("part IN %@", [part])) == [3])
        let circle = try #require(GeoCircle(center: (20, 20), radiusInRadians: 0.01))
        #expect(ids(items.filter("place geoWithin %@", circle)) == [2])
    }

    @Test("find points IN a region of each form, as the original's predicates say it")
    func inRegions() throws {
        let items = try QueryModels.filled().objects(Item.self)
        let circle = try #require(GeoCircle(center: (20, 20), radiusInRadians: 0.01))
        #expect(ids(items.filter("place IN %@", circle)) == [2])
        #expect(ids(items.filter("NOT place IN $0 AND int < 4", circle)) == [1, 3])
        #expect(ids(try items.filter(validating: "place IN %@", circle)) == [2])
        #expect(items.index(matching: "place IN %@", circle) == 1)
        let box = try #require(GeoBox(bottomLeft: (5, 5), topRight: (15, 15)))
        #expect(ids(items.filter("int > %d && place IN %@", 0, box)) == [1])
        let ring = [(25, 25), (25, 35), (35, 35), (35, 25), (25, 25)] as [(Double, Double)]
        let polygon = try #require(
            GeoPolygon(
                outerRing: ring.map { GeoPoint(latitude: $0.0, longitude: $0.1) }.compactMap { $0 })
        )
        #expect(ids(items.filter("place IN %@", polygon)) == [3])
        let near = try #require(GeoBox(bottomLeft: (1.5, 1.5), topRight: (3.5, 3.5)))
        #expect(ids(items.filter("ANY places IN %@", near)) == [2, 3])
        #expect(ids(items.filter("NONE places IN %@", near)) == [1, 4])
        #expect(throws: InvalidQuery.self) { try items.filter(validating: "int IN %@", circle) }
        #expect(throws: InvalidQuery.self) { try items.filter(validating: "place IN %@", "x") }
        let bow = try #require(
            GeoPolygon(outerRing: [(0, 0), (10, 10), (0, 10), (10, 0), (0, 0)]))
        let error = #expect(throws: InvalidQuery.self) {
            try items.filter(validating: "place IN %@", bow)
        }
        #expect(error?.message.contains("Invalid region in GEOWITHIN query") == true)
    }

    @Test("of a text from outside are refused with the column and what to do")
    func validating() throws {
        let items = try QueryModels.filled().objects(Item.self)
        let error = #expect(throws: InvalidQuery.self) {
            try items.filter(validating: "strin == 'x'")
        }
        #expect(error?.column == 1 && error?.hint == "string")
        #expect(ids(try items.filter(validating: "string == $0", "date")) == [4])
        #expect(throws: InvalidQuery.self) { try items.filter(validating: "int == %@") }
        #expect(throws: InvalidQuery.self) { try items.filter(validating: "") }
        #expect(throws: InvalidQuery.self) {
            try items.filter(validating: "int == %@", URL(string: "a:b") as Any)
        }
    }

    @Test("name a region that is none, and say why")
    func regions() throws {
        let items = try QueryModels.filled().objects(Item.self)
        let error = #expect(throws: InvalidQuery.self) {
            try items.filter(validating: "place geoWithin geoPolygon({[0,0],[1,1],[0,0]})")
        }
        let message = error?.message ?? ""
        let region = message.split(separator: "'").dropFirst().first ?? ""
        #expect(region.hasPrefix("geoPolygon("))
        #expect(
            message.hasPrefix("Invalid region in GEOWITHIN query for parameter '\(region)': "))
    }

    @Test("may sort, tell apart and limit, and are chained")
    func suffixes() throws {
        let items = try QueryModels.filled().objects(Item.self)
        #expect(ids(items.filter("int > 1 SORT(int DESC) LIMIT(2)")) == [4, 3])
        #expect(ids(items.filter("int > 1").filter("int < 4").where { $0.flag }) == [2])
        #expect(ids(items.filter("TRUEPREDICATE DISTINCT(colour)")) == [1, 3])
        #expect(ids(items.sorted(byKeyPath: "int", ascending: false).filter("int > 2")) == [4, 3])
    }
}
