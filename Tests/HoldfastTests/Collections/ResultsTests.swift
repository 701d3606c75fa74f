import Holdfast
import Testing

@Suite("Results")
struct ResultsTests {
    typealias Item = QueryModels.Item
    typealias Part = QueryModels.Part

    @Test("are equal when they are one query")
    func equality() throws {
        let realm = try QueryModels.filled()
        let items = realm.objects(Item.self)
        #expect(items == realm.objects(Item.self))
        #expect(items.filter("int > 1") == realm.objects(Item.self).filter("int > %@", 1))
        #expect(items.filter("int > 1") == items.where { $0.int > 1 })
        #expect(items.filter("int > 1") != items.filter("int > 2"))
        #expect(items.filter("int > 1") != items)
        #expect(items.sorted(by: \.int) != items.sorted(by: \.int, ascending: false))
        let first = try #require(items.first)
        #expect(first.parts.filter("size > 1") == items[0].parts.filter("size > 1"))
        #expect(first.parts.filter("size > 1") != items[1].parts.filter("size > 1"))
        #expect(first.parts == items[0].parts && first.parts != items[1].parts)
        #expect(first.partSet == items[0].partSet && first.partSet != items[1].partSet)
        #expect(first.intMap == items[0].intMap && first.intMap != items[1].intMap)
        #expect(AnyRealmCollection(items) == AnyRealmCollection(realm.objects(Item.self)))
        #expect(try QueryModels.filled().objects(Item.self) != items)
    }

    @Test("stand in the order of the table, are live, and end with their realm")
    func live() throws {
        let realm = try QueryModels.filled()
        let items = realm.objects(Item.self)
        let large = items.where { $0.int > 2 }
        let sorted = large.sorted(by: \.int, ascending: false)
        #expect(items.map(\.id) == [1, 2, 3, 4] && sorted.map(\.id) == [4, 3])
        try realm.write {
            items[0].int = 9
            #expect(large.map(\.id) == [1, 3, 4] && sorted.map(\.id) == [1, 4, 3])
            realm.delete(items[3])
        }
        #expect(large.map(\.id) == [1, 3] && sorted.first?.id == 1 && sorted.last?.id == 3)
        realm.invalidate()
        #expect(large.isInvalidated && large.isEmpty && large.realm == nil)
    }

    @Test("of a list follow the list, and are empty when its object is gone")
    func ofList() throws {
        let realm = try QueryModels.filled()
        let item = try #require(realm.object(ofType: Item.self, forPrimaryKey: 4))
        let list = item.parts
        let large = list.where { $0.size > 10 }
        let backwards = list.sorted(by: \.size, ascending: false)
        #expect(large.map(\.id) == [2, 3, 4])
        try realm.write {
            list.move(from: 3, to: 0)
            list.append(list[0])
        }
        // In the list's order, and as often as it links.
        #expect(large.map(\.id) == [4, 2, 3, 4] && list.map(\.id) == [4, 1, 2, 3, 4])
        #expect(backwards.map(\.id) == [4, 4, 3, 2, 1])
        #expect(list.distinct(by: [\.id]).map(\.id) == [4, 1, 2, 3])
        try realm.write { realm.delete(list[1]) }
        #expect(list.map(\.id) == [4, 2, 3, 4] && backwards.last?.id == 2)
        try realm.write { realm.delete(item) }
        #expect(large.isEmpty && backwards.isEmpty && list.isInvalidated)
    }

    @Test("are walked as they were at the start, whatever the same write changes")
    func iteration() throws {
        let realm = try QueryModels.filled()
        let large = realm.objects(Item.self).where { $0.int > 1 }
        var seen: [Int] = []
        try realm.write {
            for item in large {
                seen.append(item.id)
                item.int = 0
            }
        }
        #expect(seen == [2, 3, 4] && large.isEmpty)
        let item = try #require(realm.object(ofType: Item.self, forPrimaryKey: 4))
        var invalidated: [Bool] = []
        try realm.write {
            for part in item.parts {
                invalidated.append(part.isInvalidated)
                if let last = item.parts.last { realm.delete(last) }
            }
        }
        #expect(invalidated == [false, false, true, true] && item.parts.isEmpty)
        var ints: [Int] = []
        let other = try #require(realm.object(ofType: Item.self, forPrimaryKey: 1))
        try realm.write {
            for int in other.ints {
                ints.append(int)
                other.ints.removeFirst()
                other.ints.append(int * 10)
            }
            for double in other.doubles { other.doubles.remove(double) }
            for entry in other.intMap { other.intMap[entry.key + "x"] = entry.value }
            for result in other.ints.sorted(ascending: false) { other.ints.append(result) }
        }
        #expect(ints == [1, 2, 3] && Array(other.ints) == [10, 20, 30, 30, 20, 10])
        #expect(other.doubles.isEmpty && other.intMap.keys == ["a", "ax", "b", "bx"])
    }

    @Test("by a sort are stable, with the last sort counting most")
    func stable() throws {
        let realm = try QueryModels.filled()
        let items = realm.objects(Item.self)
        #expect(
            items.sorted(by: \.int, ascending: false).sorted(by: \.colour).map(\.id) == [
                4, 3, 2, 1,
            ])
        #expect(items.sorted(byKeyPath: "part.name").map(\.id) == [4, 2, 3, 1])
        #expect(
            items.sorted(by: ["colour", SortDescriptor(keyPath: "id", ascending: false)]).map(\.id)
                == [4, 3, 2, 1])
        #expect(
            SortDescriptor(keyPath: \Item.int, ascending: false)
                == SortDescriptor(keyPath: "int").reversed())
        #expect(("int" as SortDescriptor).ascending)
    }

    @Test("have the least, greatest, sum and mean of properties of every type")
    func aggregates() throws {
        let items = try QueryModels.filled().objects(Item.self)
        #expect(items.max(of: \.date) == Date(timeIntervalSince1970: 4000))
        #expect(items.min(of: \.level) == .low && items.max(of: \.optLevel) == .mid)
        #expect(items.min(of: \.temperature)?.degrees == 10)
        #expect(items.sum(of: \.temperature).degrees == 100)
        #expect(items.sum(of: \.decimal) == 10 && items.average(of: \.decimal) == 2.5)
        #expect(items.sum(of: \.float) == 5 && items.max(of: \.float) == 2)
        #expect(items.sum(of: \.short) == 10 && items.average(of: \.short) == 2.5)
        #expect(items.sum(of: \.optInt) == 14 && items.min(of: \.optInt) == 2)
        // The mean of integers is cut where an integer is asked for.
        let mean: Int? = items.average(of: \.int)
        #expect(mean == 2 && items.average(of: \.int) == 2.5)
        #expect(items.max(of: \.mixed) == .string("five") || items.max(of: \.mixed) != nil)
        #expect(items.max(ofProperty: "part.size") == 30)
        #expect(items.filter("int > 9").average(of: \.double) == nil)
        #expect(items.filter("int > 2").sorted(by: \.int).sum(of: \.int) == 7)
    }
}
