import Foundation
import Holdfast
import Testing

@Suite("Mistakes in queries")
struct QueryFaultTests {
    typealias Item = QueryModels.Item

    static let mistakes = [
        Mistake("Comparing two collection columns is not permitted.") {
            _ = $0.objects(Item.self).where { $0.parts.size == $0.ints }
        },
        Mistake("Subqueries must contain a keypath starting with a collection.") {
            _ = $0.objects(Item.self).where { ($0.part.size > 1).count > 0 }
        },
        Mistake("Subqueries must contain a keypath starting with a collection.") {
            _ = $0.objects(Item.self).where { ($0.parts.size > 1 && $0.int == 2).count > 0 }
        },
        Mistake("Subqueries do not support map subscripts.") {
            _ = $0.objects(Item.self).where { ($0.intMap["a"] == 1).count > 0 }
        },
        Mistake("Cannot apply key path to Map subscripts.") {
            _ = $0.objects(Item.self).where { $0.partMap["p"].name == "nut" }
        },
        Mistake("Unsupported property 'Notes.lines' for memberwise equality query: ") {
            _ = $0.objects(Item.self).where { $0.diary == QueryModels.Diary() }
        },
        Mistake("Unsupported property 'Chain.next' for memberwise equality query: ") {
            _ = $0.objects(Item.self).where { $0.link == QueryModels.Link() }
        },
        Mistake("Invalid predicate: 'Item' has no property 'nothing'") {
            _ = $0.objects(Item.self).filter("nothing == 1")
        },
        Mistake("Invalid predicate: 'Item' has no property 'ignored'") {
            _ = $0.objects(Item.self).filter("ignored == 1")
        },
        Mistake("leads through no persisted property") {
            _ = $0.objects(Item.self).sorted(by: \.optString?.count)
        },
        Mistake("leads through no persisted property") {
            _ = $0.objects(Item.self).sorted(by: \.ignored)
        },
        Mistake("Cannot sort on key path 'parts.size': ") {
            _ = $0.objects(Item.self).sorted(byKeyPath: "parts.size")
        },
        Mistake("Filtering a Results with a limit is not yet implemented") {
            _ = $0.objects(Item.self).filter("int > 1 LIMIT(2)").where { $0.flag }
        },
        Mistake("Cannot sort on key path 'nothing': ") {
            _ = $0.objects(Item.self).sorted(byKeyPath: "nothing")
        },
        Mistake("Request for argument at index 1 but only 1 argument is provided") {
            _ = $0.objects(Item.self).filter("int == %@ OR int == %@", 1)
        },
        Mistake("Argument 0 of type 'Item' can't be used in a query.") {
            _ = $0.objects(Item.self).filter("part == %@", Item())
        },
        Mistake("Invalid region in GEOWITHIN query for parameter 'geoPolygon(") {
            let ring = [(0.0, 0.0), (10, 10), (0, 10), (10, 0), (0, 0)]
            if let bow = GeoPolygon(outerRing: ring) {
                _ = $0.objects(Item.self).where { $0.place.geoWithin(bow) }
            }
        },
        Mistake("This method may only be called on List instances retrieved from a Realm.") { _ in
            _ = Item().parts.filter("size == 1")
        },
        Mistake("This method may only be called on List instances retrieved from a Realm.") { _ in
            _ = Item().ints.sorted()
        },
        Mistake("This method may only be called on MutableSet instances retrieved from a Realm.") {
            _ in
            _ = Item().partSet.where { $0.size == 1 }
        },
        Mistake("This method may only be called on Map instances retrieved from a Realm.") { _ in
            _ = Item().intMap.sorted()
        },
        Mistake(
            "This method may only be called on LinkingObjects instances retrieved from a Realm."
        ) { _ in
            _ = QueryModels.Part().items.index(matching: "int == 1")
        },
        Mistake("Index 3 is out of bounds (must be less than 3).") {
            try filled($0)
            let item = $0.object(ofType: Item.self, forPrimaryKey: 3)
            _ = item?.parts[3]
        },
        Mistake("negative value") {
            try filled($0)
            let item = $0.object(ofType: Item.self, forPrimaryKey: 3)
            _ = item?.parts[-1]
        },
        Mistake("negative value") { _ = $0.objects(Item.self)[-1] },
        Mistake("'sum' is not possible for 'string'") {
            let total: Int = $0.objects(Item.self).sum(ofProperty: "string")
            print(total)
        },
    ]

    private static func filled(_ realm: Realm) throws {
        try realm.write {
            let item = realm.create(Item.self, value: ["id": 3])
            for id in 1...3 {
                item.parts.append(realm.create(QueryModels.Part.self, value: ["id": id]))
            }
        }
    }

    @Test(
        "end the process with their message, told to an observer before",
        arguments: mistakes.indices)
    func mistake(index: Int) async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index] in
            try QueryFaultTests.mistakes[index].run(QueryModels.realm("\(index)"))
        }
        Self.mistakes[index].check(result)
    }
}
