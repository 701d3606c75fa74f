import Foundation
import Holdfast
import Testing

@Suite("Conditions in Swift")
struct WhereTests {
    typealias Item = QueryModels.Item

    /// Finds the items that meet a condition.
    private func ids(_ condition: (Query<Item>) -> Query<Bool>) throws -> [Int] {
        Array(try QueryModels.filled().objects(Item.self).where(condition).map(\.id))
    }

    @Test("compare numbers and dates of each width, with values, ranges and each other")
    func numbers() throws {
        #expect(try ids { $0.int == 2 } == [2])
        #expect(try ids { $0.int != 2 } == [1, 3, 4])
        #expect(try ids { $0.short > 3 } == [4])
        #expect(try ids { $0.float <= 1 } == [1, 2])
        #expect(try ids { $0.decimal >= 3 } == [3, 4])
        #expect(try ids { $0.date < Date(timeIntervalSince1970: 2000) } == [1])
        #expect(try ids { $0.int.contains(2..<4) } == [2, 3])
        #expect(try ids { $0.int.contains(2...4) } == [2, 3, 4])
        #expect(try ids { $0.optInt.contains(2...4) } == [1, 2])
        #expect(try ids { $0.optInt.contains(2..<4) } == [1])
        #expect(try ids { $0.optInt == nil } == [3])
        #expect(try ids { $0.optInt != nil && $0.optInt > 2 } == [2, 4])
        #expect(try ids { $0.int.in([1, 4, 9]) } == [1, 4])
        #expect(try ids { $0.optInt.in([nil, 8]) } == [3, 4])
        #expect(try ids { $0.int == $0.optInt } == [])
        #expect(try ids { $0.int < $0.optInt } == [1, 2, 4])
        #expect(try ids { $0.double < $0.int && !($0.int > 3) } == [1, 2, 3])
        #expect(
            try ids { $0.uuid.in([UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]) }
                == [3])
    }

    @Test("compare texts and bytes with options, and with another property")
    func texts() throws {
        let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try ids { $0.string.contains("an") } == [2])
        #expect(try ids { $0.string.contains("AN", options: .caseInsensitive) } == [2])
        #expect(try ids { $0.string.starts(with: "a") } == [1])
        #expect(try ids { $0.string.starts(with: "cafe", options: both) } == [3])
        #expect(try ids { $0.string.ends(with: "e") } == [1, 4])
        #expect(try ids { $0.string.ends(with: "E", options: both) } == [1, 3, 4])
        #expect(try ids { $0.string.like("*a*a") } == [2])
        #expect(try ids { $0.string.like("D??E", caseInsensitive: true) } == [4])
        #expect(try ids { $0.string.equals("cafe", options: both) } == [3])
        #expect(try ids { $0.string.equals("CAFÉ", options: .caseInsensitive) } == [3])
        #expect(try ids { $0.string.equals("Cafe", options: .diacriticInsensitive) } == [3])
        #expect(try ids { $0.string.notEquals("APPLE", options: .caseInsensitive) } == [2, 3, 4])
        #expect(try ids { $0.optString == nil } == [2])
        #expect(try ids { $0.optString.contains("3") } == [3])
        #expect(try ids { $0.string.contains($0.other) } == [1])
        #expect(try ids { $0.string.equals($0.other, options: .caseInsensitive) } == [2])
        #expect(try ids { $0.string.notEquals($0.other, options: .caseInsensitive) } == [1, 3, 4])
        #expect(try ids { $0.string.like($0.other) } == [3, 4])
        #expect(try ids { $0.string.starts(with: $0.other, options: both) } == [2])
        #expect(try ids { $0.string.ends(with: $0.other, options: both) } == [2])
        #expect(try ids { $0.string != $0.other } == [1, 2, 3, 4])
        #expect(
            try ids { $0.data.starts(with: Data("data".utf8)) && $0.data == Data("data2".utf8) }
                == [2])
        #expect(
            try ids { $0.data.ends(with: Data("4".utf8)) || $0.data.contains(Data("a3".utf8)) }
                == [3, 4])
        #expect(try ids { $0.mixed.contains(.string("iv")) } == [2])
    }

    @Test("take bools by themselves, and join conditions")
    func logic() throws {
        #expect(try ids { $0.flag } == [2, 4])
        #expect(try ids { !$0.flag } == [1, 3])
        #expect(try ids { $0.flag == false && $0.int > 1 } == [3])
        #expect(try ids { $0.flag && !($0.int == 2) || $0.int == 1 } == [1, 4])
        #expect(try ids { $0.parts.isNew } == [2, 3, 4])
        #expect(try ids { !($0.parts.isNew) } == [1])
        #expect(try ids { $0.part.isNew } == [2])
    }

    @Test("compare enums, mapped values and values of any type")
    func values() throws {
        #expect(try ids { $0.level == .low } == [1, 4])
        #expect(try ids { $0.level > .low } == [2, 3])
        #expect(try ids { $0.level.in([.mid, .high]) } == [2, 3])
        #expect(try ids { $0.level.rawValue >= 5 } == [2, 3])
        #expect(try ids { $0.optLevel == nil } == [1])
        #expect(try ids { $0.optLevel.rawValue == 5 } == [2, 3, 4])
        #expect(try ids { $0.colour.rawValue.starts(with: "gr") } == [3, 4])
        #expect(try ids { $0.levels.contains(.high) } == [2, 3, 4])
        #expect(try ids { $0.levels.rawValue.contains(9) } == [2, 3, 4])
        #expect(try ids { $0.temperature > Celsius(20) } == [3, 4])
        #expect(try ids { $0.temperature.contains(Celsius(10)...Celsius(20)) } == [1, 2])
        #expect(try ids { $0.temperature.persistableValue == 30 } == [3])
        #expect(try ids { $0.optTemperature == nil } == [4])
        #expect(try ids { $0.optTemperature.persistableValue > 2.5 } == [3])
        #expect(try ids { $0.temperatures.contains(Celsius(2)) } == [2])
        #expect(try ids { $0.temperatures.persistableValue.max < 2 } == [1])
        #expect(try ids { $0.mixed == .int(5) } == [1])
        #expect(try ids { $0.mixed == .double(5) } == [1])
        #expect(try ids { $0.mixed == .string("five") } == [2])
        #expect(try ids { $0.mixed[0] == .int(1) } == [3])
        #expect(try ids { $0.mixed["k"] == .int(1) } == [4])
        #expect(try ids { $0.mixed[1]["k"] == .string("deep") } == [3])
        #expect(try ids { $0.mixed.any == .double(2.5) } == [4])
        #expect(try ids { $0.mixed.any.in([.int(1), .int(2)]) } == [3, 4])
        #expect(try ids { $0.anys.contains(.int(3)) } == [3])
    }

    @Test("compare the values of collections, of which one has to meet the comparison")
    func anyElement() throws {
        // The lists are 1 to 3, 2 to 4, 3 to 5, and empty.
        #expect(try ids { $0.ints == 3 } == [1, 2, 3])
        #expect(try ids { $0.ints == 5 } == [3])
        #expect(try ids { $0.ints != 2 } == [1, 2, 3])
        #expect(try ids { $0.ints > 3 } == [2, 3])
        #expect(try ids { $0.ints >= 5 } == [3])
        #expect(try ids { $0.ints < 2 } == [1])
        #expect(try ids { $0.ints <= 2 && !($0.ints > 3) } == [1])
        #expect(try ids { $0.optInts == nil } == [1, 2, 3, 4])
        #expect(try ids { $0.optInts > 3 } == [4])
        #expect(try ids { $0.doubles > 4 } == [4])
        #expect(try ids { $0.strings == "s2" } == [2])
        #expect(try ids { $0.strings != "all" } == [1, 2, 3, 4])
        #expect(try ids { $0.levels == .high } == [2, 3, 4])
        #expect(try ids { $0.levels > .mid } == [2, 3, 4])
        #expect(try ids { $0.temperatures >= Celsius(3) } == [3, 4])
        #expect(try ids { $0.spots == Spot(3, 1) } == [3])
        #expect(try ids { $0.intMap > 300 } == [4])
        #expect(try ids { $0.intMap == 200 } == [2])
        #expect(try ids { $0.anys == .int(2) } == [2])
        #expect(try ids { $0.anys > .int(3) } == [4])
        #expect(try ids { $0.parts.scores > 3 } == [4])
        #expect(try ids { ($0.parts.scores > 2).count == 2 } == [4])
    }

    private typealias Celsius = QueryModels.Celsius
    private typealias Spot = QueryModels.Spot

    @Test("compare what is stored as an embedded object by all of its properties")
    func memberwise() throws {
        #expect(try ids { $0.spot == Spot(2, 7) } == [2])
        #expect(try ids { $0.spot != Spot(2, 7) } == [1, 3, 4])
        #expect(try ids { $0.spot.in([Spot(1, 7), Spot(3, 7), Spot(4, 8)]) } == [1, 3])
        #expect(try ids { $0.spot.persistableValue.latitude > 2 } == [3, 4])
        // Both properties have to be those of one element.
        #expect(try ids { $0.spots.contains(Spot(3, 1)) } == [3])
        #expect(try ids { $0.spots.contains(Spot(3, 3)) } == [])
        #expect(try ids { $0.spots.containsAny(in: [Spot(1, 2), Spot(4, 1)]) } == [2, 4])
    }

    @Test("look into lists, sets and maps of values")
    func collections() throws {
        #expect(try ids { $0.ints.contains(3) } == [1, 2, 3])
        #expect(try ids { $0.ints.containsAny(in: [1, 5]) } == [1, 3])
        #expect(try ids { $0.ints.count == 0 } == [4])
        #expect(try ids { $0.ints.min == 2 || $0.ints.max == 5 } == [2, 3])
        #expect(try ids { $0.ints.sum == 9 } == [2])
        #expect(try ids { $0.ints.avg == 4 } == [3])
        #expect(try ids { $0.ints.avg > 3.5 && $0.ints.avg < 4.5 } == [3])
        #expect(try ids { $0.ints.contains(1...4) } == [1, 2])
        #expect(try ids { $0.ints.contains(1..<4) } == [1])
        #expect(try ids { $0.optInts.contains(nil) } == [1, 2, 3, 4])
        #expect(try ids { $0.optInts.contains(2...3) } == [2, 3])
        #expect(try ids { $0.doubles.contains(2.5) } == [2])
        #expect(try ids { $0.doubles.max >= 3.5 } == [3, 4])
        #expect(try ids { $0.strings.contains("s2") } == [2])
        #expect(try ids { $0.intMap["a"] == 3 } == [3])
        #expect(try ids { $0.intMap["a"] > 1 && $0.intMap["b"] < 400 } == [2, 3])
        #expect(try ids { $0.intMap.keys == "b" } == [1, 2, 3, 4])
        #expect(try ids { $0.stringMap.keys.starts(with: "k3") } == [3])
        #expect(try ids { $0.stringMap["k2"] == "v2" } == [2])
        #expect(try ids { $0.stringMap["none"] == nil } == [1, 2, 3, 4])
        #expect(try ids { $0.stringMap.values.contains("v") && $0.int < 3 } == [1, 2])
        #expect(try ids { $0.intMap.values > 300 } == [4])
        #expect(try ids { $0.intMap.contains(200) } == [2])
        #expect(try ids { $0.intMap.containsAny(in: [1, 4]) } == [1, 4])
        #expect(try ids { $0.intMap.count == 2 && $0.intMap.sum > 300 } == [3, 4])
        #expect(try ids { $0.intMap.contains(1...200) } == [1, 2])
        #expect(try ids { $0.intMap.max == 100 || $0.intMap.min == 4 } == [1, 4])
    }

    @Test("look into lists, sets and maps of objects, and along links both ways")
    func objects() throws {
        #expect(try ids { $0.part.name == "nut" } == [1])
        #expect(try ids { $0.part == nil } == [4])
        #expect(try ids { $0.parts.size > 30 } == [4])
        #expect(try ids { $0.parts.name.in(["gear", "none"]) } == [3, 4])
        #expect(try ids { $0.parts.count >= 3 } == [3, 4])
        #expect(try ids { $0.parts.size.max == 20 } == [2])
        #expect(try ids { $0.parts.size.sum == 60 } == [3])
        #expect(try ids { $0.parts.size.avg == 25 } == [4])
        #expect(try ids { $0.parts.size.avg > 24.5 && $0.parts.size.avg < 25.5 } == [4])
        #expect(try ids { $0.parts.price.min == 1 && $0.parts.count < 3 } == [1, 2])
        #expect(try ids { $0.partSet.size.contains(10...15) } == [1])
        #expect(try ids { $0.partMap.values.name == "Bolt" } == [2])
        #expect(try ids { $0.partMap["p"] != nil } == [1, 2, 3, 4])
        #expect(try ids { $0.parts.sub.name == "gear" } == [1, 2, 3, 4])
        #expect(try ids { $0.parts.scores.max >= 3 } == [3, 4])
        let realm = try QueryModels.filled()
        let parts = realm.objects(QueryModels.Part.self)
        #expect(Array(parts.where { $0.items.int == 1 }.map(\.id)) == [1])
        #expect(Array(parts.where { $0.items.count == 2 }.map(\.id)) == [3])
        let items = realm.objects(Item.self)
        let bolt = try #require(parts.where { $0.name == "Bolt" }.first)
        #expect(Array(items.where { $0.part == bolt }.map(\.id)) == [2])
        #expect(Array(items.where { $0.part != bolt }.map(\.id)) == [1, 3, 4])
        #expect(Array(items.where { $0.parts.contains(bolt) }.map(\.id)) == [2, 3, 4])
        #expect(Array(items.where { $0.part.in([bolt, nil]) }.map(\.id)) == [2, 4])
        #expect(Array(items.where { $0.partMap.contains(bolt) }.map(\.id)) == [2])
    }

    @Test("count the objects of a collection that meet a condition of their own")
    func subqueries() throws {
        #expect(try ids { ($0.parts.size > 10).count >= 2 } == [3, 4])
        #expect(try ids { ($0.parts.size > 10 && $0.parts.isNew).count == 1 } == [2, 3])
        #expect(try ids { ($0.parts.isNew).count == 2 } == [4])
        #expect(
            try ids { (!$0.parts.isNew && $0.parts.name.contains("u")).count == 1 } == [1, 2, 3, 4])
        #expect(try ids { ($0.parts.sub.size == 20).count == 1 } == [1, 2, 3, 4])
        #expect(try ids { ($0.parts.sub.count == 2).count == 1 && $0.int < 2 } == [1])
        #expect(try ids { ($0.partSet.size > 10).count == 3 } == [1, 2])
        #expect(try ids { ($0.partMap.values.size > 10).count == 1 } == [2, 3, 4])
        #expect(try ids { ($0.parts.price == nil).count == 1 } == [4])
        #expect(try ids { ($0.parts.scores.contains(2)).count == 2 } == [3])
    }

    @Test("find points in boxes, circles and polygons")
    func regions() throws {
        let box = try #require(GeoBox(bottomLeft: (5, 5), topRight: (15, 15)))
        #expect(try ids { $0.place.geoWithin(box) } == [1])
        let circle = try #require(GeoCircle(center: (20, 20), radiusInRadians: 0.01))
        #expect(try ids { $0.place.geoWithin(circle) } == [2])
        let polygon = try #require(
            GeoPolygon(outerRing: [(25, 25), (25, 35), (35, 35), (35, 25), (25, 25)]))
        #expect(try ids { $0.place.geoWithin(polygon) && $0.int > 0 } == [3])
        let near = try #require(GeoBox(bottomLeft: (1.5, 1.5), topRight: (3.5, 3.5)))
        #expect(try ids { $0.places.geoWithin(near) } == [2, 3])
    }

    @Test("name properties that are stored under another name as the class does")
    func renamed() throws {
        #expect(try ids { $0.secret == "secret 3" } == [3])
        let items = try QueryModels.filled().objects(Item.self)
        #expect(Array(items.filter("secret == 'secret 2'").map(\.id)) == [2])
        #expect(Array(items.filter("secret_name == 'secret 2'").map(\.id)) == [2])
        #expect(items.sorted(byKeyPath: "secret", ascending: false).first?.id == 4)
        #expect(items.sorted(by: \.secret, ascending: false).first?.id == 4)
        #expect(items.distinct(by: [\.secret]).count == 4)
        #expect(items.value(forKey: "secret") as? [String] == (1...4).map { "secret \($0)" })
    }

    @Test("name properties by words of the query language")
    func reserved() throws {
        let realm = try Realm.ofSample("reserved", [Reserved.self])
        try realm.write {
            for id in 1...3 {
                let object = realm.create(Reserved.self, value: ["all": id, "null": "n\(id)"])
                object.any.append(objectsIn: realm.objects(Reserved.self))
            }
        }
        let objects = realm.objects(Reserved.self)
        func alls(_ condition: (Query<Reserved>) -> Query<Bool>) -> [Int] {
            Array(objects.where(condition).map(\.all))
        }
        #expect(alls { $0.all > 1 && $0.null != "n3" } == [2])
        #expect(alls { $0.any.all == 3 } == [3])
        #expect(alls { $0.any.all.max < 3 && $0.any.count > 1 } == [2])
        #expect(alls { ($0.any.all > 1 && $0.any.null == "n2").count == 1 } == [2, 3])
        #expect(objects.sorted(by: \.all, ascending: false).first?.all == 3)
        #expect(objects.filter("%K == %@", "all", 2).count == 1 && objects.sum(of: \.all) == 6)
    }
}

/// A class whose properties have names that texts can't have.
final class Reserved: Object {
    @Persisted var all: Int
    @Persisted var null = ""
    @Persisted var any: List<Reserved>
}
