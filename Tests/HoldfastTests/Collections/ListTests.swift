import Foundation
import Holdfast
import Testing

@Suite("Lists")
struct ListTests {
    /// A list of integers, of an object of a realm or by itself.
    private func withList(_ isManaged: Bool, _ body: (List<Int>) throws -> Void) throws {
        let item = QueryModels.Item()
        item.ints.append(objectsIn: [0, 1, 2, 3, 4, 5])
        guard isManaged else { return try body(item.ints) }
        let realm = try QueryModels.realm()
        try realm.write {
            realm.add(item)
            try body(item.ints)
        }
    }

    @Test("are edited by every method, managed or not", arguments: [false, true])
    func edits(isManaged: Bool) throws {
        try withList(isManaged) { list in
            list.remove(at: 1)
            #expect(Array(list) == [0, 2, 3, 4, 5])
            list.remove(atOffsets: [0, 2, 4])
            #expect(Array(list) == [2, 4])
            list.insert(contentsOf: [7, 8], at: 1)
            #expect(Array(list) == [2, 7, 8, 4])
            list.replace(index: 0, object: 9)
            list[3] = 1
            #expect(Array(list) == [9, 7, 8, 1])
            list.replaceSubrange(1...2, with: [5, 5, 5])
            #expect(Array(list) == [9, 5, 5, 5, 1])
            list.removeSubrange(1..<3)
            #expect(Array(list) == [9, 5, 1])
            list.replaceSubrange(3..., with: [6])
            list.move(from: 0, to: 2)
            #expect(Array(list) == [5, 1, 9, 6])
            list.swapAt(0, 3)
            list.swapAt(1, 1)
            #expect(Array(list) == [6, 1, 9, 5])
            list.removeFirst()
            list.removeLast(2)
            #expect(Array(list) == [1])
            list.removeFirst(0)
            list.append(objectsIn: list)
            #expect(Array(list) == [1, 1])
            list.removeLast(2)
            list.removeAll()
            #expect(list.isEmpty && list.first == nil && list.last == nil)
        }
    }

    @Test("are mutable collections", arguments: [false, true])
    func mutableCollection(isManaged: Bool) throws {
        try withList(isManaged) { list in
            var list = list
            list.reverse()
            #expect(Array(list) == [5, 4, 3, 2, 1, 0])
            list.sort()
            #expect(Array(list) == [0, 1, 2, 3, 4, 5])
            #expect(Array(list[2..<4]) == [2, 3] && list.firstIndex(of: 4) == 4)
        }
    }

    @Test("take the elements of another, and survive being assigned to themselves")
    func assignment() throws {
        let realm = try QueryModels.filled()
        let items = realm.objects(QueryModels.Item.self)
        let (first, last) = (items[0], items[3])
        try realm.write {
            first.parts = last.parts
            #expect(first.parts.map(\.id) == [1, 2, 3, 4])
            first.parts = first.parts
            #expect(first.parts.map(\.id) == [1, 2, 3, 4])
            last.parts.removeAll()
            #expect(first.parts.count == 4 && last.parts.isEmpty)
            let own = List<Int>()
            own.append(objectsIn: [8, 9])
            first.ints = own
            own.append(10)
        }
        #expect(Array(first.ints) == [8, 9] && first.parts.count == 4)
    }

    @Test("hold a link as often as it was added, and lose it with its object")
    func links() throws {
        let realm = try QueryModels.filled()
        let item = realm.objects(QueryModels.Item.self)[1]
        try realm.write { item.parts.append(item.parts[0]) }
        #expect(item.parts.map(\.id) == [1, 2, 1])
        try realm.write { realm.delete(item.parts[0]) }
        #expect(item.parts.map(\.id) == [2])
    }

    @Test("are equal by content unmanaged, and as one list of one object managed")
    func equality() throws {
        let (a, b) = (List<Int>(), List<Int>())
        #expect(a == b)
        a.append(1)
        #expect(a != b)
        b.append(1)
        #expect(a == b)
        let realm = try QueryModels.filled()
        let items = realm.objects(QueryModels.Item.self)
        #expect(items[0].ints == items[0].ints)
        let copy = List<Int>()
        copy.append(objectsIn: items[0].ints)
        #expect(items[0].ints != copy)
    }
}
