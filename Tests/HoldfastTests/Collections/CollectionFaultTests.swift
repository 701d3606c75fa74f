import Foundation
import Holdfast
import Testing

@Suite("Mistakes with collections")
struct CollectionFaultTests {
    typealias Item = QueryModels.Item

    /// An item with the integers 1, 2 and 3.
    private static func item(_ realm: Realm) throws -> Item {
        let item = Item()
        item.id = 1
        item.ints.append(objectsIn: [1, 2, 3])
        item.doubles.insert(1)
        try realm.write { realm.add(item) }
        return item
    }

    static let mistakes = [
        Mistake("Index 3 is out of bounds (must be less than 3).") { _ = try item($0).ints[3] },
        Mistake("Index 3 is out of bounds (must be less than 3).") { realm in
            let item = try item(realm)
            try realm.write { item.ints[3] = 1 }
        },
        Mistake("Index 5 is out of bounds (must be less than 4).") { realm in
            let item = try item(realm)
            try realm.write { item.ints.insert(1, at: 5) }
        },
        Mistake("Index 9 is out of bounds (must be less than 3).") { realm in
            let item = try item(realm)
            try realm.write { item.ints.remove(at: 9) }
        },
        Mistake("Index 3 is out of bounds (must be less than 3).") { realm in
            let item = try item(realm)
            try realm.write { item.ints.move(from: 0, to: 3) }
        },
        Mistake("Index 4 is out of bounds (must be less than 4).") { realm in
            let item = try item(realm)
            try realm.write { item.ints.removeLast(4) }
        },
        Mistake("Index 4 is out of bounds (must be less than 4).") { _ in
            let list = List<Int>()
            list.append(objectsIn: [1, 2, 3])
            list.removeFirst(4)
        },
        Mistake("Index 0 is out of bounds (must be less than 0).") { _ in _ = List<Int>()[0] },
        Mistake("Index 1 is out of bounds (must be less than 1).") { _ = try item($0).doubles[1] },
        Mistake("Index 0 is out of bounds (must be less than 0).") { _ in _ = MutableSet<Int>()[0]
        },
        Mistake("negative value") { _ = try item($0).doubles[-1] },
        Mistake("negative value") { _ in _ = List<Int>()[-1] },
        Mistake("negative value") { realm in
            let item = try item(realm)
            try realm.write { item.ints.insert(1, at: -1) }
        },
        Mistake("Cannot modify managed objects outside of a write transaction.") {
            try item($0).ints.append(4)
        },
        Mistake("Cannot modify managed objects outside of a write transaction.") {
            try item($0).doubles.insert(4)
        },
        Mistake("Cannot modify managed objects outside of a write transaction.") {
            try item($0).intMap["a"] = 4
        },
        Mistake("Object has been deleted or invalidated.") { realm in
            let item = try item(realm)
            let ints = item.ints
            try realm.write { realm.delete(item) }
            _ = ints.count
        },
        Mistake("A value of type 'Int' has no property 'name'.") {
            _ = try item($0).ints.value(forKey: "name")
        },
        Mistake("The class 'Part' has no property 'nothing'.") { realm in
            let item = try item(realm)
            try realm.write {
                item.parts.append(realm.create(QueryModels.Part.self, value: ["id": 1]))
            }
            _ = item.parts.value(forKey: "nothing")
        },
    ]

    @Test(
        "end the process with their message, told to an observer before",
        arguments: mistakes.indices)
    func mistake(index: Int) async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index] in
            try CollectionFaultTests.mistakes[index].run(QueryModels.realm("\(index)"))
        }
        Self.mistakes[index].check(result)
    }
}
