import Foundation
import Holdfast
import Testing

@Suite("What all collections have")
struct RealmCollectionTests {
    typealias Item = QueryModels.Item
    typealias Part = QueryModels.Part

    /// Item 3, whose list has the parts 1 to 3, set 3 and 4.
    private func item() throws -> Item {
        let realm = try QueryModels.filled()
        return try #require(realm.object(ofType: Item.self, forPrimaryKey: 3))
    }

    /// Checks what collections of the parts 1, 2 and 3 find; `C` is any kind of them.
    private func check<C: RealmCollection>(_ parts: C) throws where C.Element == Part {
        func ids(_ results: some Collection<Part>) -> [Int] { results.map(\.id) }
        #expect(ids(parts) == [1, 2, 3] && parts.count == 3)
        #expect(parts.first?.id == 1 && parts.last?.id == 3)
        #expect(ids(parts.filter("size > %@", 10)) == [2, 3])
        #expect(ids(parts.filter("size > $0", 10).filter("isNew == true")) == [2])
        #expect(ids(try parts.filter(validating: "name == 'nut'")) == [1])
        #expect(ids(parts.where { $0.size > 10 && !$0.isNew }) == [3])
        #expect(ids(parts.sorted(byKeyPath: "name")) == [2, 3, 1])
        #expect(ids(parts.sorted(byKeyPath: "name", ascending: false)) == [1, 3, 2])
        #expect(ids(parts.sorted(by: \.size, ascending: false)) == [3, 2, 1])
        let order = [SortDescriptor(keyPath: \Part.isNew), "name"]
        #expect(ids(parts.sorted(by: order)) == [3, 1, 2])
        #expect(ids(parts.sorted(by: order.map { $0.reversed() })) == [2, 1, 3])
        #expect(ids(parts.distinct(by: ["isNew"])) == [1, 2])
        #expect(ids(parts.distinct(by: [\.isNew])) == [1, 2])
        #expect(ids(parts.sorted(by: \.size, ascending: false).distinct(by: [\.isNew])) == [3, 2])
        #expect(parts.index(matching: "size > %@", 10) == 1)
        #expect(parts.index(matching: { $0.size > 20 }) == 2)
        #expect(parts.index(matching: { $0.size > 90 }) == nil)
        try checkValues(parts)
        let other = try #require(parts.realm?.object(ofType: Part.self, forPrimaryKey: 4))
        #expect(parts.index(of: other) == nil)
        #expect(parts.index(of: Part()) == nil)
        #expect(!parts.isInvalidated && !parts.isFrozen && parts.realm != nil)
    }

    /// Checks what does not need a realm.
    private func checkValues<C: RealmCollection>(_ parts: C) throws where C.Element == Part {
        #expect(parts.min(of: \.size) == 10 && parts.max(of: \.size) == 30)
        #expect(parts.sum(of: \.size) == 60 && parts.average(of: \.size) == 20)
        #expect(parts.min(of: \.price) == 1 && parts.sum(of: \.price) == 6)
        #expect(parts.average(of: \.price) == 2)
        #expect(parts.max(ofProperty: "size") == 30)
        #expect(parts.average(ofProperty: "size") == 20.0)
        #expect(parts.objects(at: [0, 2]).map(\.id) == [1, 3])
        #expect(parts.value(forKey: "size") as? [Int] == [10, 20, 30])
        #expect(parts.value(forKey: "self") as? [Part] == Array(parts))
        #expect(parts.index(of: parts[1]) == 1)
        #expect(parts.description.contains("[1] Part {\n\t\tid = 2;"))
        func set() { parts.setValue(7, forKey: "size") }
        if let realm = parts.realm {
            try realm.write { set() }
        } else {
            set()
        }
        #expect(parts.sum(of: \.size) == 21)
    }

    @Test("lists, and what stands for them")
    func lists() throws {
        try check(try item().parts)
        try check(AnyRealmCollection(try item().parts))
        #expect(try item().parts.description.hasPrefix("List<Part> (\n\t[0] Part {"))
        let list = List<Part>()
        list.append(objectsIn: Array(try item().parts.map { Part(value: $0) }))
        try checkValues(list)
    }

    @Test("sets")
    func sets() throws {
        func set() throws -> MutableSet<Part> {
            let item = try item()
            try item.realm?.write {
                item.partSet.removeAll()
                item.partSet.insert(objectsIn: item.parts)
            }
            return item.partSet
        }
        try check(try set())
        try check(AnyRealmCollection(try set()))
        let own = MutableSet<Part>()
        own.insert(objectsIn: try set().map { Part(value: $0) })
        try checkValues(own)
    }

    @Test("results of a class, of a condition and of a list")
    func results() throws {
        let parts = { try QueryModels.filled().objects(Part.self) }
        try check(try parts().where { $0.id < 4 })
        try check(AnyRealmCollection(try parts().filter("id < 4")))
        try check(try item().parts.filter("TRUEPREDICATE"))
        try check(try item().parts.sorted(byKeyPath: "id"))
        #expect(try parts().filter("TRUEPREDICATE LIMIT(3)").sorted(by: \.id).last?.id == 3)
    }

    @Test("the objects that link to another")
    func linkingObjects() throws {
        let realm = try QueryModels.filled()
        let part = try #require(realm.object(ofType: Part.self, forPrimaryKey: 3))
        let items = part.items
        #expect(items.map(\.id) == [3, 4])
        #expect(items.filter("int > 3").map(\.id) == [4])
        #expect(items.where { $0.flag }.map(\.id) == [4])
        #expect(items.sorted(by: \.int, ascending: false).map(\.id) == [4, 3])
        #expect(items.sum(of: \.int) == 7 && items.max(of: \.double) == 2)
        #expect(items.index(matching: "int == 4") == 1 && items.index(of: items[1]) == 1)
        #expect(items.distinct(by: ["colour"]).map(\.id) == [3])
        #expect(items.description.hasPrefix("LinkingObjects<Item> (\n\t[0] Item {"))
        // An object that links twice stands in it twice; by name and by `@links` queries find it.
        try realm.write { items[0].parts.append(part) }
        #expect(part.items.map(\.id) == [3, 3, 4])
        #expect(realm.objects(Part.self).where { $0.items.count == 3 }.map(\.id) == [2, 3])
        #expect(realm.objects(Part.self).filter("@links.Item.parts.int == 4").count == 4)
        #expect(part.items == part.items && Part().items.isEmpty)
    }

    @Test("embedded objects in a list")
    func embedded() throws {
        let realm = try Realm.empty()
        let person = Person()
        try realm.write {
            realm.add(person)
            for (street, city) in [("Long", "Bern"), ("Short", "Aarau"), ("Wide", "Bern")] {
                person.former.append(Address(value: ["street": street, "city": city]))
            }
        }
        let homes = person.former
        #expect(homes.filter("city == 'Bern'").map(\.street) == ["Long", "Wide"])
        #expect(homes.where { $0.city != "Bern" }.map(\.street) == ["Short"])
        #expect(homes.sorted(by: \.city).map(\.street) == ["Short", "Long", "Wide"])
        #expect(homes.distinct(by: [\.city]).map(\.street) == ["Long", "Short"])
        #expect(homes.index(of: homes[2]) == 2)
        #expect(homes.index(matching: { $0.street == "Wide" }) == 2)
        #expect(homes.value(forKey: "city") as? [String] == ["Bern", "Aarau", "Bern"])
    }

    @Test("collections of values are sorted, made distinct, filtered and added up")
    func values() throws {
        let item = try item()
        try item.realm?.write { item.ints.append(objectsIn: [1, 5, 9]) }
        #expect(Array(item.ints) == [3, 4, 5, 1, 5, 9])
        #expect(Array(item.ints.sorted()) == [1, 3, 4, 5, 5, 9])
        #expect(Array(item.ints.sorted(ascending: false)) == [9, 5, 5, 4, 3, 1])
        #expect(Array(item.ints.sorted(byKeyPath: "self")) == [1, 3, 4, 5, 5, 9])
        #expect(Array(item.ints.distinct()) == [3, 4, 5, 1, 9])
        #expect(Array(item.ints.distinct().sorted(ascending: false)) == [9, 5, 4, 3, 1])
        #expect(Array(item.ints.filter("self > 3 AND self != %@", 9)) == [4, 5, 5])
        #expect(Array(item.ints.where { $0 > 3 && $0 < 9 }) == [4, 5, 5])
        #expect(item.ints.index(of: 5) == 2 && item.ints.index(of: 77) == nil)
        #expect(item.ints.index(matching: "self == 1") == 3)
        #expect(item.ints.min() == 1 && item.ints.max() == 9 && item.ints.sum() == 27)
        #expect(item.ints.average() == 4.5)
        #expect(item.ints.sorted().first == 1 && item.ints.sorted().max() == 9)
        #expect(item.ints.filter("self > 100").max() == nil)
        #expect(item.ints.filter("self > 100").sum() == 0)
        #expect(Array(item.strings.sorted()) == ["all", "s3"])
        #expect(Array(item.strings.where { $0.starts(with: "s") }) == ["s3"])
        #expect(Array(item.optInts.sorted(ascending: false)) == [3, nil])
        #expect(item.optInts.sum() == 3 && item.optInts.min() == 3)
        #expect(Array(item.levels.sorted(ascending: false)) == [.high, .mid])
        #expect(item.levels.max() == .high)
        #expect(item.doubles.max() == 3.5 && item.doubles.average() == 3.25)
        #expect(item.anys.filter("self == 3").count == 1)
        #expect(AnyRealmCollection(item.ints).sorted().last == 9)
        #expect(item.ints.objects(at: [1, 3]) == [4, 1])
        #expect(
            item.ints.description
                == "List<Int> (\n\t[0] 3,\n\t[1] 4,\n\t[2] 5,\n\t[3] 1,\n\t[4] 5,\n\t[5] 9\n)")
    }

    @Test("the values of an unmanaged collection are added up, too")
    func unmanaged() {
        let ints = List<Int>()
        #expect(ints.sum() == 0 && ints.max() == nil && ints.average() as Double? == nil)
        ints.append(objectsIn: [4, 1, 6])
        #expect(ints.min() == 1 && ints.max() == 6 && ints.sum() == 11)
        #expect(ints.index(of: 6) == 2)
        let dates = MutableSet<Date>()
        dates.insert(objectsIn: [Date(timeIntervalSince1970: 5), Date(timeIntervalSince1970: 2)])
        #expect(dates.max() == Date(timeIntervalSince1970: 5))
        let mixed = List<AnyRealmValue>()
        mixed.append(objectsIn: [.int(3), .double(1.5), .string("x"), .none])
        #expect(mixed.sum() == .decimal128(4.5) && mixed.min() == .double(1.5))
        let decimals = List<Decimal128>()
        decimals.append(objectsIn: ["0.1", "0.2"])
        #expect(decimals.sum() == "0.3")
        let map = Map<String, Double?>()
        map["a"] = 2.5
        map["b"] = .some(nil)
        #expect(map.sum() == 2.5 && map.average() == 2.5)
    }

    @Test("descriptions of large ones say how many elements they leave out")
    func longDescription() {
        let list = List<Int>()
        list.append(objectsIn: 0..<120)
        #expect(list.description.hasSuffix("\t[99] 99,\n\t... 20 objects skipped.\n)"))
        #expect(List<Int>().description == "List<Int> (\n\n)")
    }
}
