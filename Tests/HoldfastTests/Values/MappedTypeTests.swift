import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

/// Degrees of a scale, stored as an integer.
private struct Degree: CustomPersistable, Hashable {
    var value: Int
    init(_ value: Int) { self.value = value }
    init(persistedValue: Int) { value = persistedValue }
    var persistableValue: Int { value }
}

/// An even number: others are none.
private struct Even: FailableCustomPersistable, Hashable {
    var half: Int
    init?(persistedValue: Int) {
        guard persistedValue.isMultiple(of: 2) else { return nil }
        half = persistedValue / 2
    }
    var persistableValue: Int { half * 2 }
}

/// A text that is never empty, so that it has no default.
private struct Title: FailableCustomPersistable, Hashable {
    var text: String
    init?(persistedValue: String) {
        if persistedValue.isEmpty { return nil }
        text = persistedValue
    }
    var persistableValue: String { text }
}

private final class Spot: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var y: Int
}

private struct Pair: CustomPersistable, Hashable {
    var (x, y) = (0, 0)
    init(_ x: Int, _ y: Int) { (self.x, self.y) = (x, y) }
    init(persistedValue: Spot) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: Spot { Spot(value: [x, y]) }
}

private enum Mapped {
    final class Sheet: Object {
        @Persisted(indexed: true) var degree: Degree
        @Persisted(indexed: true) var wish: Degree?
        @Persisted var even: Even?
        @Persisted var needed: Even
        @Persisted var pair: Pair
        @Persisted var maybe: Pair?
        @Persisted var degrees: List<Degree>
        @Persisted var wishes: List<Degree?>
        @Persisted var evens: List<Even>
        @Persisted var set: MutableSet<Degree>
        @Persisted var map: Map<String, Degree>
        @Persisted var pairs: List<Pair>
        @Persisted var places: Map<String, Pair?>
    }
    final class Titled: Object {
        @Persisted var title: Title
    }
}

private enum Plain {
    final class Sheet: Object {
        @Persisted(indexed: true) var degree: Int
        @Persisted(indexed: true) var wish: Int?
        @Persisted var even: Int?
        @Persisted var needed: Int
        @Persisted var pair: Spot?
        @Persisted var maybe: Spot?
        @Persisted var degrees: List<Int>
        @Persisted var wishes: List<Int?>
        @Persisted var evens: List<Int>
        @Persisted var set: MutableSet<Int>
        @Persisted var map: Map<String, Int>
        @Persisted var pairs: List<Spot>
        @Persisted var places: Map<String, Spot?>
    }
}

@Suite("Mapped types")
struct MappedTypeTests {
    private func realm() throws -> Realm {
        try Realm.ofSample("\(UUID())", [Mapped.Sheet.self, Spot.self])
    }

    @Test("are properties, optional ones, indexes and elements of every collection")
    func stores() throws {
        let realm = try realm()
        let sheet = Mapped.Sheet()
        #expect(sheet.degree == Degree(0) && sheet.wish == nil && sheet.pair == Pair(0, 0))
        sheet.degree = Degree(30)
        sheet.degrees.append(objectsIn: [Degree(1), Degree(2)])
        sheet.set.insert(objectsIn: [Degree(1), Degree(1)])
        sheet.map["a"] = Degree(5)
        sheet.pairs.append(Pair(1, 2))
        sheet.places["here"] = .some(Pair(3, 4))
        sheet.places["nowhere"] = .some(nil)
        try realm.write {
            realm.add(sheet)
            sheet.wish = Degree(7)
            sheet.wishes.append(objectsIn: [nil, Degree(9)])
            sheet.maybe = Pair(5, 6)
            sheet.pairs.append(Pair(7, 8))
            sheet.pairs[0] = Pair(9, 9)
        }
        #expect(sheet.degree == Degree(30) && sheet.wish == Degree(7))
        #expect(Array(sheet.degrees) == [Degree(1), Degree(2)] && sheet.set.count == 1)
        #expect(Array(sheet.wishes) == [nil, Degree(9)] && sheet.map["a"] == Degree(5))
        #expect(sheet.pair == Pair(0, 0) && sheet.maybe == Pair(5, 6))
        #expect(Array(sheet.pairs) == [Pair(9, 9), Pair(7, 8)])
        #expect(sheet.places["here"] == Pair(3, 4) && sheet.places["nowhere"] == .some(nil))
        #expect(realm.objects(Mapped.Sheet.self).filter("degree == $0", Degree(30)).count == 1)
        try realm.write { (sheet.wish, sheet.maybe) = (nil, nil) }
        #expect(sheet.wish == nil && sheet.maybe == nil)
    }

    @Test("take mapped and stored values in stated values")
    func stated() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Mapped.Sheet.self,
                value: [
                    "degree": 4, "wish": Degree(5), "pair": ["x": 1, "y": 2], "maybe": Pair(3, 4),
                    "degrees": [Degree(1), 2] as [Any], "map": ["k": 6],
                ] as [String: Any])
        }
        let sheet = try #require(realm.objects(Mapped.Sheet.self).first)
        #expect(sheet.degree == Degree(4) && sheet.wish == Degree(5) && sheet.pair == Pair(1, 2))
        #expect(sheet.maybe == Pair(3, 4) && Array(sheet.degrees) == [Degree(1), Degree(2)])
        #expect(sheet.map["k"] == Degree(6))
    }

    @Test("are their stored types in the schema and to dynamic access, and need no migration")
    func schema() throws {
        let folder = TemporaryDirectory()
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent("sheets.realm")
        do {
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [Plain.Sheet.self, Spot.self]))
            try realm.write {
                realm.create(
                    Plain.Sheet.self,
                    value: ["degree": 3, "even": 5, "needed": 4, "evens": [2]] as [String: Any])
            }
        }
        let realm = try Realm(
            configuration: .init(fileURL: url, objectTypes: [Mapped.Sheet.self, Spot.self]))
        let sheet = try #require(realm.objects(Mapped.Sheet.self).first)
        #expect(sheet.degree == Degree(3) && sheet.even == nil && sheet.needed.half == 2)
        let schema = sheet.objectSchema
        #expect(schema["degree"]?.type == .int && schema["degree"]?.isIndexed == true)
        #expect(schema["pair"]?.type == .object && schema["pair"]?.objectClassName == "Spot")
        #expect(schema["pair"]?.isOptional == true && schema["pairs"]?.isOptional == false)
        let dynamic = try #require(realm.dynamicObjects("Sheet").first)
        #expect(dynamic.degree as? Int == 3 && dynamic["even"] as? Int == 5)
    }

    @Test("that fail name the value and the type where the property needs one")
    func fails() async throws {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MappedTypeTests.openOverPlain(["needed": 1]) { _ = $0.needed }
        }
        #expect(
            end.message.contains(
                "Failed to convert persisted value '1' to type 'Even' in a non-optional context."))
        let element = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try MappedTypeTests.openOverPlain(["evens": [1]]) { _ = $0.evens[0] }
        }
        #expect(element.message.contains("Could not convert value '1' to type 'Even'."))
        let unset = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Mapped.Titled().title
        }
        #expect(
            unset.message.contains(
                "Failed to default construct a Title using the default value for persisted type String."
            ))
    }

    /// Writes a sheet as a program without mapped types does, and reads it as one that has them.
    private static func openOverPlain(
        _ value: [String: Any], _ read: (Mapped.Sheet) -> Void
    ) throws {
        let folder = TemporaryDirectory()
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent("sheets.realm")
        func write() throws {
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [Plain.Sheet.self, Spot.self]))
            try realm.write { realm.create(Plain.Sheet.self, value: value) }
        }
        try write()
        let realm = try Realm(
            configuration: .init(fileURL: url, objectTypes: [Mapped.Sheet.self, Spot.self]))
        for sheet in realm.objects(Mapped.Sheet.self) { read(sheet) }
    }
}
