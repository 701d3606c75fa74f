@testable import HoldfastStreams
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("What streams missed, folded once")
struct FoldCacheTests {
    private static func put(_ count: Int, _ store: Store) throws {
        for number in 0..<count {
            try store.put("City", ["id": .value(.int(Int64(number)))])
        }
    }

    @Test("a view is given no changes that came behind it")
    func future() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        try Self.put(100, store)
        let early = try store.read()
        defer { early.close() }
        try Self.put(200, store)
        let late = try store.read()
        defer { late.close() }
        let folds = FoldCache()
        let known = try folds.changes(
            after: 1, through: late.state().version, in: late, classes: nil)
        #expect(known.changes.through == store.version.number)
        let present = try early.state().version
        let changes = try folds.changes(after: 1, through: present, in: early, classes: nil)
        #expect(changes.changes.through == present)
        // The same view has them from the cache.
        let shared = try folds.changes(
            after: 1, through: late.state().version, in: late, classes: nil)
        #expect(shared.changes.through == known.changes.through)
    }

    @Test("a change of shape is told to those alone who missed it")
    func shapes() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        try Self.put(10, store)
        var classes = Shelter.classes
        classes[0].properties.append(Property(name: "added", type: .single(.scalar(.int))))
        let changed = try store.setSchema(classes)
        try Self.put(200, store)
        let read = try store.read()
        defer { read.close() }
        let present = try read.state().version
        let folds = FoldCache()
        let before = try folds.changes(after: 1, through: present, in: read, classes: nil)
        #expect(before.changes.changesSchema)
        let behind = try folds.changes(after: changed, through: present, in: read, classes: nil)
        #expect(!behind.changes.changesSchema)
    }
}
