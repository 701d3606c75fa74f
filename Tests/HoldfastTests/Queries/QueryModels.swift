import Foundation
import Holdfast

/// Classes with a property of every kind that a query can be about.
enum QueryModels {
    enum Level: Int, PersistableEnum {
        case low = 1
        case mid = 5
        case high = 9
    }

    enum Colour: String, PersistableEnum {
        case red
        case green
    }

    /// A plain value of the program's own.
    struct Celsius: CustomPersistable, Hashable, Comparable {
        var degrees: Double
        init(_ degrees: Double) { self.degrees = degrees }
        init(persistedValue: Double) { degrees = persistedValue }
        var persistableValue: Double { degrees }
        static func < (a: Celsius, b: Celsius) -> Bool { a.degrees < b.degrees }
    }

    final class Coordinate: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
        @Persisted var label: String?
    }

    /// A value of the program's own that is stored as an embedded object.
    struct Spot: CustomPersistable, Hashable {
        var latitude: Double
        var longitude: Double
        init(_ latitude: Double, _ longitude: Double) {
            (self.latitude, self.longitude) = (latitude, longitude)
        }
        init(persistedValue: Coordinate) {
            self.init(persistedValue.latitude, persistedValue.longitude)
        }
        var persistableValue: Coordinate {
            Coordinate(value: ["latitude": latitude, "longitude": longitude])
        }
    }

    final class Notes: EmbeddedObject {
        @Persisted var lines: List<String>
    }

    /// One that can't be compared, since it is stored with a collection.
    struct Diary: CustomPersistable, Hashable {
        init() {}
        init(persistedValue: Notes) {}
        var persistableValue: Notes { Notes() }
    }

    final class Chain: EmbeddedObject {
        @Persisted var next: Coordinate?
    }

    /// One that can't be compared, since it is stored with an object.
    struct Link: CustomPersistable, Hashable {
        init() {}
        init(persistedValue: Chain) {}
        var persistableValue: Chain { Chain() }
    }

    final class GeoPlace: EmbeddedObject {
        @Persisted private var type = "Point"
        @Persisted private var coordinates: List<Double>

        convenience init(_ latitude: Double, _ longitude: Double) {
            self.init()
            coordinates.append(objectsIn: [longitude, latitude])
        }
    }

    final class Part: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = ""
        @Persisted var size: Int
        @Persisted var price: Double?
        @Persisted var isNew: Bool
        @Persisted var sub: List<Part>
        @Persisted var scores: List<Int>
        @Persisted(originProperty: "parts") var items: LinkingObjects<Item>
    }

    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var int: Int
        @Persisted var optInt: Int?
        @Persisted var short: Int16
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var decimal: Decimal128
        @Persisted var date: Date
        @Persisted var string = ""
        @Persisted var optString: String?
        @Persisted var other = ""
        @Persisted var data: Data
        @Persisted var uuid: UUID
        @Persisted var objectId: ObjectId
        @Persisted var flag: Bool
        @Persisted var level: Level
        @Persisted var optLevel: Level?
        @Persisted var colour: Colour
        @Persisted var temperature: Celsius
        @Persisted var optTemperature: Celsius?
        @Persisted var spot: Spot
        @Persisted var diary: Diary
        @Persisted var link: Link
        @Persisted var mixed: AnyRealmValue
        @Persisted var part: Part?
        @Persisted var place: GeoPlace?
        @Persisted var places: List<GeoPlace>
        @Persisted var parts: List<Part>
        @Persisted var partSet: MutableSet<Part>
        @Persisted var partMap: Map<String, Part?>
        @Persisted var ints: List<Int>
        @Persisted var optInts: List<Int?>
        @Persisted var doubles: MutableSet<Double>
        @Persisted var strings: List<String>
        @Persisted var levels: List<Level>
        @Persisted var temperatures: List<Celsius>
        @Persisted var spots: List<Spot>
        @Persisted var intMap: Map<String, Int>
        @Persisted var stringMap: Map<String, String?>
        @Persisted var anys: List<AnyRealmValue>
        /// Stored as `secret_name`.
        @Persisted var secret = ""
        /// Not persisted, since others are.
        var ignored = 0

        override static func propertiesMapping() -> [String: String] { ["secret": "secret_name"] }
    }

    static let objectTypes: [ObjectBase.Type] = [
        Item.self, Part.self, Coordinate.self, Notes.self, Chain.self, GeoPlace.self,
    ]

    static func realm(_ name: String = "\(UUID())") throws -> Realm {
        try Realm.ofSample("queries \(name)", objectTypes)
    }

    /// A realm with items 1 to 4, which have parts 1 to 4 in turn.
    static func filled() throws -> Realm {
        let realm = try realm()
        try realm.write {
            let parts = (1...4).map { part($0) }
            parts[0].sub.append(objectsIn: parts[1...2])
            realm.add(parts)
            for id in 1...4 { realm.add(item(id, parts)) }
        }
        return realm
    }

    private static func part(_ id: Int) -> Part {
        let part = Part()
        part.id = id
        part.name = ["nut", "Bolt", "gear", "Äxle"][id - 1]
        part.size = id * 10
        part.price = id == 4 ? nil : Double(id)
        part.isNew = id % 2 == 0
        part.scores.append(objectsIn: 1...id)
        return part
    }

    private static func item(_ id: Int, _ parts: [Part]) -> Item {
        let item = Item()
        item.id = id
        item.int = id
        item.optInt = id == 3 ? nil : id * 2
        item.short = Int16(id)
        item.float = Float(id) / 2
        item.double = Double(id) / 2
        item.decimal = Decimal128(value: id)
        item.date = Date(timeIntervalSince1970: Double(id) * 1000)
        item.string = ["apple", "Banana", "Café", "date"][id - 1]
        item.optString = id == 2 ? nil : "text \(id)"
        item.other = ["pp", "BANANA", "Caf*", "d?te"][id - 1]
        item.data = Data("data\(id)".utf8)
        item.uuid = UUID(uuid: (UInt8(id), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        item.flag = id % 2 == 0
        item.level = [.low, .mid, .high, .low][id - 1]
        item.optLevel = id == 1 ? nil : .mid
        item.colour = id < 3 ? .red : .green
        item.temperature = Celsius(Double(id) * 10)
        item.optTemperature = id == 4 ? nil : Celsius(Double(id))
        item.spot = Spot(Double(id), 7)
        let anys: [AnyRealmValue] = [
            .int(5), .string("five"),
            .fromArray([.int(1), .fromDictionary(["k": .string("deep")])]),
            .fromDictionary(["k": .int(1), "l": .double(2.5)]),
        ]
        item.mixed = anys[id - 1]
        item.part = id == 4 ? nil : parts[id - 1]
        item.place = id == 4 ? nil : GeoPlace(Double(id) * 10, Double(id) * 10)
        item.places.append(GeoPlace(Double(id), Double(id)))
        item.parts.append(objectsIn: parts[0..<id])
        item.partSet.insert(objectsIn: parts[(id - 1)...])
        item.partMap["p"] = parts[id - 1]
        item.ints.append(objectsIn: id == 4 ? [] : Array(id...id + 2))
        item.optInts.append(objectsIn: [nil, id])
        item.doubles.insert(objectsIn: [Double(id), Double(id) + 0.5])
        item.strings.append(objectsIn: ["s\(id)", "all"])
        item.levels.append(objectsIn: id == 1 ? [] : [.mid, .high])
        item.temperatures.append(Celsius(Double(id)))
        item.spots.append(objectsIn: [Spot(Double(id), 1), Spot(1, Double(id))])
        item.intMap["a"] = id
        item.intMap["b"] = id * 100
        item.stringMap["k\(id)"] = "v\(id)"
        item.stringMap["none"] = .some(nil)
        item.anys.append(objectsIn: [.int(id), .string("x")])
        item.secret = "secret \(id)"
        return item
    }
}
